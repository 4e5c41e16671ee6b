import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf } from '#foundation/web/client/api.ts'
import { setQuery, texts } from '#foundation/web/client/page.ts'
import { search } from './address.ts'
import type { FoundItem } from './api-types.ts'
import { foundItems, keyedItems } from './first-calls.ts'
import { TEXTS } from './texts.ts'

const t = texts(TEXTS)
const PAUSE_MS = 300

type Found = { items: FoundItem[]; next_cursor: string | null }

/** Finds items by words or by their key in all collections that somebody may see. The address keeps what was typed. */
export function createFinder(open: (collection_id: string, item_id: string) => void, update: () => void) {
  let items: FoundItem[] | undefined
  let [next, fault] = [null as string | null, '']
  let timer: ReturnType<typeof setTimeout> | undefined
  const typed = () => search().get('find') ?? ''

  async function find(cursor?: string): Promise<void> {
    const asked = typed()
    try {
      const none: Found = { items: [], next_cursor: null }
      const [byKey, byWords] = asked
        ? await Promise.all([
            cursor === undefined ? get<Found>(keyedItems(asked)) : none,
            get<Found>(foundItems(asked, cursor)),
          ])
        : [none, none]
      if (asked !== typed()) return
      const known = new Set(byKey.items.map(({ id }) => id))
      const fresh = [...byKey.items, ...byWords.items.filter(({ id }) => !known.has(id))]
      items = asked === '' ? undefined : cursor === undefined ? fresh : [...(items ?? []), ...fresh]
      ;[next, fault] = [byWords.next_cursor, '']
    } catch (error) {
      fault = refusalOf(error).message
    }
    update()
  }
  const type = (event: Event) => {
    setQuery({ find: (event.target as HTMLInputElement).value.trim() })
    clearTimeout(timer)
    timer = setTimeout(() => void find(), PAUSE_MS)
  }
  const hit = ({ id, name, external_key, description, collections }: FoundItem) =>
    html`<li>
      <strong dir="auto">${name}</strong>
      ${external_key ? html`<span class="quiet-text" dir="auto">${external_key}</span>` : nothing}
      ${description ? html`<p class="described" dir="auto">${description}</p>` : nothing}
      <p class="quiet-text">
        ${t('lives_in')}:
        ${collections.map(
          (one, i) =>
            html`${i > 0 ? ' · ' : ''}<a
                href="?collection=${one.id}&item=${id}"
                dir="auto"
                @click=${(event: Event) => {
                  event.preventDefault()
                  open(one.id, id)
                }}
                >${one.name}</a
              >`,
        )}
      </p>
    </li>`

  const view = (): TemplateResult =>
    html`<label class="find-all"
        >${t('find_items')} <input type="search" dir="auto" maxlength="128" .value=${typed()} @input=${type}
      /></label>
      ${fault ? html`<p class="fault" role="alert">${fault}</p>` : nothing}
      <ul class="found">
        ${items?.map(hit)}
      </ul>
      <p role="status" class="quiet-text">${items?.length === 0 ? t('find_none') : nothing}</p>
      ${next === null || !items ? nothing : html`<button type="button" class="second small" @click=${() => find(next ?? undefined)}>${t('more')}</button>`}`

  return { view, load: () => (typed() ? find() : undefined) }
}
