import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf } from './api.ts'
import { texts } from './page.ts'
import { type Column, createColumns, createOrder } from './table-columns.ts'
import { createViews } from './views.ts'
import { createSelection, type Selection } from './table-selection.ts'

const t = texts({
  en: { more: 'Show more', again: 'Try again', loading: 'Loading', total: '{shown} of {total}' },
  de: { more: 'Mehr zeigen', again: 'Noch einmal', loading: 'Wird geladen', total: '{shown} von {total}' },
  es: { more: 'Mostrar más', again: 'Reintentar', loading: 'Cargando', total: '{shown} de {total}' },
})

type Page<Row> = { items: Row[]; total: number; next_cursor?: string | null }
type Table<Row> = {
  /** Says what the rows are, for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  /** The call for the rows behind this cursor, sorted so. The filters are in the address of the page. */
  path: (cursor?: string, sort?: string) => string
  /** Shown instead of no rows. */
  empty: string
  keyOf: (row: Row) => string
  /** Opens a row: by click, and by Enter on its first cell. */
  open?: (row: Row) => void
  /** This browser remembers the chosen columns under the name; `tools` has the button to choose them. */
  name?: string
  selection?: Selection<Row>
  /** The page of a row, instead of `open`. */
  href?: (row: Row) => string
  /** What changed must be rendered: the function that openPage gave. */
  update: () => void
}

/** No first page holds more rows. */
const FIRST_PAGE = 25
/** Rows of a skeleton, as many as most pages show at first. */
const SKELETON = 8

/**
 * A list from the API with cursors: `load` starts over, `refresh` asks again, `view` renders it, `open_key` marks the row
 * that is open, `tools` chooses columns and keeps filters under names.
 */
export function createTable<Row>(table: Table<Row>) {
  const { label, path, empty, keyOf, update, href } = table
  const open = href ? (row: Row) => location.assign(href(row)) : table.open
  const columns = createColumns(table.name, table.columns, update)
  const order = createOrder(table.columns, () => void load())
  const selection = table.selection && createSelection(table.selection, keyOf, update)
  let rows: Row[] | undefined
  let [fault, next, total, round] = ['', null as string | null, 0, 0]

  /** Asks for the first page, or for the next. An answer that was overtaken is dropped. */
  async function load(cursor?: string): Promise<void> {
    const own = ++round
    try {
      const page = await get<Page<Row>>(path(cursor, order.current()))
      if (own !== round) return
      rows = cursor === undefined ? page.items : [...(rows ?? []), ...page.items]
      ;[fault, next, total] = ['', page.next_cursor ?? null, page.total]
      selection?.keepOnly(rows)
    } catch (error) {
      if (own === round) fault = refusalOf(error).message
    }
    if (own === round) update()
  }

  /** Asks for the first page again, unless more is shown already: rows under the eye do not move then. */
  const refresh = async () => {
    if (rows === undefined || rows.length <= FIRST_PAGE) await load()
  }

  const view = (open_key?: string): TemplateResult =>
    html`<div
        class="scroll"
        role="region"
        tabindex="0"
        aria-label=${label}
        aria-busy=${rows === undefined && !fault}
      >
        <table>
          <thead>
            <tr>
              ${selection?.heading(rows ?? [])} ${columns.shown().map(order.heading)}
            </tr>
          </thead>
          <tbody @keydown=${walk}>
            ${rows?.map((row) => line(row, open_key)) ?? (fault ? nothing : skeleton())}
          </tbody>
        </table>
      </div>
      ${selection?.bar(rows ?? [])} ${rows?.length === 0 ? html`<p class="empty">${empty}</p>` : nothing}
      ${
        fault
          ? html`<p class="fault" role="alert">
              ${fault} <button class="second small" @click=${() => load()}>${t('again')}</button>
            </p>`
          : nothing
      }
      <p class="foot">
        <span role="status"
          >${rows === undefined ? t('loading') : t('total', { shown: rows.length, total })}</span
        >
        ${next === null ? nothing : html`<button class="second small" @click=${() => load(next ?? undefined)}>${t('more')}</button>`}
      </p>`

  const line = (row: Row, open_key: string | undefined) =>
    html`<tr
      class="${open ? 'opens' : ''} ${selection?.isChosen(row) ? 'chosen' : ''}"
      aria-current=${keyOf(row) === open_key ? 'true' : nothing}
      @click=${() => open?.(row)}
    >
      ${selection?.cell(rows ?? [], row)}
      ${columns.shown().map(({ cell, isNumber }, i) => {
        const content = cell(row)
        return html`<td class=${isNumber ? 'number' : ''} dir="auto">
          ${i === 0 && open ? opener(row, content) : content}
        </td>`
      })}
    </tr>`

  /** A click on the link goes up to the row, which would go there too, and not into a new tab. */
  const opener = (row: Row, content: TemplateResult | string | number) =>
    href
      ? html`<a class="link" href=${href(row)} @click=${(event: Event) => event.stopPropagation()}
          >${content}</a
        >`
      : html`<button type="button" class="link">${content}</button>`

  const skeleton = () =>
    Array.from(
      { length: SKELETON },
      () =>
        html`<tr class="skeleton">
          ${selection ? html`<td class="pick"></td>` : nothing}
          ${columns.shown().map(() => html`<td><i></i></td>`)}
        </tr>`,
    )

  const views = createViews({
    place: `table.${table.name ?? ''}`,
    now: () => textOf(new URLSearchParams(location.search)),
    apply: (query) => location.assign(`?${query.toString()}`),
    leaveOut: OPEN,
    update,
  })
  const hasChoice = table.columns.some(({ id }) => id !== undefined)
  const tools = () => html`${views()} ${hasChoice ? columns.chooser() : nothing}`

  return { load, refresh, view, tools }
}

/** The row that is open belongs to no view. */
const OPEN = 'open'
function textOf(query: URLSearchParams): string {
  query.delete(OPEN)
  query.sort()
  return query.toString()
}

/** Up and down move between rows. */
function walk(event: KeyboardEvent) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const row = (event.target as HTMLElement).closest('tr')
  const to = event.key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling
  const button = to?.querySelector<HTMLElement>('.link')
  if (!button) return
  event.preventDefault()
  button.focus()
}
