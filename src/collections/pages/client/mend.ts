import { html, nothing, type TemplateResult } from 'lit-html'
import { get, getFile, refusalOf } from '#foundation/web/client/api.ts'
import { texts } from '#foundation/web/client/page.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { ErrorInRow, Page } from './api-types.ts'
import { jobPath, refusedOf } from './first-calls.ts'
import { UPLOAD_TEXTS } from './upload-texts.ts'

const t = texts(UPLOAD_TEXTS)

/** As many characters of a cell come with an error. */
const CUT = 100

type Row = { sheet: string; row: number; cells: Map<string, string>; faults: Map<string, string> }
type Mend = {
  /** Sends the workbook of the mended rows, with the options of the job. */
  send: (file: File) => Promise<void>
  update: () => void
}

/** The refused rows of an import as a table: each faulty cell in its row, to be changed in place and sent again. */
export function createMend({ send, update }: Mend) {
  let [job_id, next, isBusy] = ['', null as string | null, false]
  let rows: Row[] = []
  const headers = new Map<string, Map<string, string>>()
  const typed = new Map<Row, Map<string, string>>()
  /** Cells that somebody opened; looking at one changes nothing. */
  const opened = new Set<string>()

  async function load(id: string, cursor?: string): Promise<void> {
    try {
      const page = await get<Page<ErrorInRow>>(refusedOf(id, cursor))
      if (cursor === undefined) {
        rows = []
        headers.clear()
        typed.clear()
        opened.clear()
      }
      for (const one of page.items) take(one)
      ;[job_id, next] = [id, page.next_cursor]
    } catch (error) {
      toast(refusalOf(error).message)
    }
    update()
  }

  function take({ sheet, row, column, header, message, cells }: ErrorInRow): void {
    if (sheet === null || row === null) return
    const known = rows.find((one) => one.sheet === sheet && one.row === row)
    const found = known ?? { sheet, row, cells: new Map<string, string>(), faults: new Map<string, string>() }
    if (!known) rows.push(found)
    const columns = headers.get(sheet) ?? new Map<string, string>()
    headers.set(sheet, columns)
    for (const cell of cells ?? []) {
      found.cells.set(cell.column, cell.text)
      columns.set(cell.column, cell.header)
    }
    if (column === null) return
    found.faults.set(column, message)
    columns.set(column, header ?? column)
  }

  const edit = (row: Row, column: string, text: string) => {
    const cells = typed.get(row) ?? new Map<string, string>()
    typed.set(row, cells.set(column, text))
    update()
  }

  async function submit(): Promise<void> {
    isBusy = true
    update()
    try {
      const sent = [...typed].map(([{ sheet, row }, cells]) => ({
        sheet,
        row,
        cells: Object.fromEntries(cells),
      }))
      const workbook = await getFile(`${jobPath(job_id)}/errors/mended`, { rows: sent })
      await send(new File([workbook], `mended ${sent.length}.xlsx`))
    } catch (error) {
      toast(refusalOf(error).message)
    }
    isBusy = false
    update()
  }

  const cell = (row: Row, column: string, header: string): TemplateResult => {
    const [now, fault] = [typed.get(row)?.get(column), row.faults.get(column)]
    const text = row.cells.get(column) ?? ''
    const key = `${row.sheet} ${row.row} ${column}`
    // The service tells so much of a cell. Of a longer one the beginning is no value to start from.
    const isCut = text.length >= CUT
    const label = t('mend_cell', { row: row.row, header })
    const open = () => {
      opened.add(key)
      update()
    }
    return html`<td
      class=${fault !== undefined && now === undefined ? 'wrong' : ''}
      title=${fault ?? nothing}
      dir="auto"
    >
      ${
        fault !== undefined || opened.has(key)
          ? html`<input
              aria-label=${label}
              aria-invalid=${fault !== undefined && now === undefined ? 'true' : nothing}
              .value=${now ?? (isCut ? '' : text)}
              placeholder=${isCut ? `${text}…` : nothing}
              @change=${(event: Event) => edit(row, column, (event.target as HTMLInputElement).value)}
            />`
          : html`<button
              type="button"
              class="link cut short"
              aria-label=${`${label}: ${text}`}
              @click=${open}
            >
              ${text === '' ? '–' : text}
            </button>`
      }
    </td>`
  }

  const tableOf = (sheet: string) => {
    const columns = [...(headers.get(sheet) ?? [])].toSorted(
      ([a], [b]) => a.length - b.length || (a < b ? -1 : 1),
    )
    const own = rows.filter((one) => one.sheet === sheet && one.cells.size > 0)
    return html`<h4>${sheet}</h4>
      ${own.length === 0 ? html`<p class="quiet-text">${t('mend_none')}</p>` : nothing}
      <div class="scroll mend" role="region" tabindex="0" aria-label=${`${t('mend')}: ${sheet}`}>
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">${t('row')}</th>
              ${columns.map(([, header]) => html`<th scope="col">${header}</th>`)}
              <th scope="col">${t('message')}</th>
            </tr>
          </thead>
          <tbody>
            ${own.map(
              (row) =>
                html`<tr>
                  <td class="number">${row.row}</td>
                  ${columns.map(([column, header]) => cell(row, column, header))}
                  <td class="wrap">${[...row.faults.values()].join('; ')}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>`
  }

  /** For this import; its rows are asked for when they are opened. */
  const view = (id: string): TemplateResult =>
    html`<details
      class="mending"
      ?open=${job_id === id && rows.length > 0}
      @toggle=${(event: Event) => {
        if ((event.target as HTMLDetailsElement).open && job_id !== id) void load(id)
      }}
    >
      <summary>${t('mend')}</summary>
      ${
        job_id === id
          ? html`<p class="quiet-text">${t('mend_text')}</p>
              ${[...headers.keys()].map(tableOf)}
              <div class="actions">
                ${next === null ? nothing : html`<button type="button" class="second small" @click=${() => load(id, next ?? undefined)}>${t('mend_more')}</button>`}
                <button type="button" ?disabled=${isBusy || typed.size === 0} @click=${submit}>
                  ${t('mend_send', { count: typed.size })}
                </button>
              </div>`
          : nothing
      }
    </details>`
  return { view }
}
