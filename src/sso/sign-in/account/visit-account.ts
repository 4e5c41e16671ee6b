import { one } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { formAnswer, missing, passwordRefusal, type Refusal, refusalOf } from '../hosted/faults.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { changePassword } from '../passwords/change.ts'
import { exportUser, type UserExport } from '../../people/users/export.ts'
import type { CountTaken } from '../../core/limits/taken.ts'
import { updateUser } from '../../people/users/update.ts'
import {
  accountPage,
  emailAskedPage,
  emailPage,
  type Overview,
  passwordChangedPage,
  passwordPage,
} from './pages.ts'
import { provenVisitor, signInFor, visitorOf } from './visitor.ts'

export async function getAccount(parts: SsoParts, visit: Visit): Promise<Answer> {
  const caller = await visitorOf(parts, visit)
  if (!caller) return signInFor(visit, '/account')
  const rows = await parts.database.fast<Overview[]>`
    select u.email, u.display_name, u.password_hash is not null as has_password,
           exists (select from sso.mfa_factors f
                    where f.user_id = u.user_id and f.activated_at is not null) as has_factor,
           (select count(*) from sso.recovery_codes c
             where c.user_id = u.user_id and c.used_at is null)::int as recovery_codes_left,
           (select c.new_email from sso.email_changes c
             where c.user_id = u.user_id and c.done_at is null and c.expires_at > statement_timestamp()) as pending_email
      from sso.users u where u.user_id = ${caller.user_id} and u.status = 'active'`
  return formAnswer(visit, (state) => accountPage({ ...one(rows), ...state }))
}

/** Everything stored about the visitor, or the answer that sends them to sign in first. */
export async function exportVisitor(
  parts: SsoParts,
  visit: Visit,
): Promise<{ data: UserExport } | { answer: Answer }> {
  const caller = await visitorOf(parts, visit)
  return caller
    ? { data: await exportUser(parts, caller, caller.user_id) }
    : { answer: signInFor(visit, '/account') }
}

export async function getEmail(parts: SsoParts, visit: Visit): Promise<Answer> {
  const found = await provenVisitor(parts, visit, '/account/email')
  return 'answer' in found ? found.answer : emailForm(visit, found.caller)
}

export async function postEmail(
  parts: SsoParts,
  visit: Visit,
  typed: string,
  countTaken: CountTaken,
): Promise<Answer> {
  const found = await provenVisitor(parts, visit, '/account/email')
  if ('answer' in found) return found.answer
  const { caller } = found
  const email = typed.trim()
  if (email === '') return emailForm(visit, caller, missing('email', 'Enter the new e-mail address'))
  if (foldEmail(email) === foldEmail(caller.email))
    return emailForm(visit, caller, missing('email', 'This is the address of the account already'), email)
  try {
    const asked = { patch: { email }, if_match: undefined, site_code: undefined }
    await countTaken(caller.user_id, () => updateUser(parts, caller, caller.user_id, asked, visit.from))
    return { page: emailAskedPage(email) }
  } catch (error) {
    return emailForm(visit, caller, refusalOf(error, 'email'), email)
  }
}

const emailForm = (visit: Visit, { email }: Caller, refusal?: Refusal, typed?: string) =>
  formAnswer(visit, (state) => emailPage({ email, typed, ...state }), { refusal })

export async function getPassword(parts: SsoParts, visit: Visit): Promise<Answer> {
  const found = await provenVisitor(parts, visit, '/account/password')
  return 'answer' in found ? found.answer : passwordForm(visit, found.caller)
}

export async function postPassword(
  parts: SsoParts,
  visit: Visit,
  { current_password, password }: { current_password: string; password: string },
): Promise<Answer> {
  const found = await provenVisitor(parts, visit, '/account/password')
  if ('answer' in found) return found.answer
  const { caller } = found
  const odd =
    current_password === ''
      ? missing('current_password', 'Enter your current password')
      : passwordRefusal(password)
  if (odd) return passwordForm(visit, caller, odd)
  try {
    await changePassword(parts, caller, { current_password, new_password: password }, visit.from)
    return { page: passwordChangedPage() }
  } catch (error) {
    return passwordForm(visit, caller, changeRefusal(error))
  }
}

/**
 * The API answers 403 for a wrong password; this form can be filled in again. Its field `password` is `new_password` in
 * the API.
 */
function changeRefusal(error: unknown): Refusal {
  const isWrong = error instanceof ApiError && error.code === 'current_password_wrong'
  const refusal = refusalOf(
    isWrong ? new ApiError(422, error.code, error.detail) : error,
    isWrong ? 'current_password' : 'password',
  )
  const faults = refusal.faults.map(({ field, message }) =>
    field === 'new_password'
      ? { field: 'password', message: message.replace('new_password', 'Password') }
      : { field, message },
  )
  return { ...refusal, faults }
}

const passwordForm = (visit: Visit, { email }: Caller, refusal?: Refusal) =>
  formAnswer(visit, (state) => passwordPage({ email, ...state }), { refusal })
