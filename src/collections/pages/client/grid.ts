import { html, nothing, render, type TemplateResult } from 'lit-html'
import { texts } from '#foundation/web/client/page.ts'
import type { Item } from './api-types.ts'
import { type GridColumn, rawOf } from './grid-columns.ts'
import type { Rows } from './grid-rows.ts'
import { GRID_TEXTS } from './grid-texts.ts'
import type { Picked } from './picked.ts'

const t = texts(GRID_TEXTS)

/** The height of a row in pixels, as collections.css has it. */
const ROW = 40
/** Rows beyond the edges of what is in sight. */
const SPARE = 12
/** No browser draws a taller element: the rest is found by filters. */
const MOST_ROWS = 400_000

type Grid = {
  label: string
  rows: Rows
  columns: () => readonly GridColumn[]
  picked: Picked
  mayEdit: () => boolean
  /** The name of the order that the service knows, with `-` for descending. */
  sort: () => string | undefined
  sortBy: (sort: string) => void
  open: (item: Item) => void
  openId: () => string | null
  /** Takes cells of the clipboard, for this cell and those beside and below it. */
  paste: (place: Place, text: string) => void
  /** Saves what was typed into a cell. */
  save: (item: Item, field: string, typed: string) => Promise<void>
  empty: () => TemplateResult
}
type Place = { row: number; column: number }

/**
 * A table of any length, of which only what is in sight is in the document. Arrow keys move between cells; Enter or F2
 * edits one, Tab saves it and goes on, Esc leaves it; Space picks the row.
 */
