import { isGranted } from '../consent/consents.ts'
import { purposeOf } from '../consent/purpose.ts'
import { findOrganisation, listOrganisations, type Organisation, startOf } from './realm.ts'
import { ApiError } from '#foundation/errors.ts'
import type { SsoParts } from '../../core/parts.ts'
import { type Asked, type Destination, findDestination, sameLoopbackName } from './destination.ts'
import { answerSignIn } from './entered.ts'
import { missing, type Refusal, refusalOf } from './faults.ts'
import { findKnown } from './known.ts'
import { comingPage, signInPage } from './sign-in-pages.ts'
import { refusedAt, signInWithPassword } from './sign-in.ts'
import { renew, type SilentWatch } from './silent.ts'
import { askConsent } from './visit-consent.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'

/**
 * `again`: this visit has been here before and must not be sent round once more. `other`: somebody else wants to sign in
 * than who is signed in.
 */
export type SignInQuery = Asked & { again?: '1' | undefined; other?: '1' | undefined }

/** Whoever is signed in still goes straight on, or is asked for consent; everybody else gets the form. */
export async function getSignIn(
  parts: SsoParts,
  visit: Visit,
  query: SignInQuery,
  watch: SilentWatch,
): Promise<Answer> {
  const { again, other, ...asked } = query
  const renamed = sameLoopbackName(parts.config, asked.return_to, visit.address)
  if (renamed !== undefined) {
    const given = Object.entries({ site_code: 'learning', ...asked }).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    )
    return { location: `${renamed}/sign-in?${new URLSearchParams(given).toString()}` }
  }
  const destination = await findDestination(parts, asked, visit.address)
  const silent =
    other === undefined ? await answerSilently(parts, visit, destination, { again, watch }) : undefined
  if (silent) return silent
  const { openid, site } = destination
  if (openid?.is_silent) return { location: refusedAt(parts, destination, 'login_required') }
  // The cookie stays as it is: another tab may have got a new one meanwhile, and a dead one does no harm.
  return signInForm(visit, destination, {
    ...(openid?.login_hint !== undefined && { name: openid.login_hint }),
    organisations: await listOrganisations(parts.database, site),
    offersKept: visit.isFromElsewhere && again === undefined && !site.is_first_party,
  })
}

type Round = { again: '1' | undefined; watch: SilentWatch }

/** The answer for somebody who is signed in in this browser; undefined where nobody is. */
async function answerSilently(
  parts: SsoParts,
  visit: Visit,
  destination: Destination,
  { again, watch }: Round,
): Promise<Answer | undefined> {
  const refresh_token = visit.kept('refresh')
  if (refresh_token === undefined)
    return visit.isFromElsewhere && again === undefined
      ? answerFromElsewhere(parts, visit, destination)
      : undefined
  try {
    const renewed = await renew(parts, destination, refresh_token, visit.from, watch)
    if (renewed === 'overtaken')
      return again === undefined ? { location: roundAgain(destination) } : undefined
    if (!renewed) return undefined
    if ('asks_of' in renewed) return mustAsk(parts, visit, destination, renewed.asks_of)
    return answerSignIn(visit, destination, renewed)
  } catch (error) {
    if (!destination.openid?.is_silent || !isTooOften(error)) throw error
    return { location: refusedAt(parts, destination, 'temporarily_unavailable') }
  }
}

const isTooOften = (error: unknown) => error instanceof ApiError && error.status === 429

const roundAgain = ({ query }: Destination) => `/sign-in${query}&again=1`

/**
 * A page of another site led here, so the refresh cookie stayed at home. Our own sites and those the person agreed to get the
 * page that goes on from our side, with the cookie. Nobody else does: a step that a person did not take must not count as one.
 */
async function answerFromElsewhere(
  parts: SsoParts,
  visit: Visit,
  destination: Destination,
): Promise<Answer | undefined> {
  const { site } = destination
  const { needs, asks_anew } = purposeOf(destination)
  if (!needs) return { page: comingPage(roundAgain(destination)) }
  const known = await findKnown(parts, site, visit.kept('known'))
  if (!known) return undefined
  const { user_id } = known
  return !asks_anew && (await isGranted(parts.database.fast, user_id, site, needs))
    ? { page: comingPage(roundAgain(destination)) }
    : mustAsk(parts, visit, destination, user_id)
}

/** Core, 3.1.2.6: no page for a client that asked for none. */
const mustAsk = async (
  parts: SsoParts,
  visit: Visit,
  destination: Destination,
  user_id: string,
): Promise<Answer> =>
  destination.openid?.is_silent
    ? { location: refusedAt(parts, destination, 'consent_required') }
    : askConsent(parts, visit, destination, user_id)

export async function postSignIn(
  parts: SsoParts,
  visit: Visit,
  query: Asked,
  { name, password }: { name: string; password: string },
): Promise<Answer> {
  const destination = await findDestination(parts, query, visit.address)
  // Whoever gives an address and no password may belong to an organisation that signs them in.
  const organisation =
    password === '' ? await findOrganisation(parts.database, destination.site, name) : undefined
  // By a page of ours, because browsers hold form-action against a redirect that follows a form.
  if (organisation) return { page: comingPage(startOf(organisation, destination.query, name.trim())) }
  const organisations = await listOrganisations(parts.database, destination.site)
  const empty =
    name.trim() === ''
      ? missing('name', 'Enter your e-mail address or username')
      : password === '' && missing('password', 'Enter your password')
  if (empty) return signInForm(visit, destination, { name, refusal: empty, organisations })
  try {
    const who = { name: name.trim(), password }
    return answerSignIn(visit, destination, await signInWithPassword(parts, destination, who, visit.from))
  } catch (error) {
    return signInForm(visit, destination, { name, refusal: refusalOf(error, 'name'), organisations })
  }
}

type Form = {
  name?: string
  refusal?: Refusal
  organisations?: readonly Organisation[]
  /** The browser may keep a sign-in that it did not send along. */
  offersKept?: boolean
}

export function signInForm(
  visit: Visit,
  destination: Destination,
  { name, refusal, organisations = [], offersKept = false }: Form,
): Answer {
  const { form_token, cookie } = visit.nextForm()
  return {
    ...refusal,
    page: signInPage({
      destination,
      form_token,
      name,
      organisations,
      faults: refusal?.faults,
      kept: offersKept ? roundAgain(destination) : undefined,
    }),
    returns_to: destination.return_to,
    cookies: [cookie],
  }
}
