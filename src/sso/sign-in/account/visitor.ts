import { ApiError, badRequest } from '#foundation/errors.ts'
import { isClient } from '#foundation/security/powers.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import type { Visit } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'

/**
 * The person whose first-party session cookie this browser sent. Undefined if the cookie is missing, dead or a
 * partner's.
 */
export async function visitorOf({ gate }: Pick<SsoParts, 'gate'>, visit: Visit): Promise<Caller | undefined> {
  const token = visit.kept('access')
  if (token === undefined) return undefined
  try {
    const caller = await gate.verifyAccessToken(token)
    return caller.is_first_party && !isClient(caller) ? caller : undefined
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined
    throw error
  }
}

/** Leads through the sign-in page, which silently renews a sign-in that is still alive. */
export const signInFor = (visit: Visit, page: string) => ({
  location: `/sign-in?${new URLSearchParams({ return_to: `${visit.address}${page}` }).toString()}`,
})

/** The account page to go to after the proof. 400 for any other address. */
export function requireOwnPage(to: string | undefined, address: string): string {
  const url = URL.canParse(to ?? '/account', address) ? new URL(to ?? '/account', address) : undefined
  const isOwn =
    url?.origin === new URL(address).origin &&
    (url.pathname === '/account' || url.pathname.startsWith('/account/'))
  if (!url || !isOwn)
    throw badRequest(
      'return_to_forbidden',
      'The link that led here wants to go on to an address that is not allowed',
    )
  return `${url.pathname}${url.search}`
}
