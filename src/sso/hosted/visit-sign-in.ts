import type { Site } from '#foundation/session-gate.ts'
import { addTo, type Authorization } from '../openid/authorization.ts'
import { findRealm, listRealms, type Realm, startOf } from '../enterprise/realm.ts'
import type { SsoParts } from '../parts.ts'
import { type Asked, type Destination, findDestination, sameLoopbackName } from './destination.ts'
import { entered } from './entered.ts'
import { missing, type Refusal, refusalOf } from './faults.ts'
import { comingPage, signInPage } from './sign-in-pages.ts'
import { enter, renew } from './sign-in.ts'
import type { Answer, Visit } from './visit.ts'

/** `again`: this visit has been here before and must not be sent round once more. */
export type SignInQuery = Asked & { again?: '1' | undefined }

/** Whoever is signed in still goes straight on; everybody else gets the form. */
export async function getSignIn(
  parts: SsoParts,
  visit: Visit,
  query: SignInQuery,
  countOvertaken: () => void,
): Promise<Answer> {
  const { site_code = 'learning', return_to, again } = query
  const renamed = sameLoopbackName(parts.config, return_to, visit.address)
  if (renamed !== undefined && return_to !== undefined)
    return { location: `${renamed}/sign-in?${new URLSearchParams({ site_code, return_to }).toString()}` }
  const destination = await findDestination(parts, query, visit.address)
  const roundAgain = `/sign-in${destination.query}&again=1`
  const refresh_token = visit.kept('refresh')
  if (refresh_token !== undefined) {
    const renewed = await renew(parts, destination, refresh_token, visit.from, countOvertaken)
    if (renewed === 'overtaken' && again === undefined) return { location: roundAgain }
    if (renewed !== undefined && renewed !== 'overtaken') return entered(visit, destination, renewed)
  } else if (visit.isFromElsewhere && again === undefined) return { page: comingPage(roundAgain) }
  const { openid } = destination
  if (openid?.is_silent) return { location: loginRequired(parts, destination.site, openid) }
  // The cookie stays as it is: another tab may have got a new one meanwhile, and a dead one does no harm.
  return signInForm(visit, destination, {
    ...(openid?.login_hint !== undefined && { name: openid.login_hint }),
    realms: await listRealms(parts.database, destination.site),
  })
}

/** Core, 3.1.2.6: the client asked for no page, and one would be needed. */
function loginRequired({ tokens }: SsoParts, { environment }: Site, { redirect_uri, state }: Authorization) {
  const iss = tokens.issuer(environment)
  const error_description = 'Nobody is signed in in this browser'
  return addTo(redirect_uri, { error: 'login_required', error_description, state, iss })
}

export async function postSignIn(
  parts: SsoParts,
  visit: Visit,
  query: Asked,
  { name, password }: { name: string; password: string },
): Promise<Answer> {
  const destination = await findDestination(parts, query, visit.address)
  // Whoever gives an address and no password may belong to an organisation that signs them in.
  const realm = password === '' ? await findRealm(parts.database, destination.site, name) : undefined
  // By a page of ours, because browsers hold form-action against a redirect that follows a form.
  if (realm) return { page: comingPage(startOf(realm, destination.query, name.trim())) }
  const realms = await listRealms(parts.database, destination.site)
  const empty =
    name.trim() === ''
      ? missing('name', 'Enter your e-mail address or username')
      : password === '' && missing('password', 'Enter your password')
  if (empty) return signInForm(visit, destination, { name, refusal: empty, realms })
  try {
    const who = { name: name.trim(), password }
    return entered(visit, destination, await enter(parts, destination, who, visit.from))
  } catch (error) {
    return signInForm(visit, destination, { name, refusal: refusalOf(error, 'name'), realms })
  }
}

export function signInForm(
  visit: Visit,
  destination: Destination,
  { name, refusal, realms = [] }: { name?: string; refusal?: Refusal; realms?: readonly Realm[] },
): Answer {
  const { form_token, cookie } = visit.nextForm()
  return {
    ...refusal,
    page: signInPage({ destination, form_token, name, realms, faults: refusal?.faults }),
    returns_to: destination.return_to,
    cookies: [cookie],
  }
}
