import { type Answer, withCookie } from '../../core/pages/visit.ts'
import type { Cookie } from '../../core/pages/cookies.ts'
import { purposeOf } from '../consent/purpose.ts'
import { verifyOnPage } from '../login/mfa.ts'
import type { SentMethod } from '../factors/sent-codes.ts'
import type { Context } from './destination.ts'
import { secondFactorPage } from './sign-in-pages.ts'
import { answerSignIn } from './sign-in.ts'
import {
  type Given,
  type Question,
  sendOne,
  showForms,
  takeProof,
  waitingOf,
} from './second-factor-question.ts'
import { signInForm } from './visit-sign-in.ts'

export async function getSecondFactor(context: Context): Promise<Answer> {
  const question = questionOf(context)
  return question ? showForms(question, {}) : { location: `/sign-in${context.destination.query}` }
}

export async function postSecondFactor(context: Context, given: Given): Promise<Answer> {
  const question = questionOf(context)
  return question ? takeProof(question, given) : overdue(context)
}

export async function postSentCode(
  context: Context,
  asked: { method: SentMethod; sent_by: SentMethod | undefined },
): Promise<Answer> {
  const question = questionOf(context)
  return question ? sendOne(question, asked) : overdue(context)
}

/** Undefined if no sign-in of this browser waits. */
function questionOf(context: Context): Question | undefined {
  const { parts, visit, destination } = context
  const { site, return_to } = destination
  const waiting = waitingOf(visit, 'mfa')
  return (
    waiting && {
      parts,
      visit,
      asker: site,
      waiting,
      pageOf: (forms) => secondFactorPage({ destination, ...forms }),
      returns_to: return_to,
      async prove(proof) {
        const proven = await verifyOnPage(parts, site, proof, {
          from: visit.from,
          purpose: purposeOf(destination),
        })
        return withCookie(await answerSignIn(context, proven), visit.clear('mfa'))
      },
      beginAgain: () => overdue(context),
    }
  )
}

/** Starts over: time is up, or too many codes were wrong. */
export function overdue(context: Context, cookie: Cookie = 'mfa'): Answer {
  const message = 'This took too long, or too many codes were wrong. Please sign in again'
  const refusal = { status: 401, headers: {}, faults: [{ field: 'name', message }] }
  return withCookie(signInForm(context, { refusal }), context.visit.clear(cookie))
}
