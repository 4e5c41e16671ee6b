import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf, send } from '#foundation/web/client/api.ts'
import { saveEdit } from '#foundation/web/client/conflict.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { number } from '#foundation/web/client/format.ts'
import { texts } from '#foundation/web/client/page.ts'
import { badge, copyButton, facts } from '#foundation/web/client/parts.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { FullSite } from './api-types.ts'
import { proofOf, sitePath } from './first-calls.ts'
import { addressesOf, addressField, linesIn, type Scene, textIn } from './site-parts.ts'
import { SITE_TEXTS, type SiteText } from './site-texts.ts'

/* The domain of a site with its proof, and its settings. */

const t = texts(SITE_TEXTS)
const MFA = ['none', 'admins', 'all'] as const
const SIGNING = ['HS256', 'RS256', 'dual'] as const
const REUSE = ['tolerant', 'strict'] as const

const daysIn = (form: FormData, name: string) => (textIn(form, name) ? Number(textIn(form, name)) : null)

export function domainSection(scene: Scene): TemplateResult {
  const { domain, verified, txt_name, txt_value, file_url, file_content } = scene.proof
  const copied = (text: string) => html`<span class="mono">${text}</span> ${copyButton(text)}`
  const button = (method: 'dns' | 'file') =>
    html`<button type="button" class="second small" @click=${() => check(scene, method)}>
      ${t(`check_${method}`)}
    </button>`
  return html`<section>
    <div class="bar">
      <h2>${t('domain')}</h2>
      ${badge(t(verified ? 'verified' : 'unverified'), verified ? 'good' : 'warn')}
    </div>
    <p dir="auto">${domain}</p>
    ${
      verified
        ? nothing
        : html`<p class="quiet-text">${t('proof_text')}</p>
            ${facts([
              [t('txt_name'), copied(txt_name)],
              [t('txt_value'), copied(txt_value)],
              ...(file_content === txt_value ? [] : [[t('file_content'), copied(file_content)] as const]),
              [t('file_url'), copied(file_url)],
            ])}
            <div class="actions">${button('dns')} ${button('file')}</div>`
    }
  </section>`
}

async function check({ site, done }: Scene, method: 'dns' | 'file'): Promise<void> {
  try {
    await send('POST', proofOf(site.site_id), { method })
    await done(t('proven'))
  } catch (error) {
    const { code, message } = refusalOf(error)
    toast(code === 'domain_unverified' ? t(`no_${method}`) : message)
  }
}

export function settingSection(scene: Scene): TemplateResult {
  const { site } = scene
  const days = (value: number | null) => (value === null ? t('usual') : t('days', { count: value }))
  return html`<section>
    <div class="bar">
      <h2>${t('settings')}</h2>
      <button type="button" class="second small" @click=${() => editSettings(scene)}>${t('edit')}</button>
    </div>
    ${facts([
      [t('callback_url'), site.callback_url ?? '–'],
      [t('return_urls'), addressesOf(site.return_urls)],
      [t('require_mfa'), t(`mfa_${site.require_mfa}`)],
      [t('token_signing'), t(`signing_${site.token_signing}`)],
      [t('refresh_reuse_policy'), t(`reuse_${site.refresh_reuse_policy}`)],
      [t('session_max_days'), days(site.session_max_days)],
      [t('retention_days'), days(site.retention_days)],
      [t('trust_client_ip'), t(site.trust_client_ip ? 'yes' : 'no')],
    ])}
  </section>`
}

const NAMES = [
  'name',
  'domain',
  'callback_url',
  'return_urls',
  'require_mfa',
  'token_signing',
  'refresh_reuse_policy',
  'session_max_days',
  'retention_days',
  'trust_client_ip',
] as const satisfies readonly (keyof FullSite & SiteText)[]

/** Sends only the fields that differ, so that two people may change different ones. */
function editSettings({ site, is_operator, done }: Scene): void {
  const path = sitePath(site.site_id)
  openDialog({
    title: t('edit'),
    content: settingFields(site, is_operator),
    submit: t('save'),
    isWide: true,
    draft: `site.${site.site_id}`,
    async act(form) {
      const saved = await saveEdit<FullSite>({
        was: site,
        yours: { ...settingsIn(form), ...(is_operator && { trust_client_ip: form.has('trust_client_ip') }) },
        names: Object.fromEntries(NAMES.map((name) => [name, t(name)])),
        read: () => get<FullSite>(path),
        save: (changes, version) => send<FullSite>('PATCH', path, changes, version),
      })
      if (!saved) return false
      return done(t('saved'))
    },
  })
}

const settingsIn = (form: FormData) =>
  ({
    name: textIn(form, 'name'),
    domain: textIn(form, 'domain'),
    callback_url: textIn(form, 'callback_url') || null,
    return_urls: linesIn(form, 'return_urls'),
    require_mfa: textIn(form, 'require_mfa') as FullSite['require_mfa'],
    token_signing: textIn(form, 'token_signing') as FullSite['token_signing'],
    refresh_reuse_policy: textIn(form, 'refresh_reuse_policy') as FullSite['refresh_reuse_policy'],
    session_max_days: daysIn(form, 'session_max_days'),
    retention_days: daysIn(form, 'retention_days'),
  }) satisfies Partial<FullSite>

function settingFields(site: FullSite, is_operator: boolean): TemplateResult {
  const line = (name: 'name' | 'domain' | 'callback_url', maxlength: number, required = false) =>
    html`<label
      >${t(name)}
      <input
        name=${name}
        dir="auto"
        maxlength=${maxlength}
        ?required=${required}
        autocomplete="off"
        spellcheck="false"
        .value=${site[name] ?? ''}
    /></label>`
  const choice = (name: 'require_mfa' | 'token_signing' | 'refresh_reuse_policy', all: readonly Option[]) =>
    html`<label
      >${t(name)}
      <select name=${name}>
        ${all.map(([one, text]) => html`<option value=${one} ?selected=${one === site[name]}>${text}</option>`)}
      </select></label
    >`
  const days = (name: 'session_max_days' | 'retention_days') =>
    html`<label
      >${t(name)}
      <input
        name=${name}
        type="number"
        min="1"
        max="3650"
        placeholder=${t('usual')}
        .value=${String(site[name] ?? '')}
      /><small>${t('days_text', { most: number(3_650) })}</small></label
    >`
  return html`<div class="fields">${line('name', 200, true)} ${line('domain', 253, true)}</div>
    ${line('callback_url', 2_048)} ${addressField('return_urls', site.return_urls)}
    <div class="fields">
      ${choice(
        'require_mfa',
        MFA.map((one) => [one, t(`mfa_${one}`)]),
      )}
      ${choice(
        'token_signing',
        SIGNING.map((one) => [one, t(`signing_${one}`)]),
      )}
      ${choice(
        'refresh_reuse_policy',
        REUSE.map((one) => [one, t(`reuse_${one}`)]),
      )}
      ${days('session_max_days')} ${days('retention_days')}
    </div>
    ${
      is_operator
        ? html`<label class="check"
            ><input type="checkbox" name="trust_client_ip" .checked=${site.trust_client_ip} />
            ${t('trust_client_ip')}</label
          >`
        : nothing
    }`
}
type Option = readonly [value: string, text: string]
