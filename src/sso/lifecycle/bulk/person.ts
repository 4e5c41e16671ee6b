import { isBlank } from '#foundation/csv/records.ts'
import { isHashOfKnownScheme } from '#foundation/security/password-hashes.ts'
import { foldEmail, isCleanText, normalized } from '#foundation/text.ts'
import { withFormulas } from '#foundation/web/client/csv.ts'
import { fieldOf, REGISTERED_FIELDS, type RegisteredField, type RuleCode } from '../../core/profile.ts'
import { profileFaults } from '../../people/person/fields.ts'
import { type Column, COLUMNS, type CsvRecord, type Layout } from './csv.ts'

/** A record's values; null for an empty cell or a missing column. */
export type Person = Record<Exclude<Column, 'email' | 'email_verified'>, string | null> & {
  email: string
  email_verified: boolean
  /** The hash was left out because it takes too long to check. */
  must_reset_password?: boolean
}
/** `field` is null for an error of the whole record. */
export type Fault = { field: string | null; code: FaultCode }
/** `row` counts records from 1. A record with errors has no person. */
export type Row = { row: number; line: number; faults: Fault[]; person: Person | undefined }

/** Every error code of an import and its message. Messages never quote the file. */
export const FAULTS = {
  required: 'is required',
  invalid_email: 'must be an address such as name@example.org',
  ...messagesOf(REGISTERED_FIELDS),
  invalid_role: 'must be a role of the site',
  invalid_boolean: 'must be true, false, yes, no, 1 or 0',
  not_a_hash: 'must be a complete argon2, bcrypt, scrypt or pbkdf2 hash; never a password',
  too_long: 'is too long',
  invalid_character: 'contains a character that is not allowed',
  column_count: 'has another number of cells than the header',
  malformed_quotes: 'has a quotation mark that does not belong there, or is never closed',
  duplicate_in_file: 'stands in an earlier record already',
  email_taken: 'is already registered',
  username_taken: 'is already taken',
  external_id_taken: 'already belongs to another member of the site',
  user_shared: 'belongs to an account that is not this tenant’s alone to change',
  last_admin: 'would take the last active ADMIN from the site',
  known_limit:
    'comes after as many people with accounts elsewhere as may be told of in a day: upload the file again tomorrow, or prove the domain',
  import_quota:
    'is beyond the new people this tenant may import today: upload the file again tomorrow, or ask an operator for more',
} as const
export type FaultCode = keyof typeof FAULTS

/** Codes for values that were accepted with a change. */
export const WARNINGS = {
  password_reset_required: 'takes too long to check: the person has to choose a new password',
} as const
export type WarningCode = keyof typeof WARNINGS

/** Error messages by the code of the field's rule. */
function messagesOf(names: readonly RegisteredField[]) {
  const rules = names.flatMap((name) => fieldOf(name).rule ?? [])
  return Object.fromEntries(rules.map(({ code, message }) => [code, message])) as Record<
    RuleCode<RegisteredField>,
    string
  >
}

/**
 * Validates the records of one file in order: the first valid one with an e-mail address, username or external_id wins,
 * later ones are duplicates. `roles` are the site's roles.
 */
export function judgeWith(columns: Readonly<Layout['columns']>, roles: ReadonlySet<string>) {
  const seen = { email: new Set<string>(), username: new Set<string>(), external_id: new Set<string>() }
  const isKnown = knownGood()
  let row = 0

  return ({ cells, line, is_malformed }: CsvRecord): Row => {
    row++
    if (is_malformed)
      return { row, line, faults: [{ field: null, code: 'malformed_quotes' }], person: undefined }
    // What a spreadsheet program adds behind or between the columns is blank.
    if (cells.length < columns.length || cells.some((cell, i) => !columns[i] && !isBlank(cell)))
      return { row, line, faults: [{ field: null, code: 'column_count' }], person: undefined }
    const person = readPerson(columns, cells)
    const faults = [...faultsOf(person, roles, isKnown)]
    if (faults.length === 0) {
      const keys = {
        email: foldEmail(person.email),
        username: person.username?.toLowerCase(),
        external_id: person.external_id ?? undefined,
      }
      for (const field of ['email', 'username', 'external_id'] as const) {
        const key = keys[field]
        if (key !== undefined && seen[field].has(key)) faults.push({ field, code: 'duplicate_in_file' })
      }
      if (faults.length === 0)
        for (const field of ['email', 'username', 'external_id'] as const) {
          const key = keys[field]
          if (key !== undefined) seen[field].add(key)
        }
    }
    return {
      row,
      line,
      faults,
      person: faults.length === 0 ? { ...person, email_verified: isTrue(person) } : undefined,
    }
  }
}

type Cells = Record<Exclude<Column, 'email'>, string | null> & { email: string }

const EMPTY = { ...Object.fromEntries(COLUMNS.map((name) => [name, null])), email: '' } as Cells

function readPerson(columns: Readonly<Layout['columns']>, cells: readonly string[]): Cells {
  const person = { ...EMPTY }
  columns.forEach((column, i) => {
    const text = normalized(withFormulas(cells[i]?.trim() ?? ''), 'NFC')
    if (column !== '' && text !== '') person[column] = column === 'locale' ? text.replaceAll('_', '-') : text
  })
  return person
}

/** At most one error per field. */
function* faultsOf(person: Cells, roles: ReadonlySet<string>, isKnown: IsKnown): Generator<Fault> {
  if (person.email === '') yield { field: 'email', code: 'required' }
  for (const [field, text] of Object.entries(person)) {
    const code = text === null || text === '' ? undefined : faultIn(field as Column, text, roles, isKnown)
    if (code) yield { field, code }
  }
}

function faultIn(
  field: Column,
  text: string,
  roles: ReadonlySet<string>,
  isKnown: IsKnown,
): FaultCode | undefined {
  // A hash is recognised by its format only; text that may be a password is not examined further.
  if (field === 'password_hash') return isHashOfKnownScheme(text) ? undefined : 'not_a_hash'
  if (!isCleanText(text)) return 'invalid_character'
  if (field === 'email_verified') return BOOLEAN.test(text) ? undefined : 'invalid_boolean'
  if (field === 'role') return roles.has(text) ? undefined : 'invalid_role'
  if (field === 'external_id') return isLonger(text, 128) ? 'too_long' : undefined
  if (field !== 'email' && isLonger(text, fieldOf(field).max_length ?? Infinity)) return 'too_long'
  return isKnown(field, text)
}

const isLonger = (text: string, most: number) => text.length > most && Array.from(text).length > most

const BOOLEAN = /^(?:true|false|1|0|yes|no)$/i
const isTrue = ({ email_verified }: Cells) => /^(?:true|1|yes)$/i.test(email_verified ?? '')

type IsKnown = (field: RegisteredField | 'email', text: string) => FaultCode | undefined

/** Caches locales and time zones: they repeat, and checking one costs more than the rest of the record. */
function knownGood(): IsKnown {
  const judged = new Map<string, FaultCode | undefined>()
  return (field, text) => {
    const judge = () => profileFaults({ [field]: text })[0]?.code as FaultCode | undefined
    if (field !== 'locale' && field !== 'time_zone') return judge()
    const key = `${field} ${text}`
    if (judged.has(key)) return judged.get(key)
    const code = judge()
    if (judged.size < 2_000) judged.set(key, code)
    return code
  }
}
