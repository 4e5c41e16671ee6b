import { measureScheme, schemeOf } from '#foundation/password-hashes.ts'
import type { Person, Row } from './person.ts'

/** One check of a hash may take so long on this machine; whoever has a slower one chooses a new password. */
const MAX_CHECK_MS = 300
/** Schemes and costs of one file that are measured. Programs store few; a file of thousands would only keep us busy. */
const MAX_SCHEMES = 20

/** Takes the hashes that are slow to check out of the records of one file. */
export function judgeHashes(): (rows: readonly Row[]) => Promise<Row[]> {
  const judged = new Map<string, boolean>()

  async function isQuick(hash: string): Promise<boolean> {
    const scheme = schemeOf(hash) ?? ''
    const known = judged.get(scheme)
    if (known !== undefined) return known
    if (judged.size >= MAX_SCHEMES) return false
    const quick = (await measureScheme(hash)) <= MAX_CHECK_MS
    judged.set(scheme, quick)
    return quick
  }

  async function settle(person: Person): Promise<Person> {
    const { password_hash } = person
    if (password_hash === null || (await isQuick(password_hash))) return person
    return { ...person, password_hash: null, must_reset_password: true }
  }

  return async (rows) => {
    const settled: Row[] = []
    for (const row of rows) settled.push(row.person ? { ...row, person: await settle(row.person) } : row)
    return settled
  }
}
