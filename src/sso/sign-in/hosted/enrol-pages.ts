import type { Enrolment } from '../factors/enrolment.ts'
import { type Html, html } from '../../core/pages/html.ts'
import { qrCode } from '../../core/pages/qr-code.ts'
import type { FormState, Shown } from './faults.ts'
import { field, form, layOut, links } from '../../core/pages/layout.ts'
import { t } from './words.ts'

/** Without its secret or address, an enrolment whose first code was wrong. */
export type ShownEnrolment = Pick<Enrolment, 'factor_id' | 'type'> & Partial<Enrolment>

/** A button for each kind of factor that needs nothing to be typed. */
export const choices = (action: string, form_token: string, types: readonly (keyof typeof CHOICES)[]): Html =>
  html`${types.map((type) => choice(action, form_token, type))}`

const CHOICES = { totp: t('use_app'), webauthn: t('use_passkey'), email: t('get_email_codes') }

const choice = (action: string, form_token: string, type: keyof typeof CHOICES): Html =>
  html`<form method="post" action="${action}">
    <input type="hidden" name="form_token" value="${form_token}" />
    <input type="hidden" name="type" value="${type}" />
    <button type="submit" class="second">${CHOICES[type]}</button>
  </form>`

/**
 * For a person who gave the right password at a site that requires a factor. `has_mailbox`: their address is proven.
 * `has_sms`: an SMS can be sent.
 */
export function enrolPage({
  destination,
  form_token,
  faults,
  has_mailbox,
  has_sms,
}: Shown & { has_mailbox: boolean; has_sms: boolean }) {
  const { query, site_name } = destination
  const action = `/sign-in/mfa/enrol${query}`
  return layOut({
    title: t('enrol_title'),
    faults,
    main: html` <p class="lead" id="type">
        ${t('enrol_lead', { site: html`<strong>${site_name}</strong>` })}
      </p>
      ${choices(action, form_token, has_mailbox ? ['totp', 'webauthn', 'email'] : ['totp', 'webauthn'])}
      ${has_sms && smsChoice(action, { form_token, faults })}
      ${links({ href: `/sign-in${query}`, text: t('somebody_else') })}`,
  })
}

/** Codes by SMS need a number. */
export const smsChoice = (action: string, { form_token, faults }: FormState): Html =>
  form(
    action,
    form_token,
    html`<input type="hidden" name="type" value="sms" />
      ${field({ name: 'phone', label: t('label_phone'), autocomplete: 'tel', hint: t('phone_hint'), isOptional: true, faults })}
      <button type="submit" class="second">${t('get_sms_codes')}</button>`,
  )

/** The first code, or the first response of a key, activates the factor. The secret is shown once. */
export function activatePage({
  destination,
  form_token,
  faults,
  enrolment,
}: Shown & { enrolment: ShownEnrolment }) {
  const { query } = destination
  return layOut({
    title: t('enrol_title'),
    faults,
    script: enrolment.public_key && 'passkey.js',
    main: html`${activation(`/sign-in/mfa/enrol/activate${query}`, enrolment, { form_token, faults })}
    ${links({ href: `/sign-in/mfa/enrol${query}`, text: t('other_way') })}`,
  })
}

/** What activates a factor: its secret or where the code went, and the form that posts the first code or key to `action`. */
export function activation(
  action: string,
  enrolment: ShownEnrolment,
  { form_token, faults }: FormState,
): Html {
  const { factor_id, type, public_key } = enrolment
  const which = html`<input type="hidden" name="factor_id" value="${factor_id}" />
    <input type="hidden" name="type" value="${type}" />`
  return html`${explanation(enrolment)}
  ${
    type === 'webauthn'
      ? public_key && keyForm(action, form_token, which, { public_key })
      : form(
          action,
          form_token,
          html`${which}
            ${field({ name: 'code', label: t('code'), autocomplete: 'one-time-code', hint: t(`first_${type}`), isCode: true, isFirst: true, faults })}
            <button type="submit">${t('continue')}</button>`,
        )
  }`
}

function explanation({ secret, otpauth_uri = '', sent_to }: Partial<Enrolment>): Html | false {
  if (sent_to !== undefined) return html`<p class="lead" role="status">${t('code_sent_to', { sent_to })}</p>`
  if (secret === undefined) return false
  // In groups of four, which are easier to type.
  const groups = secret.match(/.{1,4}/g)?.join(' ') ?? secret
  return html`<p class="lead">
      ${t('scan', { open_app: html`<a href="${otpauth_uri}">${t('open_app')}</a>` })}
    </p>
    ${qrCode(otpauth_uri, t('qr_label'))}
    <p class="lead">${t('or_type')}</p>
    <p class="key"><code>${groups}</code></p>`
}

type NewKey = { public_key: object; button?: Html; fault?: Html }

/** Has the browser make a key, and posts it with the fields of `which`. */
export const keyForm = (
  action: string,
  form_token: string,
  which: Html,
  { public_key, button = t('register_passkey'), fault = t('no_key_answer_or_other') }: NewKey,
): Html =>
  html`<form method="post" action="${action}" data-passkey="${JSON.stringify(public_key)}" data-passkey-new>
    <input type="hidden" name="form_token" value="${form_token}" />
    ${which}
    <input type="hidden" name="credential" value="" />
    <p class="fault" role="alert" data-passkey-fault hidden>${fault}</p>
    <p class="fault" role="alert" data-passkey-name hidden>${t('needs_name')}</p>
    <noscript><p class="hint">${t('needs_script')}</p></noscript>
    <button type="submit" id="passkey">${button}</button>
  </form>`
