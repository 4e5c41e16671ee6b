import { ApiError } from '#foundation/errors.ts'
import { isClient } from '#foundation/security/powers.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import type { SsoParts } from '../parts.ts'
import type { Visit } from './visit.ts'

/**
 * The person whose first-party session cookie this browser sent. Undefined if the cookie is missing, dead or a
 * partner's. Pages are in the language of the person's profile from here on.
 */
export async function visitorOf(
  { gate, database }: Pick<SsoParts, 'gate' | 'database'>,
  visit: Visit,
): Promise<Caller | undefined> {
  const token = visit.kept('access')
  if (token === undefined) return undefined
  try {
    const caller = await gate.verifyAccessToken(token)
    if (!caller.is_first_party || isClient(caller)) return undefined
    const [person] = await database.fast<{ locale: string | null }[]>`
      select locale from sso.users where user_id = ${caller.user_id}`
    visit.locale = person?.locale ?? visit.locale
    return caller
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined
    throw error
  }
}
