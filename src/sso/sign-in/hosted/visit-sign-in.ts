import { isGranted } from '../consent/consents.ts'
import { purposeOf } from '../consent/purpose.ts'
import { loginOnPage } from '../login/login.ts'
import { findOrganisation, listOrganisations, type Organisation, startOf } from './organisations.ts'
import { ApiError } from '#foundation/errors.ts'
import type { SsoParts } from '../../core/parts.ts'
import { type Answer, type Visit, withQuery } from '../../core/pages/visit.ts'
import { type Asked, type Context, contextOf, type Destination, sameLoopbackName } from './destination.ts'
import { formOnTheWay, type Issued, missing, type Refusal, refusalOf, type Shown } from './faults.ts'
import { optionsForAnybody } from '../factors/passkeys.ts'
import { findKnown } from './known.ts'
import { comingPage, signInPage } from './sign-in-pages.ts'
import { answerSignIn, refusedAt } from './sign-in.ts'
import { renew, type SilentWatch } from './silent.ts'
import { askConsent } from './visit-consent.ts'
import { t } from './words.ts'

/**
 * `again`: the visit was redirected once already and must not be redirected again. `other`: the visitor wants to sign
 * in as somebody else.
 */
export type SignInQuery = Asked & { again?: '1' | undefined; other?: '1' | undefined }

/** A signed-in visitor goes straight on or is asked for consent; everybody else gets the form. */
export async function getSignIn(
  parts: SsoParts,
  visit: Visit,
  { again, other, ...asked }: SignInQuery,
  watch: SilentWatch,
): Promise<Answer> {
  const renamed = sameLoopbackName(parts.config, asked.return_to, visit.address)
  if (renamed !== undefined)
    return { location: withQuery(`${renamed}/sign-in`, { site_code: 'learning', ...asked }) }
  const context = await contextOf(parts, visit, asked)
  const isFirstTime = again === undefined
  const silent = other === undefined && (await answerSilently(context, isFirstTime, watch))
  if (silent) return silent
  const { openid, site } = context.destination
  if (openid?.is_silent) return { location: refusedAt(parts, context.destination, 'login_required') }
  // Keeps the cookie: another tab may just have got a new one, and a dead one does no harm.
  return signInForm(context, {
    name: openid?.login_hint,
    organisations: await listOrganisations(parts.database, site),
    offersKept: visit.isFromElsewhere && isFirstTime && !site.is_first_party,
  })
}

/** The answer for a visitor who is signed in in this browser; otherwise undefined. */
async function answerSilently(
  context: Context,
  isFirstTime: boolean,
  watch: SilentWatch,
): Promise<Answer | undefined> {
  const { parts, visit, destination } = context
  const refresh_token = visit.kept('refresh')
  if (refresh_token === undefined)
    return visit.isFromElsewhere && isFirstTime ? answerFromElsewhere(context) : undefined
  try {
    const renewed = await renew(context, refresh_token, watch)
    if (renewed === 'overtaken') return isFirstTime ? { location: roundAgain(destination) } : undefined
    return renewed && 'asks_of' in renewed ? mustAsk(context, renewed.asks_of) : renewed
  } catch (error) {
    const isTooOften = error instanceof ApiError && error.status === 429
    if (!destination.openid?.is_silent || !isTooOften) throw error
    return { location: refusedAt(parts, destination, 'temporarily_unavailable') }
  }
}

const roundAgain = ({ query }: Destination) => `/sign-in${query}&again=1`

/**
 * A page of another site led here, so the browser withheld the refresh cookie. First-party sites and sites with consent
 * get a page that navigates on and brings the cookie. No other site does: the person did not act, and it must not look
 * as if they did.
 */
async function answerFromElsewhere(context: Context): Promise<Answer | undefined> {
  const { parts, visit, destination } = context
  const { needs, asks_anew } = purposeOf(destination)
  if (!needs) return { page: comingPage(roundAgain(destination)) }
  const known = await findKnown(parts, destination.site, visit.kept('known'))
  if (!known) return undefined
  return !asks_anew && (await isGranted(parts.database.fast, known.user_id, destination.site, needs))
    ? { page: comingPage(roundAgain(destination)) }
    : mustAsk(context, known.user_id)
}

/** Core, 3.1.2.6: a silent client gets an error instead of a page. */
const mustAsk = async (context: Context, user_id: string): Promise<Answer> =>
  context.destination.openid?.is_silent
    ? { location: refusedAt(context.parts, context.destination, 'consent_required') }
    : askConsent(context, user_id)

type Typed = { name: string; password: string }

export async function postSignIn(context: Context, { name, password }: Typed): Promise<Answer> {
  const { database } = context.parts
  const { site, query } = context.destination
  // A visitor who gives an address and no password may belong to an organisation with its own identity provider.
  const organisation = password === '' ? await findOrganisation(database, site, name) : undefined
  // Goes through a page of ours, because browsers apply form-action to the redirect after a form.
  if (organisation) return { page: comingPage(startOf(organisation, query, name.trim())) }
  const organisations = await listOrganisations(database, site)
  const again = (refusal: Refusal) => signInForm(context, { name, refusal, organisations })
  if (name.trim() === '') return again(missing('name', t('enter_name')))
  if (password === '') return again(missing('password', t('enter_password')))
  try {
    return await signInWithPassword(context, { name: name.trim(), password })
  } catch (error) {
    return again(refusalOf(error, 'name'))
  }
}

/** `name` is an e-mail address, or else a username. Errors as in `login`. */
export async function signInWithPassword(context: Context, { name, password }: Typed): Promise<Answer> {
  const { parts, visit, destination } = context
  const body = { ...(name.includes('@') ? { email: name } : { username: name }), password }
  const how = { from: visit.from, purpose: purposeOf(destination) }
  return answerSignIn(context, await loginOnPage(parts, destination.site, body, how))
}

type Form = {
  name?: string | undefined
  refusal?: Refusal
  organisations?: readonly Organisation[]
  /** The browser may hold a sign-in whose cookie it did not send. */
  offersKept?: boolean
}

export function signInForm(context: Context, { refusal, ...form }: Form): Answer {
  const { name, organisations = [], offersKept = false } = form
  const kept = offersKept ? roundAgain(context.destination) : undefined
  const pageOf = ({ challenge, ...shown }: Shown & Issued) =>
    signInPage({
      ...shown,
      name,
      organisations,
      kept,
      public_key: optionsForAnybody(context.parts, challenge()),
    })
  return formOnTheWay(context, pageOf, refusal, true)
}
