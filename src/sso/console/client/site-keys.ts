import { html, nothing, type TemplateResult } from 'lit-html'
import { send } from '#foundation/web/client/api.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { ago, exact } from '#foundation/web/client/format.ts'
import { texts } from '#foundation/web/client/page.ts'
import type { SiteKey } from './api-types.ts'
import { siteKeysOf, sitePath } from './first-calls.ts'
import { type Scene, showSecret } from './site-parts.ts'
import { SITE_TEXTS } from './site-texts.ts'

/* The keys of a site, and the secret that signs its tokens. */

const t = texts(SITE_TEXTS)
const MAX_KEYS = 2

export function keySection(scene: Scene): TemplateResult {
  const { keys, site } = scene
  const row = (key: SiteKey) =>
    html`<tr>
      <td><span class="mono">…${key.hint}</span></td>
      <td>${ago(key.created_at)}</td>
      <td>${key.last_used_at === null ? t('never') : ago(key.last_used_at)}</td>
      <td>
        ${
          keys.length > 1
            ? html`<button
                type="button"
                class="second small"
                aria-label="${t('revoke')} ${key.hint}"
                @click=${() => revokeKey(scene, key)}
              >
                ${t('revoke')}
              </button>`
            : nothing
        }
      </td>
    </tr>`
  return html`<section>
    <div class="bar">
      <h2>${t('keys')}</h2>
      ${
        site.token_signing === 'RS256'
          ? nothing
          : html`<button type="button" class="second small" @click=${() => rotateSecret(scene)}>
              ${t('rotate')}
            </button>`
      }
      ${
        keys.length < MAX_KEYS
          ? html`<button type="button" class="second small" @click=${() => addKey(scene)}>
              ${t('add_key')}
            </button>`
          : nothing
      }
    </div>
    <p class="quiet-text">${t('keys_text')}</p>
    <div class="scroll" role="region" tabindex="0" aria-label=${t('keys')}>
      <table>
        <thead>
          <tr>
            ${(['ends_with', 'since', 'last_used', 'act'] as const).map((name) => html`<th scope="col">${t(name)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${keys.map(row)}
        </tbody>
      </table>
    </div>
  </section>`
}

function addKey({ site, done }: Scene): void {
  openDialog({
    title: t('add_key'),
    content: html`<p>${t('add_key_text')}</p>`,
    submit: t('add_key'),
    async act() {
      const { site_key } = await send<{ site_key: string }>('POST', siteKeysOf(site.site_id))
      showSecret(t('new_key'), site_key)
      void done()
    },
  })
}

function revokeKey({ site, done }: Scene, { hint, last_used_at }: SiteKey): void {
  const used = last_used_at === null ? t('never') : exact(last_used_at)
  openDialog({
    title: t('revoke_title', { hint }),
    content: html`<p>${t('revoke_text')}</p>
      <p>${t('last_used')}: ${used}</p>`,
    submit: t('revoke'),
    isDangerous: true,
    typed: hint,
    async act() {
      await send('DELETE', `${siteKeysOf(site.site_id)}/${encodeURIComponent(hint)}`)
      await done(t('revoked', { hint }))
    },
  })
}

type Rotated = { jwt_secret: string; old_valid_until: string | null }

function rotateSecret({ site, done }: Scene): void {
  openDialog({
    title: t('rotate'),
    content: html`<p>${t('rotate_text')}</p>
      <label class="check"><input type="checkbox" name="revoke_old" /> ${t('revoke_old')}</label>`,
    submit: t('rotate'),
    isDangerous: true,
    typed: site.site_code,
    async act(form) {
      const body = { revoke_old: form.has('revoke_old') }
      const { jwt_secret } = await send<Rotated>('POST', `${sitePath(site.site_id)}/jwt-secret/rotate`, body)
      showSecret(t('new_jwt_secret'), jwt_secret)
      void done()
    },
  })
}
