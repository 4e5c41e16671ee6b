import { ApiError, badRequest } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { backTo, provenVisitor } from '../account/visitor.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { activateFactor, type Enrolment, enrolFactor } from '../factors/enrolment.ts'
import { deleteFactor, type FactorType, listFactors } from '../factors/factors.ts'
import { renewRecoveryCodes } from '../factors/recovery-codes.ts'
import { sendable } from '../factors/sent-codes.ts'
import { formAnswer, missing, type Refusal, refusalOf } from '../hosted/faults.ts'
import { readCredential } from '../hosted/second-factor-question.ts'
import { addPage, recoveryCodesPage, securityPage } from './pages.ts'

const PAGE = '/account/security'
/** More than anybody may have. */
const ALL = { page: 1, per_page: 100 }

/** Runs `work` for a visitor with a fresh proof; anybody else is sent to sign in or to give one. */
async function proven(parts: SsoParts, visit: Visit, work: (caller: Caller) => Promise<Answer>) {
  const found = await provenVisitor(parts, visit, PAGE)
  return 'answer' in found ? found.answer : work(found.caller)
}

export const DONE = {
  added: 'The second step is set up. Your other sessions have ended.',
  removed: 'It is removed. Your other sessions have ended.',
  gone: 'It was removed already.',
} as const

export const getSecurity = (parts: SsoParts, visit: Visit, { done }: { done?: keyof typeof DONE }) =>
  proven(parts, visit, (caller) => show(parts, visit, caller, { notice: done && DONE[done] }))

export const postAdd = (
  parts: SsoParts,
  visit: Visit,
  { type, phone = '' }: { type: FactorType; phone?: string | undefined },
) =>
  proven(parts, visit, async (caller) => {
    const number = phone.replaceAll(/\s/g, '')
    try {
      const enrolment = await enrolFactor(parts, caller, { type, ...(number !== '' && { phone: number }) })
      return showActivation(visit, enrolment)
    } catch (error) {
      return show(parts, visit, caller, { refusal: refusalOf(error, 'type') })
    }
  })

type Given = {
  factor_id: string
  type: FactorType
  code?: string | undefined
  credential?: string | undefined
}

export const postActivate = (
  parts: SsoParts,
  visit: Visit,
  { factor_id, type, code = '', credential = '' }: Given,
) =>
  proven(parts, visit, async (caller) => {
    const again = (refusal: Refusal) => showActivation(visit, { factor_id, type }, refusal)
    const typed = code.replaceAll(/\s/g, '')
    if (type === 'webauthn' && credential === '') throw badRequest('missing_field', 'credential: is required')
    if (type !== 'webauthn' && typed === '') return again(missing('code', 'Enter the code'))
    const proof = type === 'webauthn' ? { credential: readCredential(credential) } : { code: typed }
    try {
      await activateFactor(parts, caller, { factor_id, ...proof, from: visit.from })
      return backTo(visit, PAGE, 'added')
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      if (error.status === 422 && type !== 'webauthn') return again(missing('code', 'The code is wrong'))
      const message =
        error.status === 404
          ? 'This took too long, or too many codes were wrong. Choose once more'
          : type === 'webauthn'
            ? 'This passkey was not accepted'
            : error.detail
      return show(parts, visit, caller, { refusal: missing('type', message) })
    }
  })

export const postRemove = (parts: SsoParts, visit: Visit, factor_id: string) =>
  proven(parts, visit, async (caller) => {
    const isRemoved = await deleteFactor(parts, caller, factor_id, visit.from)
    return backTo(visit, PAGE, isRemoved ? 'removed' : 'gone')
  })

export const postRecoveryCodes = (parts: SsoParts, visit: Visit) =>
  proven(parts, visit, async (caller) => {
    try {
      return { page: recoveryCodesPage(await renewRecoveryCodes(parts, caller, visit.from)) }
    } catch (error) {
      return show(parts, visit, caller, { refusal: refusalOf(error, 'type') })
    }
  })

async function show(
  parts: SsoParts,
  visit: Visit,
  caller: Caller,
  { refusal, notice }: { refusal?: Refusal; notice?: string | undefined } = {},
): Promise<Answer> {
  const { items, recovery_codes_left } = await listFactors(parts.database, caller, ALL)
  const has_sms = sendable(parts, caller).includes('sms')
  return formAnswer(
    visit,
    (state) => securityPage({ ...state, factors: items, recovery_codes_left, has_sms, notice }),
    { refusal },
  )
}

const showActivation = (
  visit: Visit,
  enrolment: Pick<Enrolment, 'factor_id' | 'type'> & Partial<Enrolment>,
  refusal?: Refusal,
) => formAnswer(visit, (state) => addPage({ ...state, enrolment }), { refusal })
