import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { readCsv } from '#foundation/csv/read.ts'
import { isBlank } from '#foundation/csv/records.ts'
import { StartError } from '#foundation/start-error.ts'
import {
  type FirebaseProject,
  fromAuth0,
  fromDjango,
  fromFirebase,
  fromKeycloak,
  fromWordPress,
  type Translated,
} from './people-hashes.ts'

/** One person of the other system. `where` names the record for the report; `hash` is undefined without a password. */
export type Found = {
  where: string
  /** Suspended there, so not imported. */
  is_disabled: boolean
  email: string
  email_verified: boolean
  external_id: string
  username?: string | undefined
  display_name?: string | undefined
  given_name?: string | undefined
  family_name?: string | undefined
  locale?: string | undefined
  hash: Translated | undefined
}

export type Source = (file: string, project: FirebaseProject | undefined) => AsyncIterable<Found>
type Json = Record<string, unknown>

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
const named = (...parts: unknown[]) => parts.map(text).filter(Boolean).join(' ') || undefined

/** The systems that people can come from. Each reads its own export. StartError says what is wrong with the file. */
export const SOURCES: Record<string, Source> = {
  keycloak: readKeycloak,
  auth0: readAuth0,
  firebase: readFirebase,
  django: readDjango,
  wordpress: readWordPress,
}

/** `kc.sh export`: a realm with `users`, or one of its files of users. */
async function* readKeycloak(file: string): AsyncGenerator<Found> {
  for (const user of listIn(await jsonOf(file), 'users')) {
    const attributes = (user['attributes'] ?? {}) as Json
    const credentials = [user['credentials']].flat().filter(isObject)
    const password = credentials.find((one) => one['type'] === 'password')
    const id = text(user['id']) ?? text(user['username']) ?? ''
    yield {
      where: `user ${id}`,
      is_disabled: user['enabled'] === false,
      email: text(user['email']) ?? '',
      email_verified: user['emailVerified'] === true,
      external_id: id,
      username: text(user['username']),
      display_name: named(user['firstName'], user['lastName']),
      given_name: text(user['firstName']),
      family_name: text(user['lastName']),
      locale: text([attributes['locale']].flat()[0]),
      hash: password && fromKeycloak(text(password['secretData']), text(password['credentialData'])),
    }
  }
}

/** The export of users as JSON Lines, with the hashes that Auth0's support adds. */
async function* readAuth0(file: string): AsyncGenerator<Found> {
  let line = 0
  for await (const record of createInterface({
    input: createReadStream(file, 'utf8'),
    crlfDelay: Infinity,
  })) {
    line += 1
    if (record.trim() === '') continue
    const user = parse(record, `line ${line}`)
    const oid = (user['_id'] as Json | undefined)?.['$oid']
    const password = text(user['passwordHash'])
    yield {
      where: `line ${line}`,
      is_disabled: user['blocked'] === true,
      email: text(user['email']) ?? '',
      email_verified: user['email_verified'] === true,
      external_id: text(user['user_id']) ?? text(oid) ?? text(user['id']) ?? '',
      username: text(user['username']),
      display_name: text(user['name']),
      given_name: text(user['given_name']),
      family_name: text(user['family_name']),
      locale: text(user['locale']),
      hash: password === undefined ? undefined : fromAuth0(password),
    }
  }
}

/** `firebase auth:export FILE --format=JSON`, with the hash parameters of the project. */
async function* readFirebase(file: string, project?: FirebaseProject): AsyncGenerator<Found> {
  for (const user of listIn(await jsonOf(file), 'users')) {
    const [id, password] = [text(user['localId']) ?? '', text(user['passwordHash'])]
    if (password !== undefined && !project)
      throw new StartError(
        'Passwords of Firebase need the hash parameters of the project: --signer-key, --salt-separator, --rounds, --mem-cost',
      )
    yield {
      where: `user ${id}`,
      is_disabled: user['disabled'] === true,
      email: text(user['email']) ?? '',
      email_verified: user['emailVerified'] === true,
      external_id: id,
      display_name: text(user['displayName']),
      hash:
        project && password !== undefined
          ? fromFirebase(project, text(user['salt']) ?? '', password)
          : undefined,
    }
  }
}

/** A CSV of `auth_user` with its own column names. */
async function* readDjango(file: string): AsyncGenerator<Found> {
  for await (const { line, cell } of rowsOf(file, ['email', 'password']))
    yield {
      where: `line ${line}`,
      is_disabled: ['f', 'false', '0'].includes(cell('is_active')?.toLowerCase() ?? ''),
      email: cell('email') ?? '',
      email_verified: false,
      external_id: cell('id') ?? '',
      username: cell('username'),
      display_name: named(cell('first_name'), cell('last_name')),
      given_name: cell('first_name'),
      family_name: cell('last_name'),
      hash: fromDjango(cell('password') ?? ''),
    }
}

/** A CSV of `wp_users` with its own column names. */
async function* readWordPress(file: string): AsyncGenerator<Found> {
  for await (const { line, cell } of rowsOf(file, ['user_email', 'user_pass']))
    yield {
      where: `line ${line}`,
      is_disabled: false,
      email: cell('user_email') ?? '',
      email_verified: false,
      external_id: cell('ID') ?? '',
      username: cell('user_login'),
      display_name: cell('display_name'),
      hash: fromWordPress(cell('user_pass') ?? ''),
    }
}

type Row = { line: number; cell: (column: string) => string | undefined }

async function* rowsOf(file: string, needed: readonly string[]): AsyncGenerator<Row> {
  const fault = (_: string, why: string) => new StartError(`${file} ${why}`)
  let columns: string[] | undefined
  for await (const { cells, line, is_malformed } of readCsv(createReadStream(file) as AsyncIterable<Buffer>, {
    header_cells: 200,
    longest: 65_536,
    isKnown: (name) => needed.includes(name.trim()),
    fault,
  })) {
    if (!columns) {
      columns = cells.map((name) => name.trim())
      const missing = needed.filter((name) => !columns?.includes(name))
      if (missing.length > 0) throw new StartError(`${file} has no column ${missing.join(' and no column ')}`)
      continue
    }
    if (is_malformed) throw new StartError(`${file} is not CSV at line ${line}`)
    const names = columns
    if (cells.slice(names.length).some((cell) => !isBlank(cell)))
      throw new StartError(`${file} has more values than columns at line ${line}`)
    yield { line, cell: (column) => text(cells[names.indexOf(column)]) }
  }
}

async function jsonOf(file: string): Promise<Json> {
  return parse(await readFile(file, 'utf8'), file)
}

function parse(json: string, what: string): Json {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null) return value as Json
  } catch {
    // Told below: the parser would quote the file.
  }
  throw new StartError(`${what} is no JSON object`)
}

function listIn(value: Json, name: string): Json[] {
  const list = Array.isArray(value) ? (value as unknown[]) : value[name]
  if (!Array.isArray(list)) throw new StartError(`The file has no list "${name}"`)
  const wrong = list.findIndex((one) => !isObject(one))
  if (wrong >= 0) throw new StartError(`The entry ${wrong + 1} of "${name}" is no object`)
  return list as Json[]
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null
