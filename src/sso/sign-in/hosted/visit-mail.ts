import type { SsoParts } from '../../core/parts.ts'
import { forgotPassword } from '../passwords/forgot.ts'
import { resetPassword } from '../passwords/reset.ts'
import { verifyEmail } from '../passwords/verify-email.ts'
import { type Asked, type Destination, findDestination } from './destination.ts'
import { missing, passwordRefusal, type Refusal, refusalOf } from './faults.ts'
import { forgotPage, passwordSavedPage, resetPage, sentPage, verifiedPage, verifyPage } from './mail-pages.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'

export async function getForgot(parts: SsoParts, visit: Visit, query: Asked): Promise<Answer> {
  return forgotForm(visit, await findDestination(parts, query, visit.address), {})
}

export async function postForgot(
  parts: SsoParts,
  visit: Visit,
  query: Asked,
  { email: typed }: { email: string },
): Promise<Answer> {
  const destination = await findDestination(parts, query, visit.address)
  const email = typed.trim()
  if (email === '')
    return forgotForm(visit, destination, { refusal: missing('email', 'Enter your e-mail address') })
  await forgotPassword(parts, destination.site, email, visit.from)
  return { page: sentPage(destination.query) }
}

export const getReset = (visit: Visit): Answer => resetForm(visit, {})

export async function postReset(
  parts: SsoParts,
  visit: Visit,
  { token: given, password }: { token: string; password: string },
): Promise<Answer> {
  const token = tokenIn(given)
  if (token === '') return resetForm(visit, { refusal: missing('token', 'Paste the link from the e-mail') })
  const odd = passwordRefusal(password)
  if (odd) return resetForm(visit, { token, refusal: odd })
  try {
    await resetPassword(parts, { token, password, site: undefined }, visit.from)
    return { page: passwordSavedPage() }
  } catch (error) {
    return resetForm(visit, { token, refusal: refusalOf(error, 'token') })
  }
}

export const getVerify = (visit: Visit): Answer => verifyForm(visit, {})

export async function postVerify(
  parts: SsoParts,
  visit: Visit,
  { token: given }: { token: string },
): Promise<Answer> {
  const token = tokenIn(given)
  if (token === '') return verifyForm(visit, { refusal: missing('token', 'Paste the link from the e-mail') })
  try {
    const { email } = await verifyEmail(parts, { token }, visit.from)
    return { page: verifiedPage(email) }
  } catch (error) {
    return verifyForm(visit, { token, refusal: refusalOf(error, 'token') })
  }
}

/** The token alone, or out of the whole link. */
export const tokenIn = (text: string) => /(?:^|token=)([\w-]+)\s*$/.exec(text.trim())?.[1] ?? text.trim()

function forgotForm(visit: Visit, destination: Destination, { refusal }: { refusal?: Refusal }): Answer {
  const { form_token, cookie } = visit.nextForm()
  return {
    ...refusal,
    page: forgotPage({ destination, form_token, faults: refusal?.faults }),
    cookies: [cookie],
  }
}

type Filled = { token?: string; refusal?: Refusal }

function resetForm(visit: Visit, { token, refusal }: Filled): Answer {
  const { form_token, cookie } = visit.nextForm()
  return { ...refusal, page: resetPage({ form_token, token, faults: refusal?.faults }), cookies: [cookie] }
}

function verifyForm(visit: Visit, { token, refusal }: Filled): Answer {
  const { form_token, cookie } = visit.nextForm()
  return { ...refusal, page: verifyPage({ form_token, token, faults: refusal?.faults }), cookies: [cookie] }
}
