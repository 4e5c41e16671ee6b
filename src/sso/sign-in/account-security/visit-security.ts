import { ApiError } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { asProvenVisitor, backTo } from '../account/visitor.ts'
import type { Html } from '../../core/pages/html.ts'
import { refusalText } from '../../core/pages/refusal-text.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { activateFactor, enrolFactor } from '../factors/enrolment.ts'
import { deleteFactor, type FactorType, listFactors } from '../factors/factors.ts'
import { renewRecoveryCodes } from '../factors/recovery-codes.ts'
import { sendable } from '../factors/sent-codes.ts'
import type { ShownEnrolment } from '../hosted/enrol-pages.ts'
import { formAnswer, missing, type Refusal, refusalOf } from '../hosted/faults.ts'
import { type FirstProof, firstProofOf } from '../hosted/second-factor-question.ts'
import { recoveryCodesPage } from '../hosted/new-passkey-pages.ts'
import { findProof } from '../../people/sessions/fresh-proof.ts'
import { addPage, securityPage, t } from './pages.ts'

const PAGE = '/account/security'
/** More than anybody may have. */
const ALL = { page: 1, per_page: 100 }

const proven = (parts: SsoParts, visit: Visit, work: (caller: Caller) => Promise<Answer>) =>
  asProvenVisitor(parts, visit, PAGE, work)

export const DONE = ['added', 'removed', 'gone'] as const

export const getSecurity = (parts: SsoParts, visit: Visit, { done }: { done?: (typeof DONE)[number] }) =>
  proven(parts, visit, (caller) => show(parts, visit, caller, { notice: done && t(`done_${done}`) }))

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

export const postActivate = (parts: SsoParts, visit: Visit, given: FirstProof) =>
  proven(parts, visit, async (caller) => {
    const { factor_id, type } = given
    const again = (refusal: Refusal) => showActivation(visit, { factor_id, type }, refusal)
    const proof = firstProofOf(given)
    if ('faults' in proof) return again(proof)
    try {
      await activateFactor(parts, caller, { factor_id, ...proof, from: visit.from })
      return backTo(visit, PAGE, 'added')
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      if (error.status === 422 && type !== 'webauthn') return again(missing('code', t('wrong_code')))
      const message =
        error.status === 404
          ? t('choose_again')
          : type === 'webauthn'
            ? t('passkey_refused')
            : refusalText(error)
      return show(parts, visit, caller, { refusal: missing('type', message) })
    }
  })

export const postRemove = (parts: SsoParts, visit: Visit, factor_id: string) =>
  proven(parts, visit, async (caller) => {
    try {
      const isRemoved = await deleteFactor(parts, caller, factor_id, visit.from)
      return backTo(visit, PAGE, isRemoved ? 'removed' : 'gone')
    } catch (error) {
      return show(parts, visit, caller, { refusal: refusalOf(error, 'type') })
    }
  })

export const postRecoveryCodes = (parts: SsoParts, visit: Visit) =>
  proven(parts, visit, async (caller) => {
    try {
      return { page: recoveryCodesPage(await renewRecoveryCodes(parts, caller, visit.from), PAGE) }
    } catch (error) {
      return show(parts, visit, caller, { refusal: refusalOf(error, 'type') })
    }
  })

async function show(
  parts: SsoParts,
  visit: Visit,
  caller: Caller,
  { refusal, notice }: { refusal?: Refusal; notice?: Html | undefined } = {},
): Promise<Answer> {
  const [{ items, recovery_codes_left }, held] = await Promise.all([
    listFactors(parts.database, caller, ALL),
    findProof(parts.database, caller),
  ])
  const has_password = (held?.password_hash ?? null) !== null
  const has_sms = sendable(parts, caller).includes('sms')
  return formAnswer(
    visit,
    (state) => securityPage({ ...state, factors: items, recovery_codes_left, has_sms, has_password, notice }),
    { refusal },
  )
}

const showActivation = (visit: Visit, enrolment: ShownEnrolment, refusal?: Refusal) =>
  formAnswer(visit, (state) => addPage({ ...state, enrolment }), { refusal })
