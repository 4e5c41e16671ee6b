import { html, nothing, type TemplateResult } from 'lit-html'
import { openDialog } from './dialog.ts'
import { recall, remember } from './memory.ts'
import { texts } from './page.ts'
import { toast } from './toast.ts'

const t = texts({
  en: {
    views: 'Views',
    save_view: 'Save this view',
    drop_view: 'Remove the view {name}',
    copy_link: 'Copy a link to this view',
    link_copied: 'The link is copied.',
    name: 'Name',
    save: 'Save',
    share: 'For everybody who sees this',
    shared: 'shared',
  },
  de: {
    views: 'Ansichten',
    save_view: 'Diese Ansicht speichern',
    drop_view: 'Die Ansicht {name} entfernen',
    copy_link: 'Link zu dieser Ansicht kopieren',
    link_copied: 'Der Link ist kopiert.',
    name: 'Name',
    save: 'Speichern',
    share: 'Für alle, die das hier sehen',
    shared: 'geteilt',
  },
  es: {
    views: 'Vistas',
    save_view: 'Guardar esta vista',
    drop_view: 'Quitar la vista {name}',
    copy_link: 'Copiar un enlace a esta vista',
    link_copied: 'El enlace está copiado.',
    name: 'Nombre',
    save: 'Guardar',
    share: 'Para todas las personas que ven esto',
    shared: 'compartida',
  },
})
const MOST = 20

type View = { name: string; query: string }
type Views = {
  /** What the views are of; they are kept under this name. */
  place: string
  /** The filters and the order that are set now, as a query. */
  now: () => string
  apply: (query: URLSearchParams) => void
  /** What of the address belongs to no view, such as a panel that is open. */
  leaveOut: string
  /** Views that the service keeps for everybody; without it there are only own ones. */
  shared?: SharedViews
  update: () => void
}
export type SharedView = View & { id: string }
export type SharedViews = {
  list: () => readonly SharedView[]
  mayEdit: () => boolean
  save: (view: View) => Promise<void>
  remove: (view: SharedView) => Promise<void>
}

/**
 * Orders and filters of a list under names, kept in this browser for this person, or shared where the service keeps them. Others
 * get one as a link too: the address holds all of it.
 */
export function createViews({ place: list, now, apply, leaveOut, shared, update }: Views) {
  const place = `${list}.views.${document.body.dataset['person'] ?? ''}`
  let views = kept()

  function kept(): View[] {
    try {
      const found = JSON.parse(recall(place) ?? '[]') as View[]
      return Array.isArray(found)
        ? found.filter((one) => typeof one.name === 'string' && typeof one.query === 'string')
        : []
    } catch {
      return []
    }
  }
  function keep(next: View[]): void {
    views = next.slice(-MOST)
    remember(place, views.length > 0 ? JSON.stringify(views) : undefined)
    update()
  }

  function save(): void {
    openDialog({
      title: t('save_view'),
      submit: t('save'),
      content: html`<label
          >${t('name')} <input name="name" dir="auto" required maxlength="80" autocomplete="off"
        /></label>
        ${shared?.mayEdit() ? html`<label class="check"><input type="checkbox" name="share" /> ${t('share')}</label>` : nothing}`,
      act: async (form) => {
        const typed = form.get('name')
        const name = typeof typed === 'string' ? typed.trim() : ''
        if (name === '') return false
        if (form.has('share')) await shared?.save({ name, query: now() })
        else keep([...views.filter((one) => one.name !== name), { name, query: now() }])
        return true
      },
    })
  }
  async function copyLink(): Promise<void> {
    const url = new URL(location.href)
    url.searchParams.delete(leaveOut)
    await navigator.clipboard.writeText(url.href)
    toast(t('link_copied'))
  }

  const line = ({ name, query }: View, drop?: () => void, isShared = false) =>
    html`<div class="view-line">
      <button
        type="button"
        class="quiet"
        aria-pressed=${query === now()}
        @click=${() => apply(new URLSearchParams(query))}
      >
        <bdi>${name}</bdi>${isShared ? html` <span class="quiet-text">${t('shared')}</span>` : nothing}
      </button>
      ${
        drop
          ? html`<button type="button" class="quiet" aria-label=${t('drop_view', { name })} @click=${drop}>
              ×
            </button>`
          : nothing
      }
    </div>`

  return (): TemplateResult =>
    html`<details class="menu">
      <summary>${t('views')}</summary>
      <div class="menu-list">
        ${shared?.list().map((view) => line(view, shared.mayEdit() ? () => void shared.remove(view) : undefined, true))}
        ${views.map((view) => line(view, () => keep(views.filter((one) => one.name !== view.name))))}
        ${now() === '' ? nothing : html`<button type="button" class="quiet" @click=${save}>${t('save_view')}</button>`}
        <button type="button" class="quiet" @click=${() => void copyLink()}>${t('copy_link')}</button>
      </div>
    </details>`
}
