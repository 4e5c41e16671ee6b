import { ApiError, badRequest } from '#foundation/errors.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import { type Asker, METHODS } from '../factors/challenges.ts'
import { prepareSecondFactor } from '../factors/options.ts'
import { sendable, type SentMethod } from '../factors/sent-codes.ts'
import { isSixDigits } from '../factors/totp.ts'
import type { SecondFactorBody } from '../login/mfa.ts'
import { formAnswer, missing, type Refusal, refusalOf } from './faults.ts'
import type { SecondFactorForms } from './second-factor-forms.ts'
import type { SecondFactor } from './sign-in.ts'

/** The page that asks for a second factor, at sign-in or to reauthenticate. */
export type Question = {
  parts: SsoParts
  visit: Visit
  asker: Asker
  waiting: SecondFactor
  pageOf: (forms: Omit<SecondFactorForms, 'path' | 'query'>) => string
  returns_to?: string | undefined
  /** Called with the proof; returns the answer after a right one. */
  prove: (proof: SecondFactorBody) => Promise<Answer>
  /** Starts over: time is up, or too many codes were wrong. */
  beginAgain: () => Answer
}

/** The token of the sign-in, or of the reauthentication, that waits for a second factor in this browser. */
export function waitingOf(visit: Visit, cookie: 'mfa' | 'proof'): SecondFactor | undefined {
  const [mfa_token, ...named] = visit.kept(cookie)?.split('.') ?? []
  const mfa_methods = METHODS.filter((method) => named.includes(method))
  return mfa_token === undefined || mfa_methods.length === 0 ? undefined : { mfa_token, mfa_methods }
}

export type Given = {
  code?: string | undefined
  credential?: string | undefined
  /** How the code was sent, if the form was shown after one was sent. */
  method?: SentMethod | undefined
}

/** Verifies the typed code or the response of a key. */
export async function takeProof(
  question: Question,
  { code = '', credential = '', method: sent_by }: Given,
): Promise<Answer> {
  const { mfa_token } = question.waiting
  // Apps and mails show six digits in two groups.
  const typed = code.replaceAll(/\s/g, '')
  if (typed === '' && credential === '')
    return showForms(question, { refusal: missing('code', 'Enter the code'), sent_by })
  // Six digits are the code that was sent. The same field also takes a recovery code.
  const method = sent_by && isSixDigits(typed) ? { method: sent_by } : {}
  const proof = credential === '' ? { code: typed, ...method } : { credential: readCredential(credential) }
  try {
    return await question.prove({ mfa_token, ...proof })
  } catch (error) {
    if (isOver(error)) return question.beginAgain()
    return showForms(question, {
      refusal: credential === '' ? refusalOf(error, 'code') : keyRefusal(error),
      sent_by,
    })
  }
}

/** Sends a code and shows the forms again. `sent_by` tells how the previous code was sent. */
export async function sendOne(
  question: Question,
  { method, sent_by }: { method: SentMethod; sent_by: SentMethod | undefined },
): Promise<Answer> {
  const { parts, asker, waiting } = question
  try {
    const { sent_to } = await prepareSecondFactor(parts, asker, { mfa_token: waiting.mfa_token, method })
    return await showForms(question, { sent_to, sent_by: method })
  } catch (error) {
    if (isOver(error)) return question.beginAgain()
    return showForms(question, { refusal: refusalOf(error, 'code'), sent_by })
  }
}

type State = { refusal?: Refusal; sent_to?: string | undefined; sent_by?: SentMethod | undefined }

export async function showForms(question: Question, { refusal, ...sent }: State): Promise<Answer> {
  const { parts, visit, asker, waiting, returns_to } = question
  const { mfa_token, mfa_methods: methods } = waiting
  let public_key: object | undefined
  try {
    // Every page asks the key with a new challenge: the previous one was answered or abandoned.
    if (methods.includes('webauthn'))
      ({ public_key } = await prepareSecondFactor(parts, asker, { mfa_token, method: 'webauthn' }))
  } catch (error) {
    if (isOver(error)) return question.beginAgain()
    throw error
  }
  const forms = { methods, ...sent, public_key, sendable: sendable(parts, asker, methods) }
  return formAnswer(visit, (state) => question.pageOf({ ...state, ...forms }), { refusal, returns_to })
}

/** True if the waiting sign-in is spent, too old, or was guessed at too often. */
export const isOver = (error: unknown) => error instanceof ApiError && error.code === 'mfa_token_invalid'

function keyRefusal(error: unknown): Refusal {
  const refusal = refusalOf(error, 'passkey')
  const isWrong = error instanceof ApiError && error.code === 'mfa_code_invalid'
  return isWrong
    ? { ...refusal, faults: [{ field: 'passkey', message: 'This passkey was not accepted' }] }
    : refusal
}

export function readCredential(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // The error below answers.
  }
  throw badRequest('malformed_body', 'The browser sent something that is not the answer of a security key')
}
