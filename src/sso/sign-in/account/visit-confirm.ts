import { ApiError } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { formAnswer, missing, type Refusal, refusalOf } from '../hosted/faults.ts'
import { type Question, waitingOf } from '../hosted/second-factor-question.ts'
import { type Answer, type Visit, withQuery } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { findProof } from '../../people/sessions/fresh-proof.ts'
import { confirmFactorPage, confirmPage, noProofPage } from './pages.ts'
import { proveAgain } from './prove-again.ts'
import { requireOwnPage, signInFor, visitorOf } from './visitor.ts'
import { t } from './words.ts'

export type ConfirmQuery = { to?: string | undefined }

/** Asks for the proof that the session lacks. A session with a fresh proof goes straight on. */
export async function getConfirm(parts: SsoParts, visit: Visit, { to }: ConfirmQuery): Promise<Answer> {
  const next = requireOwnPage(to, visit.address)
  const caller = await visitorOf(parts, visit)
  if (!caller) return signInFor(visit, confirmAddress(next))
  const held = await findProof(parts.database, caller)
  return held?.is_fresh ? { location: next } : confirmForm(parts, visit, caller, { next })
}

const confirmAddress = (next: string) => withQuery('/account/confirm', { to: next })

/** Takes the password. Without one, the account has none and only the second factor is asked for. */
export async function postConfirm(
  parts: SsoParts,
  visit: Visit,
  { to }: ConfirmQuery,
  password: string | undefined,
): Promise<Answer> {
  const next = requireOwnPage(to, visit.address)
  const caller = await visitorOf(parts, visit)
  if (!caller) return signInFor(visit, confirmAddress(next))
  const again = (refusal: Refusal) => confirmForm(parts, visit, caller, { next, refusal })
  if (password === '') return again(missing('password', t('enter_password')))
  try {
    const result = await proveAgain(parts, caller, password === undefined ? {} : { password }, visit.from)
    if (!result.mfa_required) return { location: next }
    const { mfa_token, mfa_methods } = result
    return {
      location: withQuery('/account/confirm/factor', { to: next }),
      cookies: [visit.set('proof', [mfa_token, ...mfa_methods].join('.'))],
    }
  } catch (error) {
    return again(refusalOf(asWrong(error), 'password'))
  }
}

async function confirmForm(
  { database }: SsoParts,
  visit: Visit,
  caller: Caller,
  { next, refusal }: { next: string; refusal?: Refusal },
): Promise<Answer> {
  const { email } = caller
  const held = await findProof(database, caller)
  const has_password = held?.password_hash !== null
  if (!has_password && !held?.has_factor) return { page: noProofPage(email) }
  const shown = { action: confirmAddress(next), email, has_password }
  return formAnswer(visit, (state) => confirmPage({ ...shown, ...state }), { refusal })
}

/** The question, or the way back if the visitor is signed out or nothing waits for a second factor. */
export async function confirmQuestion(
  parts: SsoParts,
  visit: Visit,
  { to }: ConfirmQuery,
): Promise<Question | Answer> {
  const next = requireOwnPage(to, visit.address)
  const caller = await visitorOf(parts, visit)
  const waiting = waitingOf(visit, 'proof')
  const cookies = [visit.clear('proof')]
  const back = { location: confirmAddress(next), cookies }
  if (!caller || !waiting) return back
  return {
    parts,
    visit,
    asker: caller,
    waiting,
    pageOf: (forms) => confirmFactorPage({ query: withQuery('', { to: next }), ...forms }),
    async prove(proof) {
      try {
        await proveAgain(parts, caller, proof, visit.from)
      } catch (error) {
        throw asWrong(error)
      }
      return { location: next, cookies }
    },
    beginAgain: () => back,
  }
}

/** The API answers 403 for faults that the form lets the visitor correct. */
const asWrong = (error: unknown) =>
  error instanceof ApiError && ['reauthentication_required', 'mfa_code_invalid'].includes(error.code)
    ? new ApiError(422, error.code, error.detail)
    : error
