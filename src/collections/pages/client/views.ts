import { html, nothing, type TemplateResult } from 'lit-html'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { recall, remember } from '#foundation/web/client/memory.ts'
import { texts } from '#foundation/web/client/page.ts'
import { toast } from '#foundation/web/client/toast.ts'
import { search } from './address.ts'
import { textIn } from './filters.ts'
import { listQuery } from './first-calls.ts'
import { TEXTS } from './texts.ts'

const t = texts(TEXTS)
const MOST = 20

type View = { name: string; query: string }

/**
 * Orders and filters of a collection under names, kept in this browser for this person. Others get one as a link: the address
 * holds all of it.
 */
export function createViews(
  collection_id: string,
  apply: (query: URLSearchParams) => void,
  update: () => void,
) {
  const place = `collections.views.${document.body.dataset['person'] ?? ''}.${collection_id}`
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
  const now = () => new URLSearchParams(listQuery(search())).toString()

  function save(): void {
    openDialog({
      title: t('save_view'),
      submit: t('save'),
      content: html`<label
        >${t('name')} <input name="name" dir="auto" required maxlength="80" autocomplete="off"
      /></label>`,
      act: async (form) => {
        const name = textIn(form, 'name')
        if (name === '') return false
        keep([...views.filter((one) => one.name !== name), { name, query: now() }])
        return true
      },
    })
  }
  async function copyLink(): Promise<void> {
    const url = new URL(location.href)
    url.searchParams.delete('item')
    await navigator.clipboard.writeText(url.href)
    toast(t('link_copied'))
  }

  const view = (): TemplateResult =>
    html`<details class="menu">
      <summary>${t('views')}</summary>
      <div class="menu-list">
        ${views.map(
          ({ name, query }) =>
            html`<div class="view-line">
              <button
                type="button"
                class="quiet"
                dir="auto"
                aria-pressed=${query === now()}
                @click=${() => apply(new URLSearchParams(query))}
              >
                ${name}
              </button>
              <button
                type="button"
                class="quiet"
                aria-label=${t('drop_view', { name })}
                @click=${() => keep(views.filter((one) => one.name !== name))}
              >
                ×
              </button>
            </div>`,
        )}
        ${now() === '' ? nothing : html`<button type="button" class="quiet" @click=${save}>${t('save_view')}</button>`}
        <button type="button" class="quiet" @click=${() => void copyLink()}>${t('copy_link')}</button>
      </div>
    </details>`
  return { view }
}
