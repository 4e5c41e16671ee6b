import { ApiError } from '#foundation/errors.ts'
import { limitKey } from '#foundation/rate-limit/address-key.ts'
import { type Limiter, refuseOver } from '#foundation/rate-limit/limiter.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import { grantConsent, isGranted } from '../consent/consents.ts'
import { purposeOf } from '../consent/purpose.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { completeUnlessRequired, dated, type SignIn } from '../completing/complete.ts'
import { JUST_USED, refresh } from '../login/refresh.ts'
import { lockActiveUser } from '../../people/person/users.ts'
import type { Answer } from '../../core/pages/visit.ts'
import type { Context, Destination } from './destination.ts'
import { answerAtHome, answerSignIn } from './sign-in.ts'

/**
 * Per minute. Enough for a person with many tabs, and for a school behind one address; stops a loop that opens sessions
 * by the thousand.
 */
const PER_PERSON = 30
const PER_ADDRESS = 600

/** Limits sign-ins without a form, per person and per address. SSO_RATE_LIMIT_AUTH=0 disables this limit too. */
export function silentWatch({ config, metrics }: SsoParts, limiter: Limiter) {
  const overtaken = metrics.counter(
    'lyceum_hosted_renewals_overtaken_total',
    'Silent renewals on the sign-in page whose token another tab had just spent',
  )
  return {
    countOvertaken: () => overtaken.inc(),
    /** 429 for a person or an address with too many silent sign-ins. */
    async limit(user_id: string, { ip_address }: Origin) {
      if (config.SSO_RATE_LIMIT_AUTH === 0) return
      const verdict = await limiter.hit([
        { name: 'silent', key: user_id, limit: PER_PERSON },
        { name: 'silent_address', key: limitKey(ip_address), limit: PER_ADDRESS },
      ])
      refuseOver(verdict, 'sign-ins')
    },
  }
}
export type SilentWatch = ReturnType<typeof silentWatch>

/** The person is signed in but must consent first. */
export type MustAsk = { asks_of: string }

/**
 * Signs in with the refresh token that a browser kept. Spends it if it belongs to the site asked for; opens a session
 * of the same sign-in if it belongs to another first-party site. `overtaken`: another tab has just spent it, and the
 * browser has the new one or soon will. Undefined if it is no longer valid. 429.
 */
export async function renew(
  context: Context,
  refresh_token: string,
  watch: SilentWatch,
): Promise<Answer | MustAsk | 'overtaken' | undefined> {
  const { parts, visit, destination } = context
  const { site, openid } = destination
  const kept = await findKept(parts, destination, refresh_token)
  if (!kept) return undefined
  await watch.limit(kept.user_id, visit.from)
  // An OpenID client gets a new session each time, even if it is a first-party site.
  if (openid || kept.site_id !== site.site_id) return renewElsewhere(context, kept)
  return unlessRefused(async () => {
    const presented = { refresh_token, from: visit.from, onDoubleSubmit: watch.countOvertaken }
    const { answer } = await refresh(parts, site, presented)
    return answerAtHome(context, answer)
  })
}

/** As renew, for another site. `has_agreed`: the person consented on the page that asked for it. */
export const renewElsewhere = (context: Context, kept: Kept, has_agreed = false) =>
  unlessRefused(async () => {
    const carried = await carryOver(context, kept, has_agreed)
    if (carried === undefined || carried === 'overtaken' || 'asks_of' in carried) return carried
    return answerSignIn(context, carried)
  })

async function unlessRefused<T>(work: () => Promise<T>): Promise<T | 'overtaken' | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    return [JUST_USED, 'refresh_token_reused'].includes(error.code) ? 'overtaken' : undefined
  }
}

export type Kept = {
  token_hash: Buffer
  site_id: string
  session_id: string
  user_id: string
  login_id: string
  /** Seconds since the sign-in. */
  age: number
  /** Proven to an identity provider only, by no factor of ours. */
  is_elsewhere: boolean
}

/**
 * The live first-party session of the refresh token that a browser kept, if it is recent enough for the client. The
 * state is checked again under a lock later.
 */
export async function findKept(
  { database }: SsoParts,
  { site: { environment }, openid }: Destination,
  refresh_token: string,
): Promise<Kept | undefined> {
  const [kept] = await database.fast<Kept[]>`
    select t.token_hash, s.site_id, s.session_id, s.user_id, s.login_id,
           extract(epoch from statement_timestamp() - s.auth_time)::float8 as age,
           s.auth_methods = array['sso'] as is_elsewhere
      from sso.refresh_tokens t join sso.sessions s using (session_id) join sso.sites i using (site_id)
     where t.token_hash = ${sha256(refresh_token)} and s.revoked_at is null and i.is_first_party
       and i.environment = ${environment} and i.deleted_at is null`
  return kept && isRecent(kept, openid?.max_age) ? kept : undefined
}

/**
 * Whether the person proved who they are within `max_age` seconds. A sign-in at an identity provider never counts: the
 * provider may have reused a sign-in from yesterday.
 */
const isRecent = ({ age, is_elsewhere }: Kept, max_age: number | undefined) =>
  max_age === undefined || (age < max_age && !is_elsewhere)

/**
 * Opens a session of the same sign-in at another site: methods and time of the proof stay, and one sign-out ends both.
 * The lock on the person keeps their sessions from ending meanwhile. Undefined also if the site requires a second
 * factor that this sign-in has not proven. 401 account_suspended.
 */
async function carryOver(
  { parts: { database }, visit: { from }, destination }: Context,
  { token_hash, user_id, session_id, login_id }: Kept,
  has_agreed: boolean,
): Promise<SignIn | MustAsk | 'overtaken' | undefined> {
  const { site } = destination
  return database.transaction(async (tx) => {
    const user = await lockActiveUser(tx, site, user_id)
    const [known] = await tx<{ auth_methods: string[]; auth_time: string; is_spent: boolean }[]>`
      select s.auth_methods, s.auth_time, t.consumed_at is not null as is_spent
        from sso.sessions s join sso.refresh_tokens t using (session_id)
       where s.session_id = ${session_id} and s.user_id = ${user_id} and s.revoked_at is null
         and t.token_hash = ${token_hash} and t.expires_at > clock_timestamp()`
    if (!user || !known) return undefined
    if (known.is_spent) return 'overtaken'
    const { needs, asks_anew, openid_scope } = purposeOf(destination)
    if (needs && has_agreed) await grantConsent(tx, site, user_id, { scopes: needs, given_by: 'page' }, from)
    else if (needs && (asks_anew || !(await isGranted(tx, user_id, site, needs)))) return { asks_of: user_id }
    const { auth_methods, auth_time } = known
    const proven = { auth_methods, device_name: null, login_id, from, openid_scope }
    const sign_in = await completeUnlessRequired(tx, site, user, proven)
    return sign_in && dated(tx, sign_in, auth_time)
  })
}
