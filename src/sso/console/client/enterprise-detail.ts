import { html, nothing, type TemplateResult } from 'lit-html'
import { refusalOf, send } from '#foundation/web/client/api.ts'
import { openDialog, showDialog } from '#foundation/web/client/dialog.ts'
import { exact } from '#foundation/web/client/format.ts'
import { texts } from '#foundation/web/client/page.ts'
import { badge, copyButton, facts } from '#foundation/web/client/parts.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Connection, Trial } from './api-types.ts'
import { change, editMapping, editName, editSource, FIELDS, pathOf } from './enterprise-forms.ts'
import { ENTERPRISE_TEXTS } from './enterprise-texts.ts'

/* One connection in full, and what can be done with it. */

const t = texts(ENTERPRISE_TEXTS)
export const TYPES = { saml: 'SAML', oidc: 'OpenID Connect' } as const
export const TONES = { active: 'good', disabled: 'none' } as const
const tell = (error: unknown) => toast(refusalOf(error).message)

/** What the page does after a change. */
export type Then = {
  keep: (saved: Connection) => void
  reload: () => Promise<void>
  removed: () => Promise<void>
}

export function detailOf(shown: Connection, then: Then): TemplateResult {
  const { name, type, status, start_url } = shown
  const isOn = status === 'active'
  return html`<div class="bar">
      <h2 dir="auto">${name}</h2>
      ${badge(TYPES[type], 'none')} ${badge(t(status), TONES[status])}
    </div>
    <div class="actions">
      <button type="button" class="small" @click=${() => test(shown)}>${t('test')}</button>
      <a class="button" href=${start_url} target="_blank" rel="noopener noreferrer">${t('try')}</a>
      <button type="button" class="second small" @click=${() => editName(shown, then.keep)}>
        ${t('rename')}
      </button>
      <button type="button" class="second small" @click=${() => (isOn ? switchOff : switchOn)(shown, then)}>
        ${isOn ? t('switch_off') : t('switch_on')}
      </button>
      <button type="button" class="quiet small" @click=${() => remove(shown, then)}>${t('remove')}</button>
    </div>
    ${oursOf(shown, then)} ${theirsOf(shown, then)} ${mappingOf(shown, then)}`
}

const copied = (text: string | undefined): TemplateResult =>
  html`<span class="mono">${text ?? '–'}</span> ${text === undefined ? nothing : copyButton(text)}`

function oursOf(shown: Connection, then: Then): TemplateResult {
  const { type, start_url, sp_entity_id, acs_url, slo_url, redirect_uri, backchannel_logout_uri } = shown
  const isSaml = type === 'saml'
  return html`<section>
    <div class="bar">
      <h2>${t('ours')}</h2>
      ${
        isSaml && sp_entity_id
          ? html`<a class="button" href=${sp_entity_id} download="lyceum-metadata.xml">${t('metadata')}</a>
              <button type="button" class="second small" @click=${() => copyMetadata(sp_entity_id)}>
                ${t('copy_metadata')}
              </button>`
          : nothing
      }
    </div>
    <p>${t('ours_text')}</p>
    ${facts(
      isSaml
        ? [
            [t('entity'), copied(sp_entity_id)],
            [t('acs'), copied(acs_url)],
            [t('slo'), copied(slo_url)],
            [t('start'), copied(start_url)],
          ]
        : [
            [t('redirect'), copied(redirect_uri)],
            [t('backchannel'), copied(backchannel_logout_uri)],
            [t('start'), copied(start_url)],
          ],
    )}
    ${isSaml ? keysOf(shown, then) : nothing}
  </section>`
}

async function copyMetadata(address: string): Promise<void> {
  try {
    const reply = await fetch(new URL(address).pathname)
    if (!reply.ok) throw new Error(String(reply.status))
    await navigator.clipboard.writeText(await reply.text())
    toast(t('copied'))
  } catch (error) {
    tell(error)
  }
}

const keysOf = (shown: Connection, { reload }: Then): TemplateResult =>
  html`<h3>${t('certificates')}</h3>
    ${facts(
      (shown.encryption_keys ?? []).map(({ created_at, ends_at, certificate }) => [
        exact(created_at),
        html`${ends_at === null ? badge(t('current'), 'good') : badge(t('until', { time: exact(ends_at) }), 'none')}
        ${copyButton(certificate, t('certificate'))}`,
      ]),
    )}
    <div class="actions">
      <button type="button" class="second small" @click=${() => renew(shown, reload)}>${t('renew')}</button>
    </div>`

