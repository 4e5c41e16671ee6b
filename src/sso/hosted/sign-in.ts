import { ApiError } from '#foundation/errors.ts'
import { sha256 } from '#foundation/secrets.ts'
import type { Site } from '#foundation/session-gate.ts'
import type { Method } from '../mfa/challenges.ts'
import type { Origin, SsoParts } from '../parts.ts'
import { answerWith } from '../sign-in/answer.ts'
import { completeUnlessRequired, type SignIn } from '../sign-in/complete.ts'
import { login } from '../sign-in/login.ts'
import { verifySecondFactor } from '../sign-in/mfa.ts'
import { refresh } from '../sign-in/refresh.ts'
import { userColumns, type UserRow } from '../users/users.ts'
import { addTo } from '../openid/authorization.ts'
import { issueOpenIdCode } from '../openid/codes.ts'
import { issueCode } from './codes.ts'
import type { Destination } from './destination.ts'

/** The visitor is signed in: where to go, and the tokens for the cookies, or a code in the address of a partner. */
export type Arrival = { location: string; tokens?: { access_token: string; refresh_token: string } }
export type SecondFactor = { mfa_token: string; mfa_methods: Method[] }

/** What was typed: an e-mail address, or else a username. Errors as those of `login`. */
export async function enter(
  parts: SsoParts,
  destination: Destination,
  { name, password }: { name: string; password: string },
  from: Origin,
): Promise<Arrival | SecondFactor> {
  const who = name.includes('@') ? { email: name } : { username: name }
  const entered = await login(parts, destination.site, { ...who, password }, from)
  return 'mfa_required' in entered ? entered : arrive(parts, destination, entered)
}

/** Errors as those of `verifySecondFactor`. */
export async function enterWithProof(
  parts: SsoParts,
  destination: Destination,
  proof: { mfa_token: string; code: string } | { mfa_token: string; credential: object },
  from: Origin,
): Promise<Arrival> {
  return arrive(parts, destination, await verifySecondFactor(parts, destination.site, proof, from))
}

/**
 * Signs in with the refresh token a browser kept: spends it where it belongs to the site that is asked for, and opens a
 * session of the same sign-in where it belongs to another of our own sites. `overtaken`: another tab has just spent it,
 * and the browser has the new one, or will in a moment. Undefined: it is good for nothing any more.
 */
export async function renew(
  parts: SsoParts,
  destination: Destination,
  refresh_token: string,
  from: Origin,
  countOvertaken: () => void,
): Promise<Arrival | 'overtaken' | undefined> {
  const { site, openid } = destination
  const kept = await findKept(parts, site, refresh_token)
  if (!kept || !isRecent(kept, openid?.max_age)) return undefined
  try {
    // A client gets a session of its own each time, also a client that is one of our own sites.
    if (openid || kept.site_id !== site.site_id) {
      const carried = await carryOver(parts, site, kept, from)
      return carried === 'overtaken' ? carried : carried && (await arrive(parts, destination, carried))
    }
    const { answer } = await refresh(parts, site, { refresh_token }, from, countOvertaken)
    return { location: locationOf(destination), tokens: answer }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    return error.code === 'refresh_token_reused' ? 'overtaken' : undefined
  }
}

const locationOf = ({ return_to, query }: Destination) => return_to ?? `/sign-in/done${query}`

/** Our own sites get cookies, a partner's a code that its server exchanges. No token ever stands in an address. */
export async function arrive(parts: SsoParts, destination: Destination, sign_in: SignIn): Promise<Arrival> {
  const { site, openid } = destination
  if (openid) {
    const code = await issueOpenIdCode(parts, site, openid, sign_in)
    const iss = parts.tokens.issuer(site.environment)
    return { location: addTo(openid.redirect_uri, { code, state: openid.state, iss }) }
  }
  const location = locationOf(destination)
  if (site.is_first_party) {
    const { user, member, session, refresh_token } = sign_in
    const tokens = await answerWith(parts, site, user, member, session, refresh_token)
    return { location, tokens }
  }
  const url = new URL(location)
  url.searchParams.set('code', await issueCode(parts, site, sign_in))
  return { location: url.href }
}

/**
 * Whether they proved who they are within so many seconds. Of a sign-in at an identity provider only the provider knows: it may
 * have let in somebody who was there since yesterday.
 */
const isRecent = ({ age, is_elsewhere }: Kept, max_age: number | undefined) =>
  max_age === undefined || (age < max_age && !is_elsewhere)

type Kept = {
  token_hash: Buffer
  site_id: string
  session_id: string
  user_id: string
  login_id: string
  /** Seconds since the sign-in. */
  age: number
  /** Proven to an identity provider, and by nothing of ours. */
  is_elsewhere: boolean
}

/** The live session of one of our own sites that a browser kept the token of. Its state is looked at once more later. */
async function findKept({ database }: SsoParts, { environment }: Site, refresh_token: string) {
  const [kept] = await database.fast<Kept[]>`
    select t.token_hash, s.site_id, s.session_id, s.user_id, s.login_id,
           extract(epoch from statement_timestamp() - s.auth_time)::float8 as age,
           s.auth_methods = array['sso'] as is_elsewhere
      from sso.refresh_tokens t join sso.sessions s using (session_id) join sso.sites i using (site_id)
     where t.token_hash = ${sha256(refresh_token)} and s.revoked_at is null and i.is_first_party
       and i.environment = ${environment} and i.deleted_at is null`
  return kept
}

/**
 * A session at another site, of the same sign-in: what was proven and when stays what it was, and signing out anywhere
 * ends both. Under the lock on the person no session of theirs can end meanwhile. Undefined also where the site requires a
 * second factor that this sign-in has not proven. 401 account_suspended.
 */
async function carryOver(
  { database }: SsoParts,
  site: Site,
  { token_hash, user_id, session_id, login_id }: Kept,
  from: Origin,
): Promise<SignIn | 'overtaken' | undefined> {
  return database.transaction(async (tx) => {
    const [user] = await tx<UserRow[]>`
      select ${userColumns(tx, site.tenant_id)} from sso.users u
       where u.user_id = ${user_id} and u.status = 'active' for no key update of u`
    const [known] = await tx<{ auth_methods: string[]; auth_time: string; is_spent: boolean }[]>`
      select s.auth_methods, s.auth_time, t.consumed_at is not null as is_spent
        from sso.sessions s join sso.refresh_tokens t using (session_id)
       where s.session_id = ${session_id} and s.user_id = ${user_id} and s.revoked_at is null
         and t.token_hash = ${token_hash} and t.expires_at > clock_timestamp()`
    if (!user || !known) return undefined
    if (known.is_spent) return 'overtaken'
    const { auth_methods, auth_time } = known
    const proven = { auth_methods, device_name: null, login_id, from }
    const sign_in = await completeUnlessRequired(tx, site, user, proven)
    if (!sign_in) return undefined
    const { session } = sign_in
    await tx`
      update sso.sessions set auth_time = ${auth_time}
       where session_id = ${session.session_id} and user_id = ${user_id}`
    return { ...sign_in, session: { ...session, auth_time } }
  })
}
