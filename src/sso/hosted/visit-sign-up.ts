import type { SsoParts } from '../parts.ts'
import { registerOnPage } from '../sign-in/register.ts'
import { type Asked, type Destination, findDestination } from './destination.ts'
import { entered } from './entered.ts'
import { missing, passwordRefusal, type Refusal, refusalOf } from './faults.ts'
import { signUpPage } from './sign-in-pages.ts'
import { enter } from './sign-in.ts'
import type { Answer, Visit } from './visit.ts'

export async function getSignUp(parts: SsoParts, visit: Visit, query: Asked): Promise<Answer> {
  return signUpForm(visit, await findDestination(parts, query, visit.address), {})
}

type SignUp = { email: string; password: string; display_name: string }

/** A new account, which is signed in at once: its password was just typed. */
export async function postSignUp(
  parts: SsoParts,
  visit: Visit,
  query: Asked,
  { email: typed, password, display_name }: SignUp,
): Promise<Answer> {
  const destination = await findDestination(parts, query, visit.address)
  const email = typed.trim()
  const filled = { email, display_name }
  const refuse = (refusal: Refusal) => signUpForm(visit, destination, { ...filled, refusal })
  if (email === '') return refuse(missing('email', 'Enter your e-mail address'))
  const odd = passwordRefusal(password)
  if (odd) return refuse(odd)
  const { from } = visit
  try {
    const profile = display_name.trim() === '' ? {} : { display_name: display_name.trim() }
    await registerOnPage(parts, destination.site, { email, password, ...profile }, from)
    return entered(visit, destination, await enter(parts, destination, { name: email, password }, from))
  } catch (error) {
    return refuse(refusalOf(error, 'email'))
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
