import { measureScheme, schemeOf } from '#foundation/security/password-hashes.ts'
import type { Row } from './person.ts'

/**
 * Maximum milliseconds for checking one hash on this machine; a person with a slower hash must choose a new password.
 */
const MAX_CHECK_MS = 300
/** Maximum number of schemes and costs measured per file. Real systems use few; thousands would only waste CPU. */
const MAX_SCHEMES = 20

/** Removes password hashes that are too slow to check from the records of one file. */
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
