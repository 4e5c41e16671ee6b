import { html, nothing, type TemplateResult } from 'lit-html'
import { send } from '#foundation/web/client/api.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { exact, number } from '#foundation/web/client/format.ts'
import { texts } from '#foundation/web/client/page.ts'
import { facts } from '#foundation/web/client/parts.ts'
import type { Wiped } from './api-types.ts'
import { sitePath } from './first-calls.ts'
import { type Scene, textIn } from './site-parts.ts'
import { SITE_TEXTS } from './site-texts.ts'

/* The limits of a site, what only a sandbox has, and what cannot be undone. */

const t = texts(SITE_TEXTS)

export const quotaOf = (tenant_id: string): string =>
  `/api/v1/tenants/${encodeURIComponent(tenant_id)}/import-quota`

export function limitSection(scene: Scene): TemplateResult {
  const { quota, is_operator } = scene
  const limit = quota?.people_per_day ?? null
  return html`<section>
    <div class="bar">
      <h2>${t('limits')}</h2>
      ${
        is_operator && quota
          ? html`<button type="button" class="second small" @click=${() => changeQuota(scene)}>
              ${t('change_limit')}
            </button>`
          : nothing
      }
    </div>
    ${facts([
      [t('people_per_day'), quota === undefined ? '…' : limit === null ? t('no_limit') : number(limit)],
      [t('used_today'), quota ? number(quota.used_today) : '…'],
      ...(quota && limit !== null ? [[t('resets_at'), exact(quota.resets_at)] as const] : []),
    ])}
    <p class="quiet-text">${t('limits_text')}</p>
  </section>`
}

function changeQuota({ site, quota, done }: Scene): void {
  openDialog({
    title: t('change_limit'),
    content: html`<label
        >${t('people_per_day')}
        <input
          name="people_per_day"
          type="number"
          min="0"
          max="100000000"
          placeholder=${t('no_limit')}
          .value=${String(quota?.people_per_day ?? '')}
        /><small>${t('limit_text')}</small></label
      >
      <p class="quiet-text">${t('limits_text')}</p>`,
    submit: t('save'),
    async act(form) {
      const typed = textIn(form, 'people_per_day')
      const people_per_day = typed === '' ? null : Number(typed)
      if (people_per_day !== quota?.people_per_day)
        await send('PUT', quotaOf(site.tenant_id), { people_per_day })
      await done(t('saved'))
    },
  })
}

export function sandboxSection(scene: Scene): TemplateResult | typeof nothing {
  const { site, is_operator } = scene
  if (site.environment !== 'sandbox') return nothing
  const at = new URLSearchParams({ site_code: site.site_code }).toString()
  return html`<section>
    <h2>${t('sandbox')}</h2>
    <p class="quiet-text">${t('sandbox_text')}</p>
    <div class="actions">
      <a class="button" href="/console/messages?${at}">${t('read_messages')}</a>
      ${
        is_operator
          ? html`<button type="button" class="danger small" @click=${() => wipe(scene)}>${t('wipe')}</button>`
          : nothing
      }
    </div>
  </section>`
}

function wipe({ site, done }: Scene): void {
  openDialog({
    title: t('wipe'),
    content: html`<p>${t('wipe_text')}</p>`,
    submit: t('wipe'),
    isDangerous: true,
    typed: site.site_code,
    async act() {
      const body = { site_code: site.site_code }
      let people = 0
      // One call does as much as fits into its time.
      for (let is_done = false; !is_done;) {
        const wiped = await send<Wiped>('POST', '/api/v1/admin/sandbox/wipe', body)
        people += wiped.people
        ;({ is_done } = wiped)
      }
      await done(t('wiped', { count: people }))
    },
  })
}

/** A site of the network itself stays. */
export function dangerSection(scene: Scene): TemplateResult | typeof nothing {
  const { site, managed, is_operator } = scene
  if (managed.is_first_party) return nothing
  const mayWithdraw = is_operator && site.status === 'active' && site.environment === 'production'
  return html`<section>
    <h2>${t('danger')}</h2>
    <div class="actions">
      ${
        mayWithdraw
          ? html`<button type="button" class="second" @click=${() => withdraw(scene)}>
              ${t('withdraw')}
            </button>`
          : nothing
      }
      <button type="button" class="danger" @click=${() => remove(scene)}>${t('remove')}</button>
    </div>
  </section>`
}

function withdraw({ site, done }: Scene): void {
  openDialog({
    title: t('withdraw'),
    content: html`<p>${t('withdraw_text')}</p>`,
    submit: t('withdraw'),
    isDangerous: true,
    typed: site.site_code,
    async act() {
      await send('PATCH', `/api/v1/admin/sites/${site.site_id}`, { status: 'pending' })
      await done(t('withdrawn'))
    },
  })
}

function remove({ site }: Scene): void {
  openDialog({
    title: t('remove'),
    content: html`<p>${t('remove_text')}</p>`,
    submit: t('remove'),
    isDangerous: true,
    typed: site.site_code,
    async act() {
      await send('DELETE', sitePath(site.site_id))
      location.replace('/console/sites')
    },
  })
}
