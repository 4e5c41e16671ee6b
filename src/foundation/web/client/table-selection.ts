import { html, nothing, type TemplateResult } from 'lit-html'
import { texts } from './page.ts'

const t = texts({
  en: {
    all: 'Select all rows shown',
    one: 'Select {name}',
    chosen: { one: '{count} selected', other: '{count} selected' },
    clear: 'Clear',
  },
  de: {
    all: 'Alle gezeigten Zeilen auswählen',
    one: '{name} auswählen',
    chosen: { one: '{count} ausgewählt', other: '{count} ausgewählt' },
    clear: 'Aufheben',
  },
  es: {
    all: 'Seleccionar todas las filas mostradas',
    one: 'Seleccionar {name}',
    chosen: { one: '{count} seleccionada', other: '{count} seleccionadas' },
    clear: 'Quitar',
  },
})

export type Selection<Row> = {
  /** What a row is called, for screen readers. */
  nameOf: (row: Row) => string
  /** The buttons for the selected rows. `clear` ends the selection. */
  actions: (rows: readonly Row[], clear: () => void) => TemplateResult
}

/** Rows that are selected, by key. With Shift a click takes all rows since the last one along. */
export function createSelection<Row>(
  selection: Selection<Row>,
  keyOf: (row: Row) => string,
  update: () => void,
) {
  const chosen = new Set<string>()
  let last: string | undefined

  const clear = () => {
    chosen.clear()
    last = undefined
    update()
  }
  const pick = (rows: readonly Row[], row: Row, event: MouseEvent) => {
    const { checked } = event.target as HTMLInputElement
    const at = (key: string | undefined) => rows.findIndex((one) => keyOf(one) === key)
    const [here, there] = [at(keyOf(row)), at(last)]
    const range = event.shiftKey && there >= 0 ? [Math.min(here, there), Math.max(here, there)] : [here, here]
    for (const one of rows.slice(range[0], (range[1] ?? 0) + 1)) put(keyOf(one), checked)
    last = keyOf(row)
    update()
  }
  const put = (key: string, isOn: boolean) => (isOn ? chosen.add(key) : chosen.delete(key))

  return {
    /** Rows that are no longer there are no longer selected. */
    keepOnly(rows: readonly Row[]) {
      const keys = new Set(rows.map(keyOf))
      for (const key of chosen) if (!keys.has(key)) chosen.delete(key)
    },
    isChosen: (row: Row) => chosen.has(keyOf(row)),
    heading: (rows: readonly Row[]) =>
      html`<td class="pick">
        <input
          type="checkbox"
          aria-label=${t('all')}
          ?disabled=${rows.length === 0}
          .checked=${rows.length > 0 && chosen.size === rows.length}
          .indeterminate=${chosen.size > 0 && chosen.size < rows.length}
          @change=${(event: Event) => {
            for (const row of rows) put(keyOf(row), (event.target as HTMLInputElement).checked)
            update()
          }}
        />
      </td>`,
    cell: (rows: readonly Row[], row: Row) =>
      html`<td class="pick" @click=${(event: Event) => event.stopPropagation()}>
        <input
          type="checkbox"
          aria-label=${t('one', { name: selection.nameOf(row) })}
          .checked=${chosen.has(keyOf(row))}
          @click=${(event: MouseEvent) => pick(rows, row, event)}
        />
      </td>`,
    /** Below the table, so that no row moves under the pointer. */
    bar: (rows: readonly Row[]) =>
      html`<div class="selected" ?hidden=${chosen.size === 0}>
        <span role="status">${chosen.size === 0 ? nothing : t('chosen', { count: chosen.size })}</span>
        ${
          chosen.size === 0
            ? nothing
            : selection.actions(
                rows.filter((row) => chosen.has(keyOf(row))),
                clear,
              )
        }
        <button type="button" class="quiet small" @click=${clear}>${t('clear')}</button>
      </div>`,
  }
}
