import { html } from 'lit-html'
import { texts } from '#foundation/web/client/page.ts'
import type { Item } from './api-types.ts'
import type { Rows } from './grid-rows.ts'
import { GRID_TEXTS } from './grid-texts.ts'

const t = texts(GRID_TEXTS)

/** The rows that somebody picked: some by id, or all that match what the address asks for. */
export function createPicked(changed: () => void) {
  const ids = new Set<string>()
  let [isAll, last] = [false, undefined as string | undefined]

  const clear = () => {
    ids.clear()
    ;[isAll, last] = [false, undefined]
    changed()
  }
  /** With Shift all rows since the last one come along. */
  const toggle = (rows: Rows, { id }: Item, isRange: boolean) => {
    const isOn = isAll || !ids.has(id)
    if (isAll) ids.clear()
    isAll = false
    const [here, there] = [rows.indexOf(id), last === undefined ? -1 : rows.indexOf(last)]
    const from = isRange && there >= 0 ? Math.min(here, there) : here
    const to = isRange && there >= 0 ? Math.max(here, there) : here
    for (let index = from; index <= to; index++) {
      const item = rows.at(index)
      if (item && isOn) ids.add(item.id)
      else if (item) ids.delete(item.id)
    }
    last = id
    changed()
  }

  return {
    toggle,
    clear,
    has: (id: string) => isAll || ids.has(id),
    isAll: () => isAll,
    ids: () => [...ids],
    count: (rows: Rows) => (isAll ? rows.total() : ids.size),
    heading: (rows: Rows) =>
      html`<input
        type="checkbox"
        aria-label=${t('pick_all')}
        .checked=${isAll}
        .indeterminate=${!isAll && ids.size > 0}
        ?disabled=${rows.total() === 0}
        @change=${(event: Event) => {
          ids.clear()
          isAll = (event.target as HTMLInputElement).checked
          changed()
        }}
      />`,
    cell: (rows: Rows, item: Item) =>
      html`<input
        type="checkbox"
        tabindex="-1"
        aria-label=${t('pick_one', { name: item.name })}
        .checked=${isAll || ids.has(item.id)}
        @click=${(event: MouseEvent) => toggle(rows, item, event.shiftKey)}
      />`,
    told: (rows: Rows) =>
      isAll ? t('picked_all', { count: rows.total() }) : t('picked', { count: ids.size }),
  }
}
export type Picked = ReturnType<typeof createPicked>
