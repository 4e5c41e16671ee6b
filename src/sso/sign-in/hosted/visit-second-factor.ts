import { type Answer, withCookie } from '../../core/pages/visit.ts'
import type { Cookie } from '../../core/pages/cookies.ts'
import { purposeOf } from '../consent/purpose.ts'
import { verifyOnPage } from '../login/mfa.ts'
import type { Context } from './destination.ts'
import { missing } from './faults.ts'
import { secondFactorPage } from './sign-in-pages.ts'
import { answerSignIn } from './sign-in.ts'
import { type Question, waitingOf } from './second-factor-question.ts'
import { signInForm } from './visit-sign-in.ts'
import { t } from './words.ts'

/** The question, or the way to the sign-in page if no sign-in of this browser waits. */
export function signInQuestion(context: Context, isPost: boolean): Question | Answer {
  const { parts, visit, destination } = context
  const { site, return_to, query } = destination
  const waiting = waitingOf(visit, 'mfa')
  if (!waiting) return isPost ? overdue(context) : { location: `/sign-in${query}` }
  return {
    parts,
    visit,
    asker: site,
    waiting,
    pageOf: (forms) => secondFactorPage({ destination, ...forms }),
    returns_to: return_to,
    async prove(proof) {
      const how = { from: visit.from, purpose: purposeOf(destination) }
      const proven = await verifyOnPage(parts, site, proof, how)
      return withCookie(await answerSignIn(context, proven), visit.clear('mfa'))
    },
    beginAgain: () => overdue(context),
  }
}

/** Starts over: time is up, or too many codes were wrong. */
export function overdue(context: Context, cookie: Cookie = 'mfa'): Answer {
  const refusal = { ...missing('name', t('sign_in_again_please')), status: 401 }
  return withCookie(signInForm(context, { refusal }), context.visit.clear(cookie))
}
