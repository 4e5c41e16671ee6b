import { ApiError, badRequest } from '#foundation/errors.ts'
import { sha256 } from '#foundation/secrets.ts'
import { purposeOf } from '../consent/purpose.ts'
import { activateAndThen, type Enrolment, enrolFactor } from '../factors/enrolment.ts'
import { findEnroller, finishEnrolment } from '../factors/enrolling.ts'
import { sendable } from '../factors/sent-codes.ts'
import type { SsoParts } from '../../core/parts.ts'
import { type Asked, type Destination, findDestination } from './destination.ts'
import { activatePage, enrolPage } from './enrol-pages.ts'
import { answerSignIn } from './entered.ts'
import { missing, type Refusal, refusalOf } from './faults.ts'
import { finishSignIn } from './sign-in.ts'
import { overdue, readCredential } from './visit-second-factor.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'

type Type = Enrolment['type']

/** The choice of a first factor, for whoever gave the right password at a site that requires one. */
export async function getEnrol(parts: SsoParts, visit: Visit, query: Asked): Promise<Answer> {
  const destination = await findDestination(parts, query, visit.address)
  return waitingFor(visit, destination, () => choicePage(parts, visit, destination))
}

/** Begins the factor that was chosen. */
export async function postEnrol(
  parts: SsoParts,
  visit: Visit,
  query: Asked,
  { type, phone = '' }: { type: Type; phone?: string | undefined },
): Promise<Answer> {
  const destination = await findDestination(parts, query, visit.address)
  return waitingFor(visit, destination, async (token_hash) => {
    const enroller = await findEnroller(parts, destination.site, token_hash)
    try {
      const number = phone.replaceAll(/\s/g, '')
      const chosen = { type, ...(number !== '' && { phone: number }) }
      return codePage(visit, destination, await enrolFactor(parts, enroller, chosen))
    } catch (error) {
      if (isOver(error)) throw error
      return choicePage(parts, visit, destination, refusalOf(error, 'type'))
    }
  })
}

type Given = {
  factor_id: string
  type: Type
  code?: string | undefined
  credential?: string | undefined
}

/** The first right code makes the factor count and ends the sign-in. */
export async function postActivate(
  parts: SsoParts,
  visit: Visit,
  query: Asked,
  { factor_id, type, code = '', credential = '' }: Given,
): Promise<Answer> {
  const destination = await findDestination(parts, query, visit.address)
  const { site } = destination
  return waitingFor(visit, destination, async (token_hash) => {
    const enroller = await findEnroller(parts, site, token_hash)
    const again = (refusal: Refusal) => codePage(visit, destination, { factor_id, type }, refusal)
    const typed = code.replaceAll(/\s/g, '')
    if (type === 'webauthn' && credential === '') throw badRequest('missing_field', 'credential: is required')
    if (type !== 'webauthn' && typed === '') return again(missing('code', 'Enter the code'))
    const proof = type === 'webauthn' ? { credential: readCredential(credential) } : { code: typed }
    const { from } = visit
    const purpose = purposeOf(destination)
    try {
      const sign_in = await activateAndThen(parts, enroller, { factor_id, ...proof }, from, (tx, factor) =>
        finishEnrolment(tx, site, enroller, { type: factor.type, purpose, from }),
      )
      const { cookies = [], ...answer } = answerSignIn(
        visit,
        destination,
        'consent_token' in sign_in ? sign_in : await finishSignIn(parts, destination, sign_in),
      )
      return { ...answer, cookies: [...cookies, visit.clear('enrol')] }
    } catch (error) {
      if (isOver(error)) throw error
      if (error instanceof ApiError && error.status === 422 && type !== 'webauthn')
        return again(missing('code', 'The code is wrong'))
      const message =
        error instanceof ApiError && error.status === 404
          ? 'This took too long, or too many codes were wrong. Choose once more'
          : type === 'webauthn' && 'This passkey was not accepted'
      if (message === false || !(error instanceof ApiError) || error.status >= 500) throw error
      return choicePage(parts, visit, destination, missing('type', message))
    }
  })
}

/** The browser's sign-in that waits for a factor; whoever has none begins again. */
async function waitingFor(
  visit: Visit,
  destination: Destination,
  work: (token_hash: Buffer) => Promise<Answer>,
): Promise<Answer> {
  const mfa_token = visit.kept('enrol')
  if (mfa_token === undefined) return { location: `/sign-in${destination.query}` }
  try {
    return await work(sha256(mfa_token))
  } catch (error) {
    if (!isOver(error)) throw error
    return overdue(visit, destination, 'enrol')
  }
}

const isOver = (error: unknown) => error instanceof ApiError && error.code === 'mfa_token_invalid'

async function choicePage(
  parts: SsoParts,
  visit: Visit,
  destination: Destination,
  refusal?: Refusal,
): Promise<Answer> {
  const token_hash = sha256(visit.kept('enrol') ?? '')
  const { email_verified } = await findEnroller(parts, destination.site, token_hash)
  const has_sms = sendable(parts, destination.site).includes('sms')
  const { form_token, cookie } = visit.nextForm()
  const faults = refusal?.faults
  return {
    ...refusal,
    page: enrolPage({ destination, form_token, faults, has_mailbox: email_verified, has_sms }),
    returns_to: destination.return_to,
    cookies: [cookie],
  }
}

function codePage(
  visit: Visit,
  destination: Destination,
  enrolment: Pick<Enrolment, 'factor_id' | 'type'> & Partial<Enrolment>,
  refusal?: Refusal,
): Answer {
  const { form_token, cookie } = visit.nextForm()
  return {
    ...refusal,
    page: activatePage({ destination, form_token, faults: refusal?.faults, enrolment }),
    returns_to: destination.return_to,
    cookies: [cookie],
  }
}
