import { type Html, html } from '../../core/pages/html.ts'
import { type Fault, field, form } from '../../core/pages/layout.ts'
import type { Method } from '../factors/challenges.ts'
import type { SentMethod } from '../factors/sent-codes.ts'

export type SecondFactorForms = {
  /** The address the forms post to; `/email` and `/sms` below it ask for a code. All of them carry `query`. */
  path: string
  query: string
  form_token: string
  faults?: readonly Fault[] | undefined
  methods: readonly Method[]
  sendable: readonly SentMethod[]
  /** How the code that the form asks for was sent. */
  sent_by?: SentMethod | undefined
  /** The masked address that a code was just sent to. */
  sent_to?: string | undefined
  /** PublicKeyCredentialRequestOptionsJSON, for one of the person's keys. */
  public_key?: object | undefined
}

const CODE_HINTS: Partial<Record<Method, string>> = {
  totp: 'The six digits that your authenticator app shows now.',
  email: 'The six digits of our e-mail, once you have asked for one.',
  sms: 'The six digits of our SMS, once you have asked for one.',
  recovery_code: 'Or one of your recovery codes.',
}

/** One form for each way to prove a second factor. */
export const secondFactorForms = ({
  path,
  query,
  form_token,
  faults,
  methods,
  sendable,
  sent_by,
  sent_to,
  public_key,
}: SecondFactorForms): Html => {
  const action = `${path}${query}`
  const takesCode = methods.some((method) => method !== 'webauthn')
  const hint = methods
    .map((method) => CODE_HINTS[method])
    .filter(Boolean)
    .join(' ')
  const onItsWay = sent_by && html`<input type="hidden" name="method" value="${sent_by}" />`
  return html` ${sent_to !== undefined && html`<p class="lead" role="status">A code is on its way to ${sent_to}.</p>`}
  ${
    public_key !== undefined &&
    html`<form method="post" action="${action}" data-passkey="${JSON.stringify(public_key)}">
      <input type="hidden" name="form_token" value="${form_token}" />
      <input type="hidden" name="credential" value="" />
      <p class="fault" role="alert" data-passkey-fault hidden>
        The security key did not answer. Try again${takesCode && html`, or use a code`}.
      </p>
      <noscript
        ><p class="hint">A passkey needs JavaScript, which is switched off in this browser.</p></noscript
      >
      <button type="submit" id="passkey">Use a passkey or security key</button>
    </form>`
  }
  ${
    takesCode &&
    form(
      action,
      form_token,
      html` ${onItsWay}
        ${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', hint, isCode: true, isFirst: public_key === undefined, faults })}
        <button type="submit">Continue</button>`,
    )
  }
  ${sendable.map(
    (method) =>
      html`<form method="post" action="${path}/${method}${query}">
        <input type="hidden" name="form_token" value="${form_token}" />
        ${onItsWay}
        <button type="submit" class="second">Send a code by ${method === 'sms' ? 'SMS' : 'e-mail'}</button>
      </form>`,
  )}`
}
