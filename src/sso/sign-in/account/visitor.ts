import { badRequest } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { type Answer, type Visit, withQuery } from '../../core/pages/visit.ts'
import { visitorOf } from '../../core/pages/visitor.ts'
import type { SsoParts } from '../../core/parts.ts'
import { findProof } from '../../people/sessions/fresh-proof.ts'

export { visitorOf }

/** Leads through the sign-in page, which silently renews a sign-in that is still alive. */
export const signInFor = (visit: Visit, page: string) => ({
  location: `/sign-in?${new URLSearchParams({ return_to: `${visit.address}${page}` }).toString()}`,
})

type Work = (caller: Caller) => Answer | Promise<Answer>

/** Runs `work` for a visitor who is signed in; anybody else is sent to sign in for `page`. */
export async function asVisitor(parts: SsoParts, visit: Visit, page: string, work: Work): Promise<Answer> {
  const caller = await visitorOf(parts, visit)
  return caller ? work(caller) : signInFor(visit, page)
}

/** As asVisitor, for a session with a fresh proof; without one the visitor is sent to give it. */
export const asProvenVisitor = (parts: SsoParts, visit: Visit, page: string, work: Work) =>
  asVisitor(parts, visit, page, async (caller) => {
    const held = await findProof(parts.database, caller)
    return held?.is_fresh ? work(caller) : { location: withQuery('/account/confirm', { to: page }) }
  })

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
