import { type Html, html, textsOf, timeOf } from '../../core/pages/html.ts'
import { layOut, links } from '../../core/pages/layout.ts'
import { toOverview } from '../account/words.ts'
import type { Factor, FactorType } from '../factors/factors.ts'
import { activation, choices, type ShownEnrolment, smsChoice } from '../hosted/enrol-pages.ts'
import type { FormState } from '../hosted/faults.ts'
import words from './words.json' with { type: 'json' }

export const t = textsOf(words)
const ADD = '/account/security/add'

type SecurityPage = FormState & {
  factors: readonly Factor[]
  recovery_codes_left: number
  has_sms: boolean
  has_password: boolean
  notice?: Html | undefined
}

/** The second factors of a person, how to add one, and the recovery codes. */
export const securityPage = ({
  factors,
  recovery_codes_left,
  has_sms,
  has_password,
  notice,
  form_token,
  faults,
}: SecurityPage) => {
  const active = factors.filter(({ activated_at }) => activated_at !== null)
  const has = (type: FactorType) => active.some((factor) => factor.type === type)
  return layOut({
    title: t('title'),
    faults,
    main: html`${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
      <p class="lead" id="type">${t(leadOf(has_password, active))}</p>
      ${active.map((factor) => entryOf(factor, form_token))}
      ${active.length > 0 && recoveryOf(recovery_codes_left, form_token)}
      <h2>${t(active.length > 0 ? 'add_another' : 'add_one')}</h2>
      ${choices(ADD, form_token, has('email') ? ['totp', 'webauthn'] : ['totp', 'webauthn', 'email'])}
      ${has_sms && !has('sms') && smsChoice(ADD, { form_token, faults })}
      ${links(...(has_password ? [] : [{ href: '/forgot-password', text: t('set_password') }]), toOverview)}`,
  })
}

function leadOf(has_password: boolean, active: readonly Factor[]) {
  if (has_password) return active.length === 0 ? 'none' : 'some'
  return active.some(({ type }) => type === 'webauthn') ? 'alone' : 'provider'
}

const entryOf = ({ factor_id, type, name, created_at, last_used_at }: Factor, form_token: string): Html =>
  html`<article class="site" aria-labelledby="factor-${factor_id}">
    <h2 id="factor-${factor_id}">${name ?? t(type)}</h2>
    <p class="hint">
      ${last_used_at === null ? t('added_unused', { day: dayOf(created_at) }) : t('added_used', { day: dayOf(created_at), used: dayOf(last_used_at) })}
    </p>
    <form method="post" action="/account/security/remove">
      <input type="hidden" name="form_token" value="${form_token}" />
      <input type="hidden" name="factor_id" value="${factor_id}" />
      <button type="submit" class="second" aria-describedby="factor-${factor_id}">${t('remove')}</button>
    </form>
  </article>`

const recoveryOf = (left: number, form_token: string): Html =>
  html`<article class="site" aria-labelledby="recovery">
    <h2 id="recovery">${t('recovery')}</h2>
    <p class="hint">${left === 0 ? t('no_codes') : t('codes_left', { count: left })}</p>
    <form method="post" action="/account/security/recovery-codes">
      <input type="hidden" name="form_token" value="${form_token}" />
      <button type="submit" class="second">${t(left === 0 ? 'make_codes' : 'make_new_codes')}</button>
    </form>
  </article>`

/** The first code, or the first answer of a key, activates the factor. The secret is shown once. */
export const addPage = ({ enrolment, ...state }: FormState & { enrolment: ShownEnrolment }) =>
  layOut({
    title: t(`add_${enrolment.type}`),
    faults: state.faults,
    script: enrolment.public_key && 'passkey.js',
    main: html`${activation('/account/security/activate', enrolment, state)}
    ${links({ href: '/account/security', text: t('other_way') })}`,
  })

const dayOf = (time: string) => timeOf(time, { dateStyle: 'long' })
