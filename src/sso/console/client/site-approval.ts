import { html } from 'lit-html'
import { send } from '#foundation/web/client/api.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { texts } from '#foundation/web/client/page.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { ManagedSite } from './api-types.ts'
import { sitePath } from './first-calls.ts'
import { SITES_TEXTS } from './sites-texts.ts'

/* What an operator decides about a site that waits. The page goes on with `then`. */

const t = texts(SITES_TEXTS)
type Asked = Pick<ManagedSite, 'site_id' | 'site_code' | 'name'>

export const decisionButtons = (site: Asked, { approved, refused }: Record<'approved' | 'refused', Then>) =>
  html`<button
      type="button"
      class="small"
      aria-label="${t('approve')} ${site.name}"
      @click=${(event: Event) => ask(event, () => approve(site, approved))}
    >
      ${t('approve')}
    </button>
    <button
      type="button"
      class="second small"
      aria-label="${t('refuse')} ${site.name}"
      @click=${(event: Event) => ask(event, () => refuse(site, refused))}
    >
      ${t('refuse')}
    </button>`
type Then = () => unknown

/** The row under the button opens its site otherwise. */
function ask(event: Event, open: () => void): void {
  event.stopPropagation()
  open()
}

function approve({ site_id, name }: Asked, then: Then): void {
  openDialog({
    title: t('approve_title', { site: name }),
    content: html`<p>${t('approve_text')}</p>`,
    submit: t('approve'),
    async act() {
      await send('POST', `/api/v1/admin/sites/${site_id}/approve`)
      toast(t('approved', { site: name }))
      await then()
    },
  })
}

/** A refused site is deleted: nothing of it may be used, and its owner may ask again by another. */
function refuse({ site_id, site_code, name }: Asked, then: Then): void {
  openDialog({
    title: t('refuse_title', { site: name }),
    content: html`<p>${t('refuse_text')}</p>`,
    submit: t('refuse'),
    isDangerous: true,
    typed: site_code,
    async act() {
      await send('DELETE', sitePath(site_id))
      toast(t('refused', { site: name }))
      await then()
    },
  })
}
