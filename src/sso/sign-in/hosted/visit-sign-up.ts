import { ApiError } from '#foundation/errors.ts'
import type { SsoParts } from '../../core/parts.ts'
import { resetPassword } from '../passwords/reset.ts'
import { signUp } from '../login/sign-up.ts'
import { type Asked, type Destination, findDestination } from './destination.ts'
import { answerSignIn } from './entered.ts'
import { missing, passwordRefusal, type Refusal, refusalOf } from './faults.ts'
import { firstPasswordPage, mailboxPage } from './mail-pages.ts'
import { signUpPage } from './sign-in-pages.ts'
import { signInWithPassword } from './sign-in.ts'
import { tokenIn } from './visit-mail.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'

export async function getSignUp(parts: SsoParts, visit: Visit, query: Asked): Promise<Answer> {
  return signUpForm(visit, await findDestination(parts, query, visit.address), {})
}

type SignUp = { email: string; display_name: string }

/** The same page for everybody: whether there is an account already is told to the mailbox alone. */
export async function postSignUp(
  parts: SsoParts,
  visit: Visit,
  query: Asked,
  { email: typed, display_name }: SignUp,
): Promise<Answer> {
  const destination = await findDestination(parts, query, visit.address)
  const email = typed.trim()
  const filled = { email, display_name }
  const refuse = (refusal: Refusal) => signUpForm(visit, destination, { ...filled, refusal })
  if (email === '') return refuse(missing('email', 'Enter your e-mail address'))
  if (Array.from(display_name.trim()).length > 200)
    return refuse(missing('display_name', 'Name must have at most 200 characters'))
  try {
    const profile = display_name.trim() === '' ? {} : { display_name: display_name.trim() }
    await signUp(parts, destination.site, { email, ...profile, query: destination.query }, visit.from)
  } catch (error) {
    return refuse(refusalOf(error, 'email'))
  }
  const isMailSent = parts.config.SMTP_URL !== undefined || destination.site.environment === 'sandbox'
  return { page: mailboxPage({ email, isMailSent, query: destination.query }) }
}

export async function getFirstPassword(parts: SsoParts, visit: Visit, query: Asked): Promise<Answer> {
  return firstPasswordForm(visit, await whereTo(parts, visit, query), {})
}

/** Whoever holds the link chooses the password, is signed in and goes on to where the visit began. */
export async function postFirstPassword(
  parts: SsoParts,
  visit: Visit,
  query: Asked,
  { token: given, password }: { token: string; password: string },
): Promise<Answer> {
  const destination = await whereTo(parts, visit, query)
  const token = tokenIn(given)
  const refuse = (refusal: Refusal) => firstPasswordForm(visit, destination, { token, refusal })
  if (token === '') return refuse(missing('token', 'Paste the link from the e-mail'))
  const odd = passwordRefusal(password)
  if (odd) return refuse(odd)
  try {
    const name = await resetPassword(parts, { token, password, site: undefined }, visit.from)
    return answerSignIn(
      visit,
      destination,
      await signInWithPassword(parts, destination, { name, password }, visit.from),
    )
  } catch (error) {
    return refuse(refusalOf(error, 'token'))
  }
}

/** The link is a day old perhaps: where it leads nowhere any more, it leads to our own pages. */
async function whereTo(parts: SsoParts, visit: Visit, query: Asked): Promise<Destination> {
  try {
    return await findDestination(parts, query, visit.address)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    return findDestination(parts, {}, visit.address)
  }
}

function firstPasswordForm(
  visit: Visit,
  destination: Destination,
  { token, refusal }: { token?: string; refusal?: Refusal },
): Answer {
  const { form_token, cookie } = visit.nextForm()
  return {
    ...refusal,
    page: firstPasswordPage({ destination, form_token, token, faults: refusal?.faults }),
    returns_to: destination.return_to,
    cookies: [cookie],
  }
}

function signUpForm(
  visit: Visit,
  destination: Destination,
  { refusal, ...filled }: { email?: string; display_name?: string; refusal?: Refusal },
): Answer {
  const { form_token, cookie } = visit.nextForm()
  return {
    ...refusal,
    page: signUpPage({ destination, form_token, ...filled, faults: refusal?.faults }),
    returns_to: destination.return_to,
    cookies: [cookie],
  }
}
