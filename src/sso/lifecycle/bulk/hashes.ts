import { measureScheme, schemeOf } from '#foundation/security/password-hashes.ts'
import type { Row } from './person.ts'

/** One check of a hash may take so long on this machine; whoever has a slower one chooses a new password. */
const MAX_CHECK_MS = 300
/** Schemes and costs of one file that are measured. Programs store few; a file of thousands would only keep us busy. */
const MAX_SCHEMES = 20

/** Takes the hashes of one file that are slow to check out of its records. */
export function judgeHashes(): (row: Row) => Promise<Row> {
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

  return async (row) => {
    const hash = row.person?.password_hash ?? null
    if (!row.person || hash === null || (await isQuick(hash))) return row
    return { ...row, person: { ...row.person, password_hash: null, must_reset_password: true } }
  }
}
