import { html, nothing, type TemplateResult } from 'lit-html'
import { texts } from '#foundation/web/client/page.ts'
import { IMPORT_TEXTS } from './import-texts.ts'
import { IMPORT_COLUMNS, readCsv, renamed } from './people-file.ts'

const t = texts(IMPORT_TEXTS)
const SHOWN_ROWS = 20
/** Enough of a file for its first rows. */
const HEAD_BYTES = 262_144

export type ChosenFile = {
  file: File
  /** With the columns as chosen. */
  content: () => Blob
  /** What keeps it from being sent; empty if nothing does. */
  fault: () => string
  preview: () => TemplateResult
  /** All rows, read when first asked for. */
  rows: () => Promise<{ header: string[]; rows: string[][]; delimiter: string }>
}

/** A file of people with its first rows and what each column is. */
export async function chosenFile(file: File, update: () => void): Promise<ChosenFile> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    await file.slice(0, HEAD_BYTES).arrayBuffer(),
  )
  const head = readCsv(text, SHOWN_ROWS)
  const names = head.header.map(columnOf)
  let all: ReturnType<ChosenFile['rows']> | undefined

  const isAsNamed = () => names.every((name, i) => name === head.header[i])
  const fault = () => {
    if (head.rows.length === 0) return t('not_csv')
    if (names.some((name) => !isColumn(name))) return t('unknown')
    return names.includes('email') ? '' : t('no_email')
  }
  const choose = (i: number) => (event: Event) => {
    names[i] = (event.target as HTMLSelectElement).value
    update()
  }
  const picker = (name: string, i: number) =>
    html`<th scope="col">
      <select
        aria-label=${t('column', { name: head.header[i] ?? '' })}
        aria-invalid=${isColumn(name) ? nothing : 'true'}
        @change=${choose(i)}
      >
        ${isColumn(name) ? nothing : html`<option selected>${name}</option>`}
        ${IMPORT_COLUMNS.map((one) => html`<option ?selected=${one === name}>${one}</option>`)}
      </select>
    </th>`
  const preview = () =>
    html`<div class="scroll" role="region" tabindex="0" aria-label=${t('preview')}>
      <table>
        <thead>
          <tr>
            ${names.map(picker)}
          </tr>
        </thead>
        <tbody>
          ${head.rows.slice(0, SHOWN_ROWS).map(
            (cells) =>
              html`<tr>
                ${cells.map((cell) => html`<td dir="auto">${cell}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`
  return {
    file,
    fault,
    preview,
    content: () => (isAsNamed() ? file : renamed(file, text, head, names)),
    rows: () => (all ??= file.text().then((whole) => ({ ...readCsv(whole), header: [...names] }))),
  }
}

const isColumn = (name: string) => IMPORT_COLUMNS.some((one) => one === name)

/** `E-Mail` is `email`, `Display name` is `display_name`. */
function columnOf(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, '')
  return IMPORT_COLUMNS.find((one) => one.replaceAll('_', '') === plain) ?? name
}
