import { type Html, html } from '../../core/pages/html.ts'
import { field, form, layOut, links } from '../../core/pages/layout.ts'
import type { Enrolment } from '../factors/enrolment.ts'
import type { Factor, FactorType } from '../factors/factors.ts'
import { activation } from '../hosted/enrol-pages.ts'
import type { FormState } from '../hosted/faults.ts'

const TITLE = 'Second step at sign-in'
const overview = { href: '/account', text: 'Back to your account' }
const NAMES: Record<FactorType, string> = {
  totp: 'Authenticator app',
  webauthn: 'Passkey or security key',
  email: 'Codes by e-mail',
  sms: 'Codes by SMS',
}

type SecurityPage = FormState & {
  factors: readonly Factor[]
  recovery_codes_left: number
  has_sms: boolean
  notice?: string | undefined
}

/** The second factors of a person, how to add one, and the recovery codes. */
export const securityPage = ({
  factors,
  recovery_codes_left,
  has_sms,
  notice,
  form_token,
  faults,
}: SecurityPage) => {
  const active = factors.filter(({ activated_at }) => activated_at !== null)
  const has = (type: FactorType) => active.some((factor) => factor.type === type)
  return layOut({
    title: TITLE,
    faults,
    main: html`${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
      <p class="lead" id="type">
        ${
          active.length === 0
            ? 'You sign in with your password alone. Add a second step, and nobody else can sign in who only knows the password.'
            : 'After the password you are asked for one of these.'
        }
      </p>
      ${active.map((factor) => entryOf(factor, form_token))}
      ${active.length > 0 && recoveryOf(recovery_codes_left, form_token)}
      <h2>Add ${active.length > 0 ? 'another' : 'one'}</h2>
      ${choice(form_token, 'totp', 'Use an authenticator app')}
      ${choice(form_token, 'webauthn', 'Use a passkey or security key')}
      ${!has('email') && choice(form_token, 'email', 'Get codes by e-mail')}
      ${
        has_sms &&
        !has('sms') &&
        form(
          '/account/security/add',
          form_token,
          html`<input type="hidden" name="type" value="sms" />
            ${field({ name: 'phone', label: 'Phone number', autocomplete: 'tel', hint: 'Such as +4930123456. Empty: the number of your account.', isOptional: true, faults })}
            <button type="submit" class="second">Get codes by SMS</button>`,
        )
      }
      ${links(overview)}`,
  })
}

const choice = (form_token: string, type: FactorType, text: string): Html =>
  html`<form method="post" action="/account/security/add">
    <input type="hidden" name="form_token" value="${form_token}" />
    <input type="hidden" name="type" value="${type}" />
    <button type="submit" class="second">${text}</button>
  </form>`

const entryOf = ({ factor_id, type, name, created_at, last_used_at }: Factor, form_token: string): Html =>
  html`<article class="site" aria-labelledby="factor-${factor_id}">
    <h2 id="factor-${factor_id}">${name ?? NAMES[type]}</h2>
    <p class="hint">
      Added <time datetime="${created_at}">${dayOf(created_at)}</time>,
      ${last_used_at === null ? 'not used yet' : html`last used <time datetime="${last_used_at}">${dayOf(last_used_at)}</time>`}
    </p>
    <form method="post" action="/account/security/remove">
      <input type="hidden" name="form_token" value="${form_token}" />
      <input type="hidden" name="factor_id" value="${factor_id}" />
      <button type="submit" class="second" aria-describedby="factor-${factor_id}">Remove</button>
    </form>
  </article>`

const recoveryOf = (left: number, form_token: string): Html =>
  html`<article class="site" aria-labelledby="recovery">
    <h2 id="recovery">Recovery codes</h2>
    <p class="hint">
      ${
        left === 0
          ? 'You have none. If you lose your device, a recovery code is the way in. Make some and keep them apart from it.'
          : `${left} left. Each works once, in place of the second step. New ones replace them.`
      }
    </p>
    <form method="post" action="/account/security/recovery-codes">
      <input type="hidden" name="form_token" value="${form_token}" />
      <button type="submit" class="second">
        ${left === 0 ? 'Make recovery codes' : 'Make new recovery codes'}
      </button>
    </form>
  </article>`

/** The first code, or the first answer of a key, activates the factor. The secret is shown once. */
export const addPage = ({
  enrolment,
  ...state
}: FormState & { enrolment: Pick<Enrolment, 'factor_id' | 'type'> & Partial<Enrolment> }) =>
  layOut({
    title: `Add: ${NAMES[enrolment.type].toLowerCase()}`,
    faults: state.faults,
    script: enrolment.public_key && 'passkey.js',
    main: html`${activation('/account/security/activate', enrolment, state)}
    ${links({ href: '/account/security', text: 'Choose another way' })}`,
  })

/** Recovery codes are shown once. */
export const recoveryCodesPage = (codes: readonly string[]) =>
  layOut({
    title: 'Your recovery codes',
    main: html`<p class="lead">
        Print them or write them down, and keep them apart from your device. Each works once. We do not show
        them again.
      </p>
      <ul class="codes">
        ${codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ul>
      ${links({ href: '/account/security', text: 'I have kept them' })}`,
  })

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const dayOf = (time: string) => DAY.format(new Date(time))
