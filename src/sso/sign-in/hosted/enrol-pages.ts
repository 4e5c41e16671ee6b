import type { Enrolment } from '../factors/enrolment.ts'
import { type Html, html } from '../../core/pages/html.ts'
import { qrCode } from '../../core/pages/qr-code.ts'
import type { FormState } from './faults.ts'
import { field, form, layOut, links } from '../../core/pages/layout.ts'
import type { Shown } from './sign-in-pages.ts'

const TITLE = 'Set up a second step'

const choice = (action: string, form_token: string, type: Enrolment['type'], text: string): Html =>
  html`<form method="post" action="${action}">
    <input type="hidden" name="form_token" value="${form_token}" />
    <input type="hidden" name="type" value="${type}" />
    <button type="submit" class="second">${text}</button>
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
    title: TITLE,
    faults,
    main: html` <p class="lead" id="type">
        <strong>${site_name}</strong> asks for a second step beside your password. Choose one; from now on you
        are asked for it whenever you sign in.
      </p>
      ${choice(action, form_token, 'totp', 'Use an authenticator app')}
      ${choice(action, form_token, 'webauthn', 'Use a passkey or security key')}
      ${has_mailbox && choice(action, form_token, 'email', 'Get codes by e-mail')}
      ${
        has_sms &&
        form(
          action,
          form_token,
          html`<input type="hidden" name="type" value="sms" />
            ${field({ name: 'phone', label: 'Phone number', autocomplete: 'tel', hint: 'Such as +4930123456. Empty: the number of your account.', isOptional: true, faults })}
            <button type="submit" class="second">Get codes by SMS</button>`,
        )
      }
      ${links({ href: `/sign-in${query}`, text: 'Sign in as somebody else' })}`,
  })
}

const HINTS: Record<Enrolment['type'], string> = {
  totp: 'The six digits that the app shows now.',
  email: 'The six digits of our e-mail.',
  sms: 'The six digits of our SMS.',
  webauthn: '',
}

/** The first code, or the first response of a key, activates the factor. The secret is shown once. */
export function activatePage({
  destination,
  form_token,
  faults,
  enrolment,
}: Shown & { enrolment: Pick<Enrolment, 'factor_id' | 'type'> & Partial<Enrolment> }) {
  const { query } = destination
  return layOut({
    title: TITLE,
    faults,
    script: enrolment.public_key && 'passkey.js',
    main: html`${activation(`/sign-in/mfa/enrol/activate${query}`, enrolment, { form_token, faults })}
    ${links({ href: `/sign-in/mfa/enrol${query}`, text: 'Choose another way' })}`,
  })
}

/** What activates a factor: its secret or where the code went, and the form that posts the first code or key to `action`. */
export function activation(
  action: string,
  enrolment: Pick<Enrolment, 'factor_id' | 'type'> & Partial<Enrolment>,
  { form_token, faults }: FormState,
): Html {
  const { factor_id, type, public_key } = enrolment
  const which = html`<input type="hidden" name="factor_id" value="${factor_id}" />
    <input type="hidden" name="type" value="${type}" />`
  return html`${explanation(enrolment)}
  ${
    type === 'webauthn'
      ? public_key && keyForm(action, form_token, which, public_key)
      : form(
          action,
          form_token,
          html`${which}
            ${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', hint: HINTS[type], isCode: true, isFirst: true, faults })}
            <button type="submit">Continue</button>`,
        )
  }`
}

function explanation({ secret, otpauth_uri = '', sent_to }: Partial<Enrolment>): Html | false {
  if (sent_to !== undefined)
    return html`<p class="lead" role="status">A code is on its way to ${sent_to}.</p>`
  if (secret === undefined) return false
  // In groups of four, which are easier to type.
  const groups = secret.match(/.{1,4}/g)?.join(' ') ?? secret
  return html`<p class="lead">
      Scan this picture with your authenticator app. On this device,
      <a href="${otpauth_uri}">open the app</a>.
    </p>
    ${qrCode(otpauth_uri, 'Picture to scan with your authenticator app')}
    <p class="lead">Or type this key into the app:</p>
    <p class="key"><code>${groups}</code></p>`
}

const keyForm = (action: string, form_token: string, which: Html, public_key: object): Html =>
  html`<form method="post" action="${action}" data-passkey="${JSON.stringify(public_key)}" data-passkey-new>
    <input type="hidden" name="form_token" value="${form_token}" />
    ${which}
    <input type="hidden" name="credential" value="" />
    <p class="fault" role="alert" data-passkey-fault hidden>
      The security key did not answer. Try again, or choose another way.
    </p>
    <noscript
      ><p class="hint">A passkey needs JavaScript, which is switched off in this browser.</p></noscript
    >
    <button type="submit" id="passkey">Register a passkey or security key</button>
  </form>`
