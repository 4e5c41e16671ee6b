import { recordOf } from '#foundation/web/client/csv.ts'
import type { Found } from './people-sources.ts'

const COLUMNS = [
  'email',
  'username',
  'display_name',
  'given_name',
  'family_name',
  'locale',
  'external_id',
  'email_verified',
  'password_hash',
] as const

/** Some 25 MB are the most that one upload may have. */
const MAX_CHARACTERS = 10_000_000

/** A file of people for POST /api/v1/bulk/register; `places` names the record of the other system for each row. */
export type PeopleFile = { csv: string; places: string[] }

/** Counts what was left out or changed on the way, by its reason. */
export type Tally = Map<string, number>
const count = (tally: Tally, what: string) => tally.set(what, (tally.get(what) ?? 0) + 1)

/** Cuts people into files of at most `rows` records. Whoever was disabled there or has no address stays out. */
export async function* filesOf(
  people: AsyncIterable<Found>,
  rows: number,
  tally: Tally,
): AsyncGenerator<PeopleFile> {
  let [lines, places, characters]: [string[], string[], number] = [[], [], 0]
  const take = (): PeopleFile => {
    const file = { csv: `${COLUMNS.join(',')}\n${lines.join('')}`, places }
    ;[lines, places, characters] = [[], [], 0]
    return file
  }
  for await (const person of people) {
    if (person.is_disabled) count(tally, 'left out: disabled there')
    else if (person.email === '') count(tally, 'left out: no e-mail address')
    else {
      const line = lineOf(person, tally)
      lines.push(line)
      places.push(person.where)
      characters += line.length
      if (lines.length >= rows || characters > MAX_CHARACTERS) yield take()
    }
  }
  if (lines.length > 0) yield take()
}

function lineOf(person: Found, tally: Tally): string {
  const { username, locale, hash, email_verified } = person
  if (hash === undefined) count(tally, 'without a password there')
  else if ('unknown' in hash) count(tally, `without their password: a hash of the format ${hash.unknown}`)
  const values = {
    ...person,
    // The sso takes fewer user names than others; the address signs in as well.
    username: username !== undefined && /^[\w.-]{3,64}$/.test(username) ? username : undefined,
    locale: locale !== undefined && isLocale(locale) ? locale : undefined,
    email_verified: String(email_verified),
    password_hash: hash && 'hash' in hash ? hash.hash : undefined,
  }
  return recordOf(COLUMNS.map((name) => values[name] ?? ''))
}

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-')).length === 1
  } catch {
    return false
  }
}
