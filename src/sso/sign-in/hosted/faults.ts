import { ApiError } from '#foundation/errors.ts'
import type { Fault } from '../../core/pages/layout.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'

/** A refused form: the faults to show, and the status and headers of the response. */
export type Refusal = { status: number; headers: Record<string, string>; faults: Fault[] }

const LABELS: Record<string, string> = {
  email: 'E-mail address',
  username: 'Username',
  phone: 'Phone number',
  password: 'Password',
  display_name: 'Name',
}

const PLACES: Record<string, string> = { email_taken: 'email', username_taken: 'username' }

/**
 * A refusal that the person can correct, as faults of the page. `first` is the field for faults that name none. Any
 * other error is rethrown and gets a page of its own.
 */
export function refusalOf(error: unknown, first: string): Refusal {
  if (!(error instanceof ApiError) || error.status === 400 || error.status === 403 || error.status >= 500)
    throw error
  const { status, code, detail, errors } = error
  const faults = errors.map(({ field, message }) => ({
    field,
    message: `${LABELS[field] ?? field} ${message}`,
  }))
  // `WWW-Authenticate` asks for a Bearer token, which a page cannot send.
  const { 'WWW-Authenticate': _, ...headers } = error.headers
  return {
    status,
    headers,
    faults: faults.length > 0 ? faults : [{ field: PLACES[code] ?? first, message: detail }],
  }
}

export const missing = (field: string, message: string): Refusal => ({
  status: 422,
  headers: {},
  faults: [{ field, message }],
})

const [LEAST, MOST] = [8, 128]

/** Checks the length that the API's schemas demand (PasswordBody). The password rules check everything else. */
export function passwordRefusal(password: string): Refusal | undefined {
  if (password === '') return missing('password', 'Enter a password')
  const length = Array.from(password).length
  if (length >= LEAST && length <= MOST) return undefined
  return missing('password', `Password must have ${LEAST} to ${MOST} characters`)
}

/** The state that every page with a form needs. */
export type FormState = { form_token: string; faults?: readonly Fault[] | undefined }

/** A page with a form, and the cookie its form token is tied to. `refusal` says why the form is shown again. */
export function formAnswer(
  visit: Visit,
  pageOf: (state: FormState) => string,
  { refusal, returns_to }: { refusal?: Refusal | undefined; returns_to?: string | undefined } = {},
): Answer {
  const { form_token, cookie } = visit.nextForm()
  const page = pageOf({ form_token, faults: refusal?.faults })
  return { ...refusal, page, returns_to, cookies: [cookie] }
}
