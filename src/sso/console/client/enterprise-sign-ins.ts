import { html, nothing, type TemplateResult } from 'lit-html'
import { get } from '#foundation/web/client/api.ts'
import { ago } from '#foundation/web/client/format.ts'
import { texts } from '#foundation/web/client/page.ts'
import { badge } from '#foundation/web/client/parts.ts'
import { SIGN_IN_TEXTS, type SignInText } from './enterprise-sign-in-texts.ts'
import { signInPathOf } from './first-calls.ts'

/* The last sign-ins of one connection, from the audit log of its site, and why one was refused. */

const t = texts(SIGN_IN_TEXTS)
const RESULTS = {
  'login.succeeded': ['good', 'good'],
  'login.second_factor_asked': ['factor', 'warn'],
  'login.failed': ['failed', 'bad'],
} as const

export type SignInLine = {
  audit_id: string
  occurred_at: string
  action: keyof typeof RESULTS
  ip_address: string | null
  subject_user_id: string | null
  details: { connection_id?: unknown; reason?: unknown; cause?: unknown }
}

/** The newest sign-ins through the connection. Rejects with a Refusal. */
export const lastSignIns = async (site_id: string, connection_id: string): Promise<SignInLine[]> =>
  (await get<{ items: SignInLine[] }>(signInPathOf(site_id, connection_id, 'sign-ins'))).items

/** Parts of what our checks and the libraries say, in lower case, and what to do about it. */
const CAUSES: readonly (readonly [string, SignInText])[] = [
  ['meant for another address', 'reason_wrong_acs'],
  ['not meant for us', 'reason_wrong_acs'],
  ['audience', 'reason_wrong_audience'],
  ['of another issuer', 'reason_wrong_issuer'],
  ['unknown saml issuer', 'reason_wrong_issuer'],
  ['unexpected "iss"', 'reason_wrong_issuer'],
  ['no request of ours', 'reason_not_ours'],
  ['inresponseto', 'reason_not_ours'],
  ['used before', 'reason_not_ours'],
  ['took too long', 'reason_not_ours'],
  ['transient', 'reason_transient'],
  ['sign-in at the provider is too old', 'reason_too_old'],
  ['auth_time', 'reason_too_old'],
  ['signature', 'reason_signature'],
  ['not signed', 'reason_signature'],
  ['expired', 'reason_clock'],
  ['not yet valid', 'reason_clock'],
  ['encrypted', 'reason_encryption'],
  ['decrypt', 'reason_encryption'],
  ['no e-mail address', 'reason_no_email'],
  ['access_denied', 'reason_refused'],
  ['returned responder error', 'reason_refused'],
]
const CODES: Record<string, SignInText> = {
  account_exists: 'reason_account_exists',
  account_suspended: 'reason_account_suspended',
  connection_disabled: 'reason_connection_disabled',
}

/** Why a sign-in was refused: a sentence to act on. */
export function reasonOf({ reason, cause }: SignInLine['details']): SignInText {
  const said = typeof cause === 'string' ? cause.toLowerCase() : ''
  const known = CODES[String(reason)]
  return known ?? CAUSES.find(([part]) => said.includes(part))?.[1] ?? 'reason_other'
}

export const signInSection = (lines: readonly SignInLine[] | undefined): TemplateResult =>
  html`<section>
    <div class="bar"><h2>${t('sign_ins')}</h2></div>
    ${tableOf(lines)}
  </section>`

function tableOf(lines: readonly SignInLine[] | undefined): TemplateResult {
  if (lines?.length === 0) return html`<p class="empty">${t('no_sign_ins')}</p>`
  return html`<div
      class="scroll"
      role="region"
      tabindex="0"
      aria-label=${t('sign_ins')}
      aria-busy=${lines === undefined}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">${t('time')}</th>
            <th scope="col">${t('result')}</th>
            <th scope="col">${t('why')}</th>
            <th scope="col">${t('address')}</th>
          </tr>
        </thead>
        <tbody>
          ${lines?.map(lineOf) ?? skeleton()}
        </tbody>
      </table>
    </div>
    <p class="foot">${t('sign_ins_text')}</p>`
}

const skeleton = () =>
  Array.from(
    { length: 4 },
    () =>
      html`<tr class="skeleton">
        ${Object.keys(RESULTS).map(() => html`<td><i></i></td>`)}
        <td><i></i></td>
      </tr>`,
  )

function lineOf({ occurred_at, action, details, ip_address }: SignInLine): TemplateResult {
  const [text, tone] = RESULTS[action]
  const { cause } = details
  return html`<tr>
    <td>${ago(occurred_at)}</td>
    <td>${badge(t(text), tone)}</td>
    <td>
      ${
        action === 'login.failed'
          ? html`<div class="wrap">
              ${t(reasonOf(details))}
              ${typeof cause === 'string' ? html`<br /><span class="mono quiet-text" lang="en" dir="auto">${cause}</span>` : nothing}
            </div>`
          : nothing
      }
    </td>
    <td>${ip_address ?? '–'}</td>
  </tr>`
}
