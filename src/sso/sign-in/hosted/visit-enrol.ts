import { ApiError } from '#foundation/errors.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import { purposeOf } from '../consent/purpose.ts'
import { activateAndThen, type Enrolment, enrolFactor } from '../factors/enrolment.ts'
import { findEnroller, finishEnrolment } from '../factors/enrolling.ts'
import { sendable } from '../factors/sent-codes.ts'
import { type Answer, withCookie } from '../../core/pages/visit.ts'
import type { Context } from './destination.ts'
import { activatePage, enrolPage, type ShownEnrolment } from './enrol-pages.ts'
import { formOnTheWay, missing, type Refusal, refusalOf } from './faults.ts'
import { type FirstProof, firstProofOf, isOver } from './second-factor-question.ts'
import { answerSignIn } from './sign-in.ts'
import { overdue } from './visit-second-factor.ts'
import { t } from './words.ts'

type Type = Enrolment['type']
type Enroller = Awaited<ReturnType<typeof findEnroller>>

/** Lets a person choose a first factor after the right password at a site that requires one. */
export const getEnrol = (context: Context) =>
  waitingFor(context, async (enroller) => choicePage(context, enroller))

export const postEnrol = (
  context: Context,
  { type, phone = '' }: { type: Type; phone?: string | undefined },
) =>
  waitingFor(context, async (enroller) => {
    try {
      const number = phone.replaceAll(/\s/g, '')
      const chosen = { type, ...(number !== '' && { phone: number }) }
      return codePage(context, await enrolFactor(context.parts, enroller, chosen))
    } catch (error) {
      if (isOver(error)) throw error
      return choicePage(context, enroller, refusalOf(error, 'type'))
    }
  })

/** The first right code activates the factor and completes the sign-in. */
export const postActivate = (context: Context, given: FirstProof) =>
  waitingFor(context, async (enroller) => {
    const { parts, visit, destination } = context
    const { factor_id, type } = given
    const { site } = destination
    const again = (refusal: Refusal) => codePage(context, { factor_id, type }, refusal)
    const proof = firstProofOf(given)
    if ('faults' in proof) return again(proof)
    const { from } = visit
    const purpose = purposeOf(destination)
    try {
      const proven = await activateAndThen(parts, enroller, { factor_id, ...proof, from }, (tx, factor) =>
        finishEnrolment(tx, site, enroller, { type: factor.type, purpose, from }),
      )
      return withCookie(await answerSignIn(context, proven), visit.clear('enrol'))
    } catch (error) {
      if (isOver(error) || !(error instanceof ApiError) || error.status >= 500) throw error
      if (error.status === 422 && type !== 'webauthn') return again(missing('code', t('wrong_code')))
      if (error.status !== 404 && type !== 'webauthn') throw error
      const message = t(error.status === 404 ? 'choose_again' : 'passkey_refused')
      return choicePage(context, enroller, missing('type', message))
    }
  })

/** Runs `work` with the sign-in of this browser that waits for a factor. Without one the visitor starts over. */
async function waitingFor(context: Context, work: (enroller: Enroller) => Promise<Answer>): Promise<Answer> {
  const { parts, visit, destination } = context
  const mfa_token = visit.kept('enrol')
  if (mfa_token === undefined) return { location: `/sign-in${destination.query}` }
  try {
    return await work(await findEnroller(parts, destination.site, sha256(mfa_token)))
  } catch (error) {
    if (!isOver(error)) throw error
    return overdue(context, 'enrol')
  }
}

function choicePage(context: Context, { email_verified: has_mailbox }: Enroller, refusal?: Refusal) {
  const has_sms = sendable(context.parts, context.destination.site).includes('sms')
  return formOnTheWay(context, (shown) => enrolPage({ ...shown, has_mailbox, has_sms }), refusal)
}

const codePage = (context: Context, enrolment: ShownEnrolment, refusal?: Refusal) =>
  formOnTheWay(context, (shown) => activatePage({ ...shown, enrolment }), refusal)
