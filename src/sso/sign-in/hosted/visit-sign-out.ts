import { type Asking, findAddressAfter } from '../openid-requests/asked-to-leave.ts'
import type { SsoParts } from '../../core/parts.ts'
import { visitorOf } from '../../core/pages/visitor.ts'
import { requireFirstPartyAddress } from './destination.ts'
import { signedOutPage, signOutPage } from './sign-in-pages.ts'
import { signOut } from './sign-out.ts'
import { type Answer, type Visit, withQuery } from '../../core/pages/visit.ts'

/** The address to go to after signing out: a first-party one, or one that an OpenID client registered for it. */
export type SignOutQuery = Asking & { return_to?: string | undefined }

/** A link alone does not sign anybody out: the page asks first. */
export async function getSignOut(parts: SsoParts, visit: Visit, query: SignOutQuery): Promise<Answer> {
  const target = await findTarget(parts, visit, query)
  await visitorOf(parts, visit)
  return {
    page: signOutPage(withQuery('/sign-in/out', target === undefined ? {} : query)),
    returns_to: target,
  }
}

/** Ends the sign-in and clears its cookies. 400 for a return address that is not ours, before anything ends. */
export async function postSignOut(parts: SsoParts, visit: Visit, query: SignOutQuery): Promise<Answer> {
  visit.requireOwnSites()
  const target = await findTarget(parts, visit, query)
  const held = { access_token: visit.kept('access'), refresh_token: visit.kept('refresh') }
  await signOut(parts, held, visit.from)
  const cookies = [visit.clear('access'), visit.clear('refresh'), visit.clear('known')]
  return target === undefined ? { page: signedOutPage(), cookies } : { location: target, cookies }
}

async function findTarget(parts: SsoParts, { address }: Visit, { return_to, ...asking }: SignOutQuery) {
  return return_to === undefined
    ? findAddressAfter(parts, asking)
    : requireFirstPartyAddress(parts.config, return_to, address)
}
