import type { ConsentAsked } from '../completing/ask-consent.ts'
import type { Method } from '../factors/challenges.ts'
import { addTo } from '../openid-requests/authorization.ts'
import { issueOpenIdCode } from '../openid-requests/codes.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { Answer } from '../../core/pages/visit.ts'
import { answerWith, type TokensAnswer } from '../../people/sessions/answer.ts'
import type { SignIn } from '../completing/complete.ts'
import { issueCode } from './codes.ts'
import type { Context, Destination } from './destination.ts'
import { sealKnown } from './known.ts'

export type SecondFactor = { mfa_token: string; mfa_methods: Method[] }

/**
 * The answer to a right password or code. First-party sites get cookies; a partner gets a code that its server
 * exchanges, so no token is ever in a URL. If a second factor must be proven or set up, or consent is missing, the
 * token for that goes into a cookie that only that page receives.
 */
export async function answerSignIn(
  context: Context,
  proven: SignIn | SecondFactor | ConsentAsked,
): Promise<Answer> {
  const { parts, visit, destination } = context
  const { site, openid, query } = destination
  if ('mfa_token' in proven) {
    const { mfa_token, mfa_methods } = proven
    return mfa_methods.length === 0
      ? { location: `/sign-in/mfa/enrol${query}`, cookies: [visit.set('enrol', mfa_token)] }
      : {
          location: `/sign-in/mfa${query}`,
          cookies: [visit.set('mfa', [mfa_token, ...mfa_methods].join('.'))],
        }
  }
  if ('consent_token' in proven)
    return { location: `/sign-in/consent${query}`, cookies: [visit.set('consent', proven.consent_token)] }
  if (openid) {
    const code = await issueOpenIdCode(parts, site, openid, proven)
    const iss = parts.tokens.issuer(site.environment)
    return { location: addTo(openid.redirect_uri, { code, state: openid.state, iss }) }
  }
  if (!site.is_first_party) {
    const code = await issueCode(parts, site, proven, destination.code_challenge)
    return { location: addTo(locationOf(destination), { code }) }
  }
  const { user, member, session, refresh_token } = proven
  return answerAtHome(context, await answerWith(parts, site, user, member, session, refresh_token))
}

/** The answer for a sign-in at a first-party site. */
export function answerAtHome({ parts, visit, destination }: Context, answer: TokensAnswer): Answer {
  const { access_token, refresh_token, session_id, user } = answer
  const known = sealKnown(parts.keys, { user_id: user.user_id, session_id })
  return {
    location: locationOf(destination),
    cookies: [
      visit.set('access', access_token),
      visit.set('refresh', refresh_token),
      visit.set('known', known),
    ],
  }
}

const locationOf = ({ return_to, query }: Destination) => return_to ?? `/sign-in/done${query}`

/** The address for a visitor who refuses consent, or whose identity a silent client may not learn (Core, 3.1.2.6). */
export function refusedAt(
  { tokens }: Pick<SsoParts, 'tokens'>,
  { site, openid, return_to = '' }: Destination,
  error: keyof typeof DESCRIPTIONS,
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