function theirsOf(shown: Connection, { keep }: Then): TemplateResult {
  const { type, issuer, client_id, has_client_secret, metadata_url, required_signature = 'either' } = shown
  return html`<section>
    <div class="bar">
      <h2>${t('theirs')}</h2>
      <button type="button" class="second small" @click=${() => editSource(shown, keep)}>${t('edit')}</button>
    </div>
    ${facts(
      type === 'saml'
        ? [
            [t('metadata_url'), metadata_url ?? t('from_file')],
            [t('signature'), t(required_signature)],
          ]
        : [
            [t('issuer'), issuer ?? '–'],
            [t('client_id'), client_id ?? '–'],
            [t('client_secret'), has_client_secret ? t('secret_set') : t('secret_none')],
          ],
    )}
  </section>`
}

function mappingOf(shown: Connection, { keep }: Then): TemplateResult {
  const { attribute_mapping, role_attribute, role_mapping } = shown
  return html`<section>
    <div class="bar">
      <h2>${t('attributes')}</h2>
      <button type="button" class="second small" @click=${() => editMapping(shown, keep)}>
        ${t('edit')}
      </button>
    </div>
    ${facts([
      ...FIELDS.map(
        (name) =>
          [t(name), attribute_mapping[name] ?? html`<span class="quiet-text">${t('usual')}</span>`] as const,
      ),
      [t('role_attribute'), role_attribute ?? '–'],
      [
        t('role_mapping'),
        role_mapping.length === 0
          ? '–'
          : html`<ul>
              ${role_mapping.map(({ value, role }) => html`<li dir="auto">${value} → ${role}</li>`)}
            </ul>`,
      ],
    ])}
  </section>`
}

async function test(shown: Connection): Promise<void> {
  try {
    const trial = await send<Trial>('POST', `${pathOf(shown)}/test`)
    const { is_ok, problem, issuer, sign_in_url, certificates_end_at } = trial
    showDialog(
      is_ok ? t('test_good') : t('test_bad'),
      facts([
        ...(problem === null ? [] : [[t('problem'), html`<span lang="en">${problem}</span>`] as const]),
        ...(issuer === null ? [] : [[t('issuer'), issuer] as const]),
        ...(sign_in_url === null ? [] : [[t('sign_in_url'), sign_in_url] as const]),
        ...(certificates_end_at === null ? [] : [[t('ends'), exact(certificates_end_at)] as const]),
      ]),
    )
  } catch (error) {
    tell(error)
  }
}

const switchOn = (shown: Connection, { keep, reload }: Then) =>
  change(shown, { status: 'active' }, keep).catch(async (error: unknown) => {
    tell(error)
    if (refusalOf(error).status === 409) await reload()
  })

function switchOff(shown: Connection, { keep }: Then): void {
  openDialog({
    title: t('switch_off'),
    content: html`<p>${t('off_text')}</p>`,
    submit: t('switch_off'),
    isDangerous: true,
    typed: shown.name,
    act: () => change(shown, { status: 'disabled' }, keep),
  })
}

function remove(shown: Connection, { removed }: Then): void {
  openDialog({
    title: t('remove'),
    content: html`<p dir="auto">${shown.name}</p>
      <p>${t('remove_text')}</p>`,
    submit: t('remove'),
    isDangerous: true,
    typed: shown.name,
    async act() {
      await send('DELETE', pathOf(shown))
      toast(t('removed'))
      await removed()
    },
  })
}

function renew(shown: Connection, reload: () => Promise<void>): void {
  openDialog({
    title: t('renew'),
    content: html`<p>${t('renew_text')}</p>
      <label
        >${t('days')} <input name="overlap_days" type="number" min="0" max="90" value="30" required
      /></label>`,
    submit: t('renew'),
    isDangerous: true,
    typed: shown.name,
    async act(form) {
      const overlap_days = Number(form.get('overlap_days'))
      await send('POST', `${pathOf(shown)}/encryption-keys`, { overlap_days })
      toast(t('saved'))
      await reload()
    },
  })
}
