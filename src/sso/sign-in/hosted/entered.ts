import { METHODS } from '../factors/challenges.ts'
import type { Destination } from './destination.ts'
import type { SignInRedirect, SignInResult, SecondFactor } from './sign-in.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'

/**
 * What follows a right password or code: the cookies of the sign-in, and on to where it leads; or the page that asks for
 * the second factor, for one to be set up, or for consent. Their token goes into a cookie that only that page gets, because
 * it belongs into no address.
 */
export function answerSignIn(visit: Visit, { query }: Destination, result: SignInResult): Answer {
  if ('mfa_token' in result) {
    const { mfa_token, mfa_methods } = result
    if (mfa_methods.length === 0)
      return { location: `/sign-in/mfa/enrol${query}`, cookies: [visit.set('enrol', mfa_token)] }
    return {
      location: `/sign-in/mfa${query}`,
      cookies: [visit.set('mfa', [mfa_token, ...mfa_methods].join('.'))],
    }
  }
  if ('consent_token' in result)
    return { location: `/sign-in/consent${query}`, cookies: [visit.set('consent', result.consent_token)] }
  return answerRedirect(visit, result)
}

function answerRedirect(visit: Visit, { location, tokens }: SignInRedirect): Answer {
  if (!tokens) return { location }
  const { access_token, refresh_token, known } = tokens
  return {
    location,
    cookies: [
      visit.set('access', access_token),
      visit.set('refresh', refresh_token),
      visit.set('known', known),
    ],
  }
}

/** The sign-in of this browser, or the session that proves itself once more, that waits for a second factor. */
export function waitingOf(visit: Visit, cookie: 'mfa' | 'proof' = 'mfa'): SecondFactor | undefined {
  const [mfa_token, ...named] = visit.kept(cookie)?.split('.') ?? []
  const mfa_methods = METHODS.filter((method) => named.includes(method))
  return mfa_token === undefined || mfa_methods.length === 0 ? undefined : { mfa_token, mfa_methods }
}
