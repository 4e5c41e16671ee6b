import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { ApiError, badRequest } from '#foundation/errors.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { Html } from '../../core/pages/html.ts'
import { Line, type pagesOf } from '../../core/pages/requests.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import { type Asker, METHODS } from '../factors/challenges.ts'
import type { FactorType } from '../factors/factors.ts'
import { prepareSecondFactor } from '../factors/options.ts'
import { sendable, SENT_METHODS, type SentMethod } from '../factors/sent-codes.ts'
import { bareCode, isSixDigits } from '../factors/totp.ts'
import type { SecondFactorBody } from '../login/mfa.ts'
import { formAnswer, missing, type Refusal, refusalOf } from './faults.ts'
import { t } from './words.ts'
import type { SecondFactorForms } from './second-factor-forms.ts'
import type { SecondFactor } from './sign-in.ts'

/** The page that asks for a second factor, at sign-in or to reauthenticate. */
export type Question = {
  parts: SsoParts
  visit: Visit
  asker: Asker
  waiting: SecondFactor
  pageOf: (forms: Omit<SecondFactorForms, 'path' | 'query'>) => Html
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

/** How the code that is on its way was sent, if the form was shown after one was sent. */
const SendFields = { method: Type.Optional(OneOf([...SENT_METHODS])) }
export const FirstProofFields = {
  code: Type.Optional(Line),
  credential: Type.Optional(Type.String({ maxLength: 20_000 })),
}
/** The first code, or the first answer of a key, which activates a factor. */
export type FirstProof = Static<TObject<typeof FirstProofFields>> & { factor_id: string; type: FactorType }
const ProofFields = { ...FirstProofFields, ...SendFields }

/**
 * Registers the page at `path`, its form, and the buttons that send a code. `questionOf` finds what waits for the
 * second factor, or answers where the visitor goes instead.
 */
export function questionRoutes<Q extends TSchema>(
  { get, post }: ReturnType<typeof pagesOf>,
  path: string,
  querystring: Q,
  questionOf: (visit: Visit, query: Static<Q>, isPost: boolean) => Promise<Question | Answer>,
) {
  type Work = (question: Question) => Promise<Answer>
  const ask = async (found: Promise<Question | Answer>, work: Work) => {
    const question = await found
    return 'pageOf' in question ? work(question) : question
  }
  get(path, querystring, (visit, query) =>
    ask(questionOf(visit, query, false), (question) => showForms(question, {})),
  )
  post(path, { querystring, fields: ProofFields }, (visit, query, given) =>
    ask(questionOf(visit, query, true), (question) => takeProof(question, given)),
  )
  for (const method of SENT_METHODS)
    post(`${path}/${method}`, { querystring, fields: SendFields }, (visit, query, form) =>
      ask(questionOf(visit, query, true), (question) => sendOne(question, { method, sent_by: form.method })),
    )
}

/** Verifies the typed code or the response of a key. */
async function takeProof(
  question: Question,
  { code = '', credential = '', method: sent_by }: Static<TObject<typeof ProofFields>>,
): Promise<Answer> {
  const { mfa_token } = question.waiting
  const typed = bareCode(code)
  if (typed === '' && credential === '')
    return showForms(question, { refusal: missing('code', t('enter_code')), sent_by })
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
async function sendOne(
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

async function showForms(question: Question, { refusal, ...sent }: State): Promise<Answer> {
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
  return isWrong ? { ...refusal, faults: [{ field: 'passkey', message: t('passkey_refused') }] } : refusal
}

/** The proof that was given to activate a factor, or the refusal of a form without a code. */
export function firstProofOf({ type, code = '', credential = '' }: FirstProof) {
  const typed = code.replaceAll(/\s/g, '')
  if (type === 'webauthn' && credential === '') throw badRequest('missing_field', 'credential: is required')
  if (type !== 'webauthn' && typed === '') return missing('code', t('enter_code'))
  return type === 'webauthn' ? { credential: readCredential(credential) } : { code: typed }
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
