import { ApiError } from '#foundation/errors.ts'
import { type Html, html, textOf } from '../../core/pages/html.ts'
import type { Fault } from '../../core/pages/layout.ts'
import { refusalText, ruleText } from '../../core/pages/refusal-text.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import type { Context, Destination } from './destination.ts'
import { t } from './words.ts'

/** A refused form: the faults to show, and the status and headers of the response. */
export type Refusal = { status: number; headers: Record<string, string>; faults: Fault[] }

const LABELS: Partial<Record<string, Html>> = {
  email: t('label_email'),
  username: t('label_username'),
  phone: t('label_phone'),
  password: t('label_password'),
  new_password: t('label_password'),
  display_name: t('label_display_name'),
  locale: t('label_locale'),
  time_zone: t('label_time_zone'),
  avatar_url: t('label_avatar_url'),
}

const PLACES: Record<string, string> = { email_taken: 'email', username_taken: 'username' }

/**
 * A refusal that the person can correct, as faults of the page. `first` is the field for faults that name none. Any
 * other error is rethrown and gets a page of its own.
 */
export function refusalOf(error: unknown, first: string): Refusal {
  if (!(error instanceof ApiError) || error.status === 400 || error.status === 403 || error.status >= 500)
    throw error
  const { status, code, errors } = error
  const faults = errors.map(({ field, code: rule, message }) => {
    const label = LABELS[field] ?? html`${field}`
    return { field, message: ruleText(rule, `${textOf(label)} ${message}`, { field: label }) }
  })
  // `WWW-Authenticate` asks for a Bearer token, which a page cannot send.
  const { 'WWW-Authenticate': _, ...headers } = error.headers
  return {
    status,
    headers,
    faults: faults.length > 0 ? faults : [{ field: PLACES[code] ?? first, message: refusalText(error) }],
  }
}

export const missing = (field: string, message: Html): Refusal => ({
  status: 422,
  headers: {},
  faults: [{ field, message }],
})

const [LEAST, MOST] = [8, 128]

/** Checks the length that the API's schemas demand (PasswordBody). The password rules check everything else. */
export function passwordRefusal(password: string): Refusal | undefined {
  if (password === '') return missing('password', t('enter_a_password'))
  const length = Array.from(password).length
  if (length >= LEAST && length <= MOST) return undefined
  return missing('password', t('password_length'))
}

/** The state that every page with a form needs. */
export type FormState = { form_token: string; faults?: readonly Fault[] | undefined }

/** A form as it was just issued to this browser, with a challenge for a passkey. */
export type Issued = FormState & { challenge: () => string }

type Way = { refusal?: Refusal | undefined; returns_to?: string | undefined; fetches?: boolean | undefined }

/** A page with a form, and the cookie its form token is tied to. `refusal` says why the form is shown again. */
export function formAnswer(
  visit: Visit,
  pageOf: (state: Issued) => Html,
  { refusal, ...way }: Way = {},
): Answer {
  const { cookie, ...issued } = visit.nextForm()
  const page = pageOf({ ...issued, faults: refusal?.faults })
  return { ...refusal, ...way, page, cookies: [cookie] }
}

/** The state of a page with a form on the way to a site. */
export type Shown = FormState & { destination: Destination }

/** As formAnswer, for a page from which the visitor goes on to a site. */
export const formOnTheWay = (
  { visit, destination }: Context,
  pageOf: (shown: Shown & Issued) => Html,
  refusal?: Refusal,
  fetches?: boolean,
): Answer =>
  formAnswer(visit, (state) => pageOf({ destination, ...state }), {
    refusal,
    returns_to: destination.return_to,
    fetches,
  })
