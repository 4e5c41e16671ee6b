import { ApiError } from '#foundation/errors.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import { resetPassword } from '../passwords/reset.ts'
import { signUp } from '../login/register.ts'
import { type Asked, type Context, contextOf } from './destination.ts'
import { formOnTheWay, missing, passwordRefusal, type Refusal, refusalOf } from './faults.ts'
import { firstPasswordPage, mailboxPage } from './mail-pages.ts'
import { signUpPage } from './sign-in-pages.ts'
import { tokenIn } from './visit-mail.ts'
import { signInWithPassword } from './visit-sign-in.ts'
import { t } from './words.ts'

type SignUp = { email?: string; display_name?: string }

export const getSignUp = (context: Context) => signUpForm(context, {})

/** The same page for everybody. Only the mailbox learns whether there is an account already. */
export async function postSignUp(context: Context, typed: Required<SignUp>): Promise<Answer> {
  const { parts, visit, destination } = context
  const { site, query } = destination
  const [email, display_name] = [typed.email.trim(), typed.display_name.trim()]
  const refuse = (refusal: Refusal) =>
    signUpForm(context, { email, display_name: typed.display_name }, refusal)
  if (email === '') return refuse(missing('email', t('enter_email')))
  if (Array.from(display_name).length > 200) return refuse(missing('display_name', t('name_length')))
  try {
    // Mails are in the language of the profile, and English is what a profile without one gets.
    const profile = {
      ...(display_name !== '' && { display_name }),
      ...(visit.language !== 'en' && { locale: visit.language }),
    }
    await signUp(parts, site, { email, ...profile, query }, visit.from)
  } catch (error) {
    return refuse(refusalOf(error, 'email'))
  }
  const isMailSent = parts.config.SMTP_URL !== undefined || site.environment === 'sandbox'
  return { page: mailboxPage(email, isMailSent, query) }
}

const signUpForm = (context: Context, filled: SignUp, refusal?: Refusal) =>
  formOnTheWay(context, (shown) => signUpPage({ ...filled, ...shown }), refusal)

export const getFirstPassword = (context: Context) => firstPasswordForm(context)

/** The holder of the link chooses the password, is signed in, and returns to where the visit began. */
export async function postFirstPassword(
  context: Context,
  { token: given, password }: { token: string; password: string },
): Promise<Answer> {
  const { parts, visit } = context
  const token = tokenIn(given)
  const refuse = (refusal: Refusal) => firstPasswordForm(context, token, refusal)
  if (token === '') return refuse(missing('token', t('paste_link')))
  const odd = passwordRefusal(password)
  if (odd) return refuse(odd)
  try {
    const name = await resetPassword(parts, { token, password, site: undefined }, visit.from)
    return await signInWithPassword(context, { name, password })
  } catch (error) {
    return refuse(refusalOf(error, 'token'))
  }
}

const firstPasswordForm = (context: Context, token?: string, refusal?: Refusal) =>
  formOnTheWay(context, (shown) => firstPasswordPage({ token, ...shown }), refusal)

/** The link may be a day old. If its destination is no longer valid, it leads to our own pages. */
export async function contextOfLink(parts: SsoParts, visit: Visit, query: Asked): Promise<Context> {
  try {
    return await contextOf(parts, visit, query)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    return contextOf(parts, visit, {})
  }
}
