import { open } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { Config } from '#foundation/settings/config.ts'
import { StartError } from '#foundation/start-error.ts'

/** The files of DATA_DIR in a backup, in this order. */
export const FILES = ['master.key', 'first-run.json', 'erasures.jsonl'] as const

/** The one argument of a command. */
export function fileOf(args: string[], usage: string): string {
  try {
    const { positionals } = parseArgs({ args, allowPositionals: true })
    if (positionals.length === 1 && positionals[0]) return positionals[0]
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n${usage}`)
  }
  throw new StartError(usage)
}

export function passphraseOf({ BACKUP_PASSPHRASE }: Config): string {
  if (BACKUP_PASSPHRASE !== undefined) return BACKUP_PASSPHRASE
  throw new StartError(
    'BACKUP_PASSPHRASE must be set, best in a file that BACKUP_PASSPHRASE_FILE names: it seals backups and opens them',
  )
}

/** A new name in a folder survives a crash only then. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
