import { ApiError } from '#foundation/errors.ts'
import type { Caller } from '#foundation/session-gate.ts'
import { waitingOf } from '../hosted/entered.ts'
import { missing, type Refusal, refusalOf } from '../hosted/faults.ts'
import {
  codeProof,
  type FormState,
  type Given,
  keyRefusal,
  readCredential,
  type Sending,
} from '../hosted/visit-second-factor.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import { prepareSecondFactor } from '../factors/options.ts'
import { sendable } from '../factors/sent-codes.ts'
import type { SsoParts } from '../../core/parts.ts'
import { findProof } from '../../people/sessions/fresh-proof.ts'
import { confirmFactorPage, confirmPage, noProofPage } from './pages.ts'
import { type ProofBody, proveAgain } from './prove-again.ts'
import { requireOwnPage, signInFor, visitorOf, withQuery } from './visitor.ts'

export type ConfirmQuery = { to?: string | undefined }

/** Asks for what the session has not proven lately; whoever has goes on at once. */
export async function getConfirm(parts: SsoParts, visit: Visit, { to }: ConfirmQuery): Promise<Answer> {
  const next = requireOwnPage(to, visit.address)
  const caller = await visitorOf(parts, visit)
  if (!caller) return signInFor(visit, withQuery('/account/confirm', { to: next }))
  const held = await findProof(parts.database, caller)
  return held?.is_fresh ? { location: next } : confirmForm(parts, visit, caller, next)
}

/** The password, or nothing where there is none: then the second factor alone is asked for. */
export async function postConfirm(
  parts: SsoParts,
  visit: Visit,
  { to }: ConfirmQuery,
  password: string | undefined,
): Promise<Answer> {
  const next = requireOwnPage(to, visit.address)
  const caller = await visitorOf(parts, visit)
  if (!caller) return signInFor(visit, withQuery('/account/confirm', { to: next }))
  if (password === '')
    return confirmForm(parts, visit, caller, next, missing('password', 'Enter your password'))
  try {
    const given = password === undefined ? {} : { password }
    const result = await proveAgain(parts, caller, given, visit.from)
    if (!result.mfa_required) return { location: next }
    const { mfa_token, mfa_methods } = result
    return {
      location: withQuery('/account/confirm/factor', { to: next }),
      cookies: [visit.set('proof', [mfa_token, ...mfa_methods].join('.'))],
    }
  } catch (error) {
    return confirmForm(parts, visit, caller, next, proofRefusal(error, 'password'))
  }
}

async function confirmForm(
  { database }: SsoParts,
  visit: Visit,
  caller: Caller,
  next: string,
  refusal?: Refusal,
): Promise<Answer> {
  const held = await findProof(database, caller)
  const has_password = held?.password_hash !== null
  if (!has_password && !held?.has_factor) return { page: noProofPage(caller.email) }
  const { form_token, cookie } = visit.nextForm()
  const action = withQuery('/account/confirm', { to: next })
  const { email } = caller
  const faults = refusal?.faults
  return {
    ...refusal,
    page: confirmPage({ action, email, has_password, form_token, faults }),
    cookies: [cookie],
  }
}

export async function getConfirmFactor(parts: SsoParts, visit: Visit, { to }: ConfirmQuery): Promise<Answer> {
  return factorForm(parts, visit, requireOwnPage(to, visit.address), {})
}

export async function postConfirmFactor(
  parts: SsoParts,
  visit: Visit,
  { to }: ConfirmQuery,
  { code = '', credential = '', method: sent_by }: Given,
): Promise<Answer> {
  const next = requireOwnPage(to, visit.address)
  const caller = await visitorOf(parts, visit)
  const waiting = waitingOf(visit, 'proof')
  if (!caller || !waiting) return overdue(visit, next)
  // Apps and mails show six digits in two groups.
  const typed = code.replaceAll(/\s/g, '')
  if (typed === '' && credential === '')
    return factorForm(parts, visit, next, { refusal: missing('code', 'Enter the code'), sent_by })
  const given = credential === '' ? codeProof(typed, sent_by) : { credential: readCredential(credential) }
  const proof: ProofBody = { mfa_token: waiting.mfa_token, ...given }
  try {
    await proveAgain(parts, caller, proof, visit.from)
    return { location: next, cookies: [visit.clear('proof')] }
  } catch (error) {
    if (isOverdue(error)) return overdue(visit, next)
    const refusal = credential === '' ? proofRefusal(error, 'code') : keyRefusal(asWrong(error))
    return factorForm(parts, visit, next, { refusal, sent_by })
  }
}

/** Sends a code and shows the form again. */
export async function postConfirmCode(
  parts: SsoParts,
  visit: Visit,
  { to }: ConfirmQuery,
  { method, sent_by }: Sending,
): Promise<Answer> {
  const next = requireOwnPage(to, visit.address)
  const caller = await visitorOf(parts, visit)
  const waiting = waitingOf(visit, 'proof')
  if (!caller || !waiting) return overdue(visit, next)
  const asked = { mfa_token: waiting.mfa_token, method }
  try {
    const { sent_to } = await prepareSecondFactor(parts, caller, asked)
    return await factorForm(parts, visit, next, { sent_to, sent_by: method })
  } catch (error) {
    if (isOverdue(error)) return overdue(visit, next)
    return factorForm(parts, visit, next, { refusal: refusalOf(error, 'code'), sent_by })
  }
}

async function factorForm(
  parts: SsoParts,
  visit: Visit,
  next: string,
  { refusal, ...sent }: FormState,
): Promise<Answer> {
  const caller = await visitorOf(parts, visit)
  const waiting = waitingOf(visit, 'proof')
  if (!caller || !waiting) return overdue(visit, next)
  const { mfa_token, mfa_methods: methods } = waiting
  let public_key
  try {
    // Each question to a key is a new one: the one before was answered, or was left.
    if (methods.includes('webauthn'))
      ({ public_key } = await prepareSecondFactor(parts, caller, { mfa_token, method: 'webauthn' }))
  } catch (error) {
    if (isOverdue(error)) return overdue(visit, next)
    throw error
  }
  const { form_token, cookie } = visit.nextForm()
  const query = withQuery('', { to: next })
  const faults = refusal?.faults
  const offered = sendable(parts, caller, methods)
  return {
    ...refusal,
    page: confirmFactorPage({ query, form_token, faults, methods, ...sent, public_key, sendable: offered }),
    cookies: [cookie],
  }
}

/** Back to the beginning: signed out meanwhile, time is up, or too many codes were wrong. */
const overdue = (visit: Visit, next: string): Answer => ({
  location: withQuery('/account/confirm', { to: next }),
  cookies: [visit.clear('proof')],
})

const isOverdue = (error: unknown) => error instanceof ApiError && error.code === 'mfa_token_invalid'

/** The API says 403 for what a form can be filled in again for. */
const asWrong = (error: unknown) =>
  error instanceof ApiError && ['reauthentication_required', 'mfa_code_invalid'].includes(error.code)
    ? new ApiError(422, error.code, error.detail)
    : error
const proofRefusal = (error: unknown, field: string) => refusalOf(asWrong(error), field)
