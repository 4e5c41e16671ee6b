import { ApiError, badRequest } from '#foundation/errors.ts'
import { isClient } from '#foundation/security/powers.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { type Answer, type Visit, withQuery } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { findProof } from '../../people/sessions/fresh-proof.ts'

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

/** The visitor, if this session has a fresh proof; otherwise the answer that sends them to sign in or to give one. */
export async function provenVisitor(
  parts: SsoParts,
  visit: Visit,
  page: string,
): Promise<{ caller: Caller } | { answer: Answer }> {
  const caller = await visitorOf(parts, visit)
  if (!caller) return { answer: signInFor(visit, page) }
  const held = await findProof(parts.database, caller)
  return held?.is_fresh ? { caller } : { answer: { location: withQuery('/account/confirm', { to: page }) } }
}

/**
 * Shows the page again after an act that ended other sessions: all access tokens of the person are dead then, and the
 * sign-in page brings this browser a new one.
 */
export const backTo = (visit: Visit, page: string, done: string) => signInFor(visit, `${page}?done=${done}`)

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
