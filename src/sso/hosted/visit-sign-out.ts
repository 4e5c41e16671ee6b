import type { SsoParts } from '../parts.ts'
import { requireFirstPartyAddress } from './destination.ts'
import { signedOutPage, signOutPage } from './sign-in-pages.ts'
import { signOut } from './sign-out.ts'
import type { Answer, Visit } from './visit.ts'

/** A link does not sign out: whoever follows it is asked. */
export function getSignOut({ config }: SsoParts, visit: Visit, return_to: string | undefined): Answer {
  const target =
    return_to === undefined ? undefined : requireFirstPartyAddress(config, return_to, visit.address)
  const query = target === undefined ? '' : `?${new URLSearchParams({ return_to: target }).toString()}`
  return { page: signOutPage(`/sign-in/out${query}`), returns_to: target }
}

/** Ends the sign-in and forgets its cookies. 400 for an address to return to that is not ours, before anything ends. */
export async function postSignOut(
  parts: SsoParts,
  visit: Visit,
  return_to: string | undefined,
): Promise<Answer> {
  visit.requireOwnSites()
  const target =
    return_to === undefined ? undefined : requireFirstPartyAddress(parts.config, return_to, visit.address)
  const held = { access_token: visit.kept('access'), refresh_token: visit.kept('refresh') }
  await signOut(parts, held, visit.from)
  const cookies = [visit.clear('access'), visit.clear('refresh')]
  return target === undefined ? { page: signedOutPage(), cookies } : { location: target, cookies }
}
