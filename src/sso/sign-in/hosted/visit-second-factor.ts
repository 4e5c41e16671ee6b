import { ApiError, badRequest } from '#foundation/errors.ts'
import { prepareSecondFactor } from '../factors/options.ts'
import { sendable, type SentMethod } from '../factors/sent-codes.ts'
import { isSixDigits } from '../factors/totp.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { Cookie } from '../../core/pages/cookies.ts'
import { type Asked, type Destination, findDestination } from './destination.ts'
import { answerSignIn, waitingOf } from './entered.ts'
import { missing, type Refusal, refusalOf } from './faults.ts'
import { secondFactorPage } from './sign-in-pages.ts'
import { signInWithProof } from './sign-in.ts'
import { signInForm } from './visit-sign-in.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'

export async function getSecondFactor(parts: SsoParts, visit: Visit, query: Asked): Promise<Answer> {
  const destination = await findDestination(parts, query, visit.address)
  return secondFactorForm(parts, visit, destination, {})
}

export type Given = {
  code?: string | undefined
  credential?: string | undefined
  /** How the code was sent, of a form that was shown with it on its way. */
  method?: SentMethod | undefined
}

export async function postSecondFactor(
  parts: SsoParts,
  visit: Visit,
  query: Asked,
  { code = '', credential = '', method: sent_by }: Given,
): Promise<Answer> {
  const destination = await findDestination(parts, query, visit.address)
  const waiting = waitingOf(visit)
  if (!waiting) return overdue(visit, destination)
  // Apps and mails show six digits in two groups.
  const typed = code.replaceAll(/\s/g, '')
  if (typed === '' && credential === '')
    return secondFactorForm(parts, visit, destination, {
      refusal: missing('code', 'Enter the code'),
      sent_by,
    })
  const proof = credential === '' ? codeProof(typed, sent_by) : { credential: readCredential(credential) }
  try {
    const result = await signInWithProof(
      parts,
      destination,
      { mfa_token: waiting.mfa_token, ...proof },
      visit.from,
    )
    const { cookies = [], ...answer } = answerSignIn(visit, destination, result)
    return { ...answer, cookies: [...cookies, visit.clear('mfa')] }
  } catch (error) {
    if (isOverdue(error)) return overdue(visit, destination)
    const refusal = credential === '' ? refusalOf(error, 'code') : keyRefusal(error)
    return secondFactorForm(parts, visit, destination, { refusal, sent_by })
  }
}

/** Six digits are those that were sent; a recovery code fits into the same field. */
export const codeProof = (code: string, sent_by: SentMethod | undefined) => ({
  code,
  ...(sent_by && isSixDigits(code) && { method: sent_by }),
})

export function keyRefusal(error: unknown): Refusal {
  const refusal = refusalOf(error, 'passkey')
  const isWrong = error instanceof ApiError && error.code === 'mfa_code_invalid'
  return isWrong
    ? { ...refusal, faults: [{ field: 'passkey', message: 'This passkey was not accepted' }] }
    : refusal
}

/** `sent_by`: how the code was sent that the form asked for before. */
export type Sending = { method: SentMethod; sent_by: SentMethod | undefined }

/** Sends a code and shows the form again. */
export async function postSentCode(
  parts: SsoParts,
  visit: Visit,
  query: Asked,
  { method, sent_by }: Sending,
): Promise<Answer> {
  const destination = await findDestination(parts, query, visit.address)
  const waiting = waitingOf(visit)
  if (!waiting) return overdue(visit, destination)
  const { mfa_token } = waiting
  try {
    const { sent_to } = await prepareSecondFactor(parts, destination.site, { mfa_token, method })
    return await secondFactorForm(parts, visit, destination, { sent_to, sent_by: method })
  } catch (error) {
    if (isOverdue(error)) return overdue(visit, destination)
    return secondFactorForm(parts, visit, destination, { refusal: refusalOf(error, 'code'), sent_by })
  }
}

export type FormState = {
  refusal?: Refusal
  sent_to?: string | undefined
  sent_by?: SentMethod | undefined
}

async function secondFactorForm(
  parts: SsoParts,
  visit: Visit,
  destination: Destination,
  { refusal, ...sent }: FormState,
): Promise<Answer> {
  const waiting = waitingOf(visit)
  if (!waiting) return { location: `/sign-in${destination.query}` }
  const { mfa_token, mfa_methods: methods } = waiting
  let public_key
  try {
    // Each question to a key is a new one: the one before was answered, or was left.
    if (methods.includes('webauthn'))
      ({ public_key } = await prepareSecondFactor(parts, destination.site, { mfa_token, method: 'webauthn' }))
  } catch (error) {
    if (isOverdue(error)) return overdue(visit, destination)
    throw error
  }
  const { form_token, cookie } = visit.nextForm()
  const faults = refusal?.faults
  const offered = sendable(parts, destination.site, methods)
  return {
    ...refusal,
    page: secondFactorPage({
      destination,
      form_token,
      faults,
      methods,
      ...sent,
      public_key,
      sendable: offered,
    }),
    returns_to: destination.return_to,
    cookies: [cookie],
  }
}

const isOverdue = (error: unknown) => error instanceof ApiError && error.code === 'mfa_token_invalid'

/** Back to the beginning: time is up, or too many codes were wrong. */
export function overdue(visit: Visit, destination: Destination, cookie: Cookie = 'mfa'): Answer {
  const message = 'This took too long, or too many codes were wrong. Please sign in again'
  const refusal = { status: 401, headers: {}, faults: [{ field: 'name', message }] }
  const { cookies = [], ...answer } = signInForm(visit, destination, { refusal })
  return { ...answer, cookies: [...cookies, visit.clear(cookie)] }
}

export function readCredential(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Answered below.
  }
  throw badRequest('malformed_body', 'The browser sent something that is not the answer of a security key')
}
