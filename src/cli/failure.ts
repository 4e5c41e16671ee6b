import { isConnectionLoss } from '#foundation/database/database.ts'
import { StartError } from '#foundation/start-error.ts'

/** What PostgreSQL refuses, by SQLSTATE, and what helps. */
const REFUSED: Record<string, string> = {
  '3D000': 'Create it, or correct DATABASE_URL',
  '28P01': 'Correct name and password in DATABASE_URL',
  '28000': 'Correct name and password in DATABASE_URL, or let that role in (pg_hba.conf)',
  '42501':
    'Give the role of DATABASE_URL that right: it needs "grant create on database", and owns what it makes',
  '53100': 'Make room on the disk of the database',
}

/** What the system refuses at a path, and what helps. */
const AT_PATH: Record<string, string> = {
  EACCES: 'give it to the user who runs the program',
  EPERM: 'give it to the user who runs the program',
  EROFS: 'its file system is read-only, so set DATA_DIR to another place',
  ENOSPC: 'make room on that disk',
  EDQUOT: 'make room on that disk',
  EMFILE: 'let the program open more files (ulimit -n)',
  ENOENT: 'it is missing',
  ENOTDIR: 'a part of that path is no folder',
  EISDIR: 'a folder lies where a file should be: move it away',
}

type Fault = Error & { code?: string; path?: string }

/** One sentence for a person, with the remedy where one is known. Only a fault of ours has none. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof StartError) return error.message
  const { code = '', message, path } = error as Fault
  if (code === '08P01' && message.includes('startup parameter'))
    return `The database is behind a pooler (${message}): set DATABASE_PREPARE=off (docs/operating.md, deploy/pgbouncer.ini)`
  const remedy = REFUSED[code]
  if (remedy !== undefined) return `The database refuses: ${message}. ${remedy}`
  if (path !== undefined && code in AT_PATH) return `${path} cannot be used (${message}): ${AT_PATH[code]}`
  if (isConnectionLoss(error)) return `The database does not answer (${message || code}): check DATABASE_URL`
  return `This is a fault of Lyceum, please report it: ${message.replaceAll('\n', ' ')} (LOG_LEVEL=debug says where)`
}
