import { one } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { formAnswer, missing, passwordRefusal, type Refusal, refusalOf } from '../hosted/faults.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { changePassword } from '../passwords/change.ts'
import { findProof } from '../../people/sessions/fresh-proof.ts'
import { exportUser, type UserExport } from '../../people/users/export.ts'
import { updateUser } from '../../people/users/update.ts'
import {
  accountPage,
  emailAskedPage,
  emailPage,
  type Overview,
  passwordChangedPage,
  passwordPage,
} from './pages.ts'
import { asProvenVisitor, asVisitor, signInFor, visitorOf } from './visitor.ts'
import { t } from './words.ts'

export const getAccount = (parts: SsoParts, visit: Visit) =>
  asVisitor(parts, visit, '/account', async ({ user_id }) => {
    const rows = await parts.database.fast<Overview[]>`
      select u.email, u.email_verified, u.display_name, u.password_hash is not null as has_password,
             exists (select from sso.mfa_factors f
                      where f.user_id = u.user_id and f.activated_at is not null) as has_factor,
             exists (select from sso.mfa_factors f
                      where f.user_id = u.user_id and f.activated_at is not null and f.is_user_verified) as has_passkey,
             (select count(*) from sso.recovery_codes c
               where c.user_id = u.user_id and c.used_at is null)::int as recovery_codes_left,
             (select c.new_email from sso.email_changes c
               where c.user_id = u.user_id and c.done_at is null and c.expires_at > statement_timestamp()) as pending_email
        from sso.users u where u.user_id = ${user_id} and u.status = 'active'`
    return formAnswer(visit, (state) => accountPage({ ...one(rows), ...state }))
  })

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

const EMAIL = '/account/email'

export const getEmail = (parts: SsoParts, visit: Visit) =>
  asProvenVisitor(parts, visit, EMAIL, (caller) => emailForm(visit, caller))

export const postEmail = (parts: SsoParts, visit: Visit, typed: string) =>
  asProvenVisitor(parts, visit, EMAIL, async (caller) => {
    const email = typed.trim()
    if (email === '') return emailForm(visit, caller, missing('email', t('enter_new_email')))
    if (foldEmail(email) === foldEmail(caller.email))
      return emailForm(visit, caller, missing('email', t('same_email')), email)
    try {
      const asked = { patch: { email }, if_match: undefined, site_code: undefined }
      await updateUser(parts, caller, caller.user_id, asked, visit.from)
      return { page: emailAskedPage(email) }
    } catch (error) {
      return emailForm(visit, caller, refusalOf(error, 'email'), email)
    }
  })

const emailForm = (visit: Visit, { email }: Caller, refusal?: Refusal, typed?: string) =>
  formAnswer(visit, (state) => emailPage({ email, typed, ...state }), { refusal })

const PASSWORD = '/account/password'

/** Whoever has no password chooses one by a mailed link. */
export const getPassword = (parts: SsoParts, visit: Visit) =>
  asProvenVisitor(parts, visit, PASSWORD, async (caller) => {
    const held = await findProof(parts.database, caller)
    return held?.password_hash === null ? { location: '/forgot-password' } : passwordForm(visit, caller)
  })

export const postPassword = (
  parts: SsoParts,
  visit: Visit,
  { current_password, password }: { current_password: string; password: string },
) =>
  asProvenVisitor(parts, visit, PASSWORD, async (caller) => {
    const odd =
      current_password === ''
        ? missing('current_password', t('enter_current_password'))
        : passwordRefusal(password)
    if (odd) return passwordForm(visit, caller, odd)
    try {
      await changePassword(parts, caller, { current_password, new_password: password }, visit.from)
      return { page: passwordChangedPage() }
    } catch (error) {
      return passwordForm(visit, caller, changeRefusal(error))
    }
  })

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
  const faults = refusal.faults.map(({ field, message }) => ({
    field: field === 'new_password' ? 'password' : field,
    message,
  }))
  return { ...refusal, faults }
}

const passwordForm = (visit: Visit, { email }: Caller, refusal?: Refusal) =>
  formAnswer(visit, (state) => passwordPage({ email, ...state }), { refusal })
