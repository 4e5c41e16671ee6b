import { type Html, html } from '../../core/pages/html.ts'
import { type Fault, field, form } from '../../core/pages/layout.ts'
import type { Method } from '../factors/challenges.ts'
import type { SentMethod } from '../factors/sent-codes.ts'
import { t } from './words.ts'

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
  const hint = html`${methods.map((method) => (method === 'webauthn' ? html`` : html`${t(`hint_${method}`)} `))}`
  const onItsWay = sent_by && html`<input type="hidden" name="method" value="${sent_by}" />`
  return html` ${sent_to !== undefined && html`<p class="lead" role="status">${t('code_sent_to', { sent_to })}</p>`}
  ${
    public_key !== undefined &&
    html`<form method="post" action="${action}" data-passkey="${JSON.stringify(public_key)}">
      <input type="hidden" name="form_token" value="${form_token}" />
      <input type="hidden" name="credential" value="" />
      <p class="fault" role="alert" data-passkey-fault hidden>
        ${t(takesCode ? 'no_key_answer_or_code' : 'no_key_answer')}
      </p>
      <noscript><p class="hint">${t('needs_script')}</p></noscript>
      <button type="submit" id="passkey">${t('use_passkey')}</button>
    </form>`
  }
  ${
    takesCode &&
    form(
      action,
      form_token,
      html` ${onItsWay}
        ${field({ name: 'code', label: t('code'), autocomplete: 'one-time-code', hint, isCode: true, isFirst: public_key === undefined, faults })}
        <button type="submit">${t('continue')}</button>`,
    )
  }
  ${sendable.map(
    (method) =>
      html`<form method="post" action="${path}/${method}${query}">
        <input type="hidden" name="form_token" value="${form_token}" />
        ${onItsWay}
        <button type="submit" class="second">${t(`send_${method}`)}</button>
      </form>`,
  )}`
}
