import type { ConsentAsked } from '../completing/ask-consent.ts'
import { purposeOf } from '../consent/purpose.ts'
import type { Method } from '../factors/challenges.ts'
import { addTo } from '../openid-requests/authorization.ts'
import { issueOpenIdCode } from '../openid-requests/codes.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { answerWith, type TokensAnswer } from '../../people/sessions/answer.ts'
import type { SignIn } from '../completing/complete.ts'
import { loginOnPage } from '../login/login.ts'
import { type SecondFactorBody, verifyOnPage } from '../login/mfa.ts'
import { issueCode } from './codes.ts'
import type { Destination } from './destination.ts'
import { sealKnown } from './known.ts'

/** The visitor is signed in: where to go, and the tokens for the cookies, or a code in the address of a partner. */
export type SignInRedirect = {
  location: string
  tokens?: { access_token: string; refresh_token: string; known: string }
}
export type SecondFactor = { mfa_token: string; mfa_methods: Method[] }
/** What a right password leads to. */
export type SignInResult = SignInRedirect | SecondFactor | ConsentAsked

/** What was typed: an e-mail address, or else a username. Errors as those of `login`. */
export async function signInWithPassword(
  parts: SsoParts,
  destination: Destination,
  { name, password }: { name: string; password: string },
  from: Origin,
): Promise<SignInResult> {
  const who = name.includes('@') ? { email: name } : { username: name }
  const purpose = purposeOf(destination)
  const proven = await loginOnPage(parts, destination.site, { ...who, password }, from, purpose)
  return 'mfa_required' in proven || 'consent_token' in proven
    ? proven
    : finishSignIn(parts, destination, proven)
}

/** Errors as those of `verifySecondFactor`. */
export async function signInWithProof(
  parts: SsoParts,
  destination: Destination,
  proof: SecondFactorBody,
  from: Origin,
): Promise<SignInRedirect | ConsentAsked> {
  const proven = await verifyOnPage(parts, destination.site, proof, from, purposeOf(destination))
  return 'consent_token' in proven ? proven : finishSignIn(parts, destination, proven)
}

/** Our own sites get cookies, a partner's a code that its server exchanges. No token ever stands in an address. */
export async function finishSignIn(
  parts: SsoParts,
  destination: Destination,
  sign_in: SignIn,
): Promise<SignInRedirect> {
  const { site, openid } = destination
  if (openid) {
    const code = await issueOpenIdCode(parts, site, openid, sign_in)
    const iss = parts.tokens.issuer(site.environment)
    return { location: addTo(openid.redirect_uri, { code, state: openid.state, iss }) }
  }
  if (site.is_first_party) {
    const { user, member, session, refresh_token } = sign_in
    const answer = await answerWith(parts, site, user, member, session, refresh_token)
    return atHome(parts, destination, answer)
  }
  const code = await issueCode(parts, site, sign_in, destination.code_challenge)
  return { location: addTo(locationOf(destination), { code }) }
}

/** Signed in at one of our own sites. */
export function atHome(parts: SsoParts, destination: Destination, answer: TokensAnswer): SignInRedirect {
  const { access_token, refresh_token, session_id, user } = answer
  const known = sealKnown(parts.keys, { user_id: user.user_id, session_id })
  return { location: locationOf(destination), tokens: { access_token, refresh_token, known } }
}

const locationOf = ({ return_to, query }: Destination) => return_to ?? `/sign-in/done${query}`

/** Where a visitor goes who does not agree, or whom a silent client may not be told about (Core, 3.1.2.6). */
export function refusedAt(
  { tokens }: Pick<SsoParts, 'tokens'>,
  { site, openid, return_to = '' }: Destination,
  error: 'access_denied' | 'login_required' | 'consent_required' | 'temporarily_unavailable',
): string {
  if (!openid) return addTo(return_to, { error })
  const error_description = DESCRIPTIONS[error]
  const { redirect_uri, state } = openid
  return addTo(redirect_uri, { error, error_description, state, iss: tokens.issuer(site.environment) })
}

const DESCRIPTIONS = {
  access_denied: 'The person does not want to sign in here',
  login_required: 'Nobody is signed in in this browser',
  consent_required: 'The person has not allowed this yet',
  temporarily_unavailable: 'Too many silent sign-ins, come back in a minute',
}
