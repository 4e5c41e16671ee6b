import { type Separator, SEPARATOR_NAMES, SEPARATORS } from '#foundation/csv/records.ts'
import { html, nothing, type TemplateResult } from 'lit-html'
import { texts } from '#foundation/web/client/page.ts'
import { IMPORT_TEXTS } from './import-texts.ts'
import { columnOf, IMPORT_COLUMNS, isColumn, readCsv, renamed } from './people-file.ts'

const t = texts(IMPORT_TEXTS)
const SHOWN_ROWS = 20
/** Enough of a file for its first rows. */
const HEAD_BYTES = 262_144

export type ChosenFile = {
  file: File
  separator: () => Separator
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
  let head = readCsv(text, { most: SHOWN_ROWS })
  let names = head.header.map(columnOf)
  let all: ReturnType<ChosenFile['rows']> | undefined

  const isAsNamed = () => names.every((name, i) => name === head.header[i])
  const fault = () => {
    if (head.rows.length === 0) return t('not_csv')
    if (names.some(isUnknown)) return t('unknown')
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
        aria-invalid=${isUnknown(name) ? 'true' : nothing}
        @change=${choose(i)}
      >
        ${isColumn(name) ? nothing : html`<option selected>${name}</option>`}
        ${IMPORT_COLUMNS.map((one) => html`<option ?selected=${one === name}>${one}</option>`)}
      </select>
    </th>`
  const separator = () => SEPARATOR_NAMES.find((one) => SEPARATORS[one] === head.delimiter) ?? 'comma'
  const cut = (event: Event) => {
    const name = SEPARATOR_NAMES.find((one) => one === (event.target as HTMLSelectElement).value)
    if (name) head = readCsv(text, { most: SHOWN_ROWS, named: SEPARATORS[name] })
    names = head.header.map(columnOf)
    all = undefined
    update()
  }
  const preview = () =>
    html`<label class="choice"
        ><span>${t('separator')}</span>
        <select @change=${cut}>
          ${SEPARATOR_NAMES.map((one) => html`<option value=${one} ?selected=${one === separator()}>${t(one)}</option>`)}
        </select></label
      >
      <div class="scroll" role="region" tabindex="0" aria-label=${t('preview')}>
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
    separator,
    content: () => (isAsNamed() ? file : renamed(file, text, head, names)),
    rows: () =>
      (all ??= file
        .text()
        .then((whole) => ({ ...readCsv(whole, { named: head.delimiter }), header: [...names] }))),
  }
}

/** A column without a name is passed over. */
const isUnknown = (name: string) => name !== '' && !isColumn(name)