export function createGrid(grid: Grid) {
  const { rows, picked } = grid
  const box = document.createElement('div')
  box.className = 'grid'
  box.tabIndex = -1
  let active: Place = { row: 0, column: 0 }
  /** By item and field, because rows and columns move while somebody types. */
  let editing: { item: Item; field: string; was: string; typed: string } | undefined
  let isRendering = false
  let wantsFocus = false

  const total = () => Math.min(rows.total(), MOST_ROWS)
  const span = () => {
    const head = ROW
    const first = Math.max(0, Math.floor((box.scrollTop - head) / ROW) - SPARE)
    const last = Math.min(total(), Math.ceil((box.scrollTop + (box.clientHeight || 600)) / ROW) + SPARE)
    return [Math.min(first, total()), last] as const
  }

  function show(): void {
    // What is rendered away loses the focus, and is saved then.
    if (isRendering) return queueMicrotask(show)
    const [first, last] = span()
    rows.want(first, Math.max(first, last - 1))
    isRendering = true
    render(view(first, last), box)
    isRendering = false
    // The policy for styles forbids the attribute `style`, not this.
    for (const space of box.querySelectorAll<HTMLElement>('[data-height]'))
      space.style.height = `${space.dataset['height'] ?? 0}px`
    if (!wantsFocus) return
    wantsFocus = false
    const cell =
      box.querySelector<HTMLElement>('.cell-edit') ?? box.querySelector<HTMLElement>('td[tabindex="0"]')
    cell?.focus({ preventScroll: true })
    if (cell instanceof HTMLInputElement) cell.select()
  }

  const view = (first: number, last: number) => {
    const columns = grid.columns()
    const width = columns.length + 1
    const indexes = Array.from({ length: last - first }, (_, i) => first + i)
    return html`<table
        role="grid"
        aria-label=${grid.label}
        aria-rowcount=${rows.total() + 1}
        aria-busy=${!rows.isLoaded()}
      >
        <thead>
          <tr>
            <td class="pick">${picked.heading(rows)}</td>
            ${columns.map(heading)}
          </tr>
        </thead>
        <tbody
          @keydown=${onKey}
          @paste=${onPaste}
          @copy=${onCopy}
          @dblclick=${onDoubleClick}
          @click=${onClick}
        >
          ${
            first > 0
              ? html`<tr aria-hidden="true">
                  <td colspan=${width} data-height=${first * ROW}></td>
                </tr>`
              : nothing
          }
          ${rows.isLoaded() ? indexes.map((index) => line(index, columns)) : skeleton(width)}
          ${
            last < total()
              ? html`<tr aria-hidden="true">
                  <td colspan=${width} data-height=${(total() - last) * ROW}></td>
                </tr>`
              : nothing
          }
        </tbody>
      </table>
      ${rows.isLoaded() && rows.total() === 0 ? grid.empty() : nothing}
      ${rows.fault() ? html`<p class="fault" role="alert">${rows.fault()} <button class="second small" @click=${() => rows.reload()}>${t('again')}</button></p>` : nothing}`
  }

  const heading = ({ title, sort, size }: GridColumn) => {
    const now = grid.sort()
    const direction = now === sort ? 'ascending' : now === `-${sort ?? ''}` ? 'descending' : 'none'
    return sort === undefined
      ? html`<th scope="col" class=${size}>${title}</th>`
      : html`<th scope="col" class=${size} aria-sort=${direction}>
          <button type="button" class="link" @click=${() => grid.sortBy(now === sort ? `-${sort}` : sort)}>
            ${title}
            ${direction === 'none' ? nothing : html`<span aria-hidden="true">${direction === 'ascending' ? '↑' : '↓'}</span>`}
          </button>
        </th>`
  }

  const line = (index: number, columns: readonly GridColumn[]) => {
    const item = rows.at(index)
    if (!item)
      return html`<tr class="skeleton" aria-rowindex=${index + 2}>
        <td></td>
        ${columns.map(() => html`<td><i></i></td>`)}
      </tr>`
    return html`<tr
      data-row=${index}
      aria-rowindex=${index + 2}
      aria-selected=${picked.has(item.id)}
      aria-current=${item.id === grid.openId() ? 'true' : nothing}
    >
      <td class="pick">${picked.cell(rows, item)}</td>
      ${columns.map((column, i) => cell(item, column, { row: index, column: i }))}
    </tr>`
  }

  const cell = (item: Item, column: GridColumn, place: Place) => {
    const isActive = place.row === active.row && place.column === active.column
    const isEdited = editing?.item.id === item.id && editing.field === column.field
    if (editing && isEdited)
      return html`<td class=${column.size} data-column=${place.column}>
        <input
          class="cell-edit"
          dir="auto"
          aria-label=${`${column.title}: ${item.name}`}
          .value=${editing.typed}
          @input=${(event: Event) => {
            if (editing) editing.typed = (event.target as HTMLInputElement).value
          }}
          @keydown=${onEditKey}
          @blur=${leave}
        />
      </td>`
    return html`<td
      class=${column.size}
      data-column=${place.column}
      tabindex=${isActive ? 0 : -1}
      aria-readonly=${column.field === undefined || !grid.mayEdit()}
      dir="auto"
    >
      ${place.column === 0 ? html`<button type="button" class="link" tabindex="-1" @click=${() => grid.open(item)}>${column.text(item)}</button>` : column.text(item)}
    </td>`
  }

  const skeleton = (width: number) =>
    Array.from(
      { length: 12 },
      () =>
        html`<tr class="skeleton">
          ${Array.from({ length: width }, () => html`<td><i></i></td>`)}
        </tr>`,
    )

  /** The cell of an event. */
  function placeOf(target: EventTarget | null): Place | undefined {
    const td = (target as HTMLElement | null)?.closest('td')
    const row = td?.closest('tr')?.dataset['row']
    const column = td?.dataset['column']
    return row === undefined || column === undefined
      ? undefined
      : { row: Number(row), column: Number(column) }
  }

  function moveTo(to: Place): void {
    active = {
      row: Math.max(0, Math.min(total() - 1, to.row)),
      column: Math.max(0, Math.min(grid.columns().length - 1, to.column)),
    }
    const top = active.row * ROW
    if (top < box.scrollTop) box.scrollTop = top
    else if (top + 2 * ROW > box.scrollTop + box.clientHeight)
      box.scrollTop = top + 2 * ROW - box.clientHeight
    wantsFocus = true
    show()
  }

  /** A value of several lines is edited in the panel: one line would lose their ends. */
  function edit(place: Place): void {
    const item = rows.at(place.row)
    const field = grid.columns()[place.column]?.field
    if (!item || field === undefined || !grid.mayEdit()) return
    const was = rawOf(item, field)
    if (was.includes('\n')) return grid.open(item)
    active = place
    begin(item, field, was)
  }

  function begin(item: Item, field: string, typed: string): void {
    editing = { item, field, was: rawOf(item, field), typed }
    wantsFocus = true
    show()
  }

  function onKey(event: KeyboardEvent): void {
    if ((event.target as HTMLElement).tagName !== 'TD') return
    const place = placeOf(event.target)
    if (!place) return
    const page = Math.max(1, Math.floor(box.clientHeight / ROW) - 2)
    const moves: Record<string, Place> = {
      ArrowDown: { ...place, row: place.row + 1 },
      ArrowUp: { ...place, row: place.row - 1 },
      ArrowRight: { ...place, column: place.column + 1 },
      ArrowLeft: { ...place, column: place.column - 1 },
      PageDown: { ...place, row: place.row + page },
      PageUp: { ...place, row: place.row - page },
      Home: { ...place, column: 0, ...(event.ctrlKey && { row: 0 }) },
      End: { ...place, column: Infinity, ...(event.ctrlKey && { row: Infinity }) },
    }
    const to = moves[event.key]
    const item = rows.at(place.row)
    if (to) moveTo(to)
    else if (event.key === ' ' && item) picked.toggle(rows, item, event.shiftKey)
    else if (event.key === 'F2') edit(place)
    else if (event.key === 'Enter' && item) {
      if (place.column === 0 && !event.ctrlKey) grid.open(item)
      else edit(place)
    } else return
    event.preventDefault()
  }

  function onPaste(event: ClipboardEvent): void {
    const at = placeOf(event.target)
    const text = event.clipboardData?.getData('text/plain') ?? ''
    if (!at || text === '' || !grid.mayEdit() || (event.target as HTMLElement).tagName !== 'TD') return
    event.preventDefault()
    grid.paste(at, text)
  }

  /** The whole value of the cell, unless somebody marked a part of what is shown. */
  function onCopy(event: ClipboardEvent): void {
    const at = placeOf(event.target)
    const [item, column] = [rows.at(at?.row ?? -1), grid.columns()[at?.column ?? -1]]
    if (!item || !column || getSelection()?.isCollapsed === false) return
    if ((event.target as HTMLElement).tagName !== 'TD') return
    event.preventDefault()
    const value = column.field === undefined ? column.text(item) : rawOf(item, column.field)
    event.clipboardData?.setData('text/plain', value)
  }

  function onClick(event: MouseEvent): void {
    const place = placeOf(event.target)
    if (!place || editing) return
    active = place
    wantsFocus = (event.target as HTMLElement).tagName === 'TD'
    show()
  }

  function onDoubleClick(event: MouseEvent): void {
    const place = placeOf(event.target)
    if (place && !(event.target as HTMLElement).closest('input')) edit(place)
  }

  function onEditKey(event: KeyboardEvent): void {
    const at = placeOf(event.target) ?? active
    if (!editing) return
    if (event.key === 'Escape') {
      editing = undefined
      event.stopPropagation()
      moveTo(at)
    } else if (event.key === 'Enter' || event.key === 'Tab') {
      event.preventDefault()
      leave()
      moveTo(
        event.key === 'Enter'
          ? { ...at, row: at.row + (event.shiftKey ? -1 : 1) }
          : { ...at, column: at.column + (event.shiftKey ? -1 : 1) },
      )
    }
  }

  /** Saves what was typed, wherever the row is now; an unchanged cell is not sent. */
  function leave(): void {
    const edited = editing
    if (!edited) return
    editing = undefined
    const { item, field, was, typed } = edited
    if (typed !== was) void grid.save(item, field, typed).finally(show)
    show()
  }

  let isWaiting = false
  box.addEventListener('scroll', () => {
    if (isWaiting) return
    isWaiting = true
    requestAnimationFrame(() => {
      isWaiting = false
      show()
    })
  })
  new ResizeObserver(show).observe(box)

  return {
    element: box,
    show,
    toTop() {
      box.scrollTop = 0
      active = { row: 0, column: 0 }
    },
    /** The cell is open again with what was typed: it is not saved. */
    reopen: (item: Item, field: string, typed: string) => {
      if (!editing) begin(item, field, typed)
    },
    /** The row comes into sight, if it is here. */
    reveal(id: string) {
      const index = rows.indexOf(id)
      if (index >= 0) moveTo({ row: index, column: 0 })
    },
  }
}
