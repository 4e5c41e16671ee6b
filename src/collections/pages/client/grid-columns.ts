import { html, type TemplateResult } from 'lit-html'
import { exact } from '#foundation/web/client/format.ts'
import { recall, remember } from '#foundation/web/client/memory.ts'
import { texts } from '#foundation/web/client/page.ts'
import type { Item } from './api-types.ts'
import { flat, metadataField, textOf } from './fields.ts'
import { GRID_TEXTS } from './grid-texts.ts'

const t = texts(GRID_TEXTS)

export type GridColumn = {
  id: string
  title: string
  /** The name by which the service sorts. */
  sort?: string
  /** The field that its cells edit; without one they are only read. */
  field?: string
  size: 'wide' | 'medium' | 'short'
  text: (item: Item) => string
}

/** The value of a field as it is edited; `text` may show it otherwise. */
export const rawOf = (item: Item, field: string): string => textOf(flat(item)[field])

/** More would not be read side by side; the others are chosen. */
const SHOWN_METADATA = 6

const before: readonly GridColumn[] = [
  { id: 'name', title: t('name'), sort: 'name', field: 'name', size: 'wide', text: ({ name }) => name },
  {
    id: 'external_key',
    title: t('external_key'),
    field: 'external_key',
    size: 'medium',
    text: ({ external_key }) => textOf(external_key),
  },
]
const after: readonly GridColumn[] = [
  {
    id: 'description',
    title: t('description'),
    field: 'description',
    size: 'wide',
    text: ({ description }) => textOf(description).replaceAll('\n', ' '),
  },
  {
    id: 'places',
    title: t('places'),
    size: 'short',
    text: ({ collection_ids }) => String(collection_ids.length),
  },
  {
    id: 'updated_at',
    title: t('updated_at'),
    sort: 'updated_at',
    size: 'medium',
    text: ({ updated_at }) => exact(updated_at),
  },
]

/**
 * The columns of a collection: name and key, then the metadata in use, those of most rows first. What was shown or hidden
 * by hand stays so in this browser, collection by collection.
 */
export function createGridColumns(collection_id: string, update: () => void) {
  const place = `collections.columns.${collection_id}`
  const chosen = new Map(
    recall(place)
      ?.split(',')
      .map((one) => one.split('=') as [string, string]),
  )
  const found = new Map<string, number>()
  let keys: string[] = []

  /** Columns once found keep their places, so that nothing jumps while somebody scrolls. */
  function learn(items: readonly Item[]): void {
    for (const { metadata } of items)
      for (const key of Object.keys(metadata)) found.set(key, (found.get(key) ?? 0) + 1)
    const fresh = [...found].filter(([key]) => !keys.includes(key)).toSorted(([, a], [, b]) => b - a)
    keys = [...keys, ...fresh.map(([key]) => key)]
  }

  const all = (): GridColumn[] => [
    ...before,
    ...keys.map((key) => ({
      id: metadataField(key),
      title: key,
      field: metadataField(key),
      size: 'medium' as const,
      text: ({ metadata }: Item) => textOf(metadata[key]),
    })),
    ...after,
  ]
  const isShown = ({ id }: GridColumn) => {
    const known = chosen.get(id)
    if (known !== undefined) return known === '1'
    const rank = keys.findIndex((key) => metadataField(key) === id)
    return rank < 0 ? id !== 'description' : rank < SHOWN_METADATA
  }
  const toggle = (column: GridColumn, isOn: boolean) => {
    chosen.set(column.id, isOn ? '1' : '0')
    remember(place, [...chosen].map((one) => one.join('=')).join(','))
    update()
  }

  const chooser = (label: string): TemplateResult =>
    html`<details class="chooser">
      <summary>${label}</summary>
      <fieldset>
        <legend>${label}</legend>
        ${all()
          .slice(1)
          .map(
            (column) =>
              html`<label
                ><input
                  type="checkbox"
                  .checked=${isShown(column)}
                  @change=${(event: Event) => toggle(column, (event.target as HTMLInputElement).checked)}
                />
                ${column.title}</label
              >`,
          )}
      </fieldset>
    </details>`

  return {
    learn,
    chooser,
    keys: () => keys,
    shown: () => all().filter((column) => column.id === 'name' || isShown(column)),
  }
}
