import { SEPARATOR_NAMES } from '#foundation/csv/records.ts'
import { html, nothing, type TemplateResult } from 'lit-html'
import { refusalOf, upload } from '#foundation/web/client/api.ts'
import { texts } from '#foundation/web/client/page.ts'
import { badge } from '#foundation/web/client/parts.ts'
import type { Recognised } from './api-types.ts'
import { UPLOAD_TEXTS } from './upload-texts.ts'

const t = texts(UPLOAD_TEXTS)
/** What a column can be, besides metadata. */
const FIELDS = {
  collections: [
    'collection_id',
    'collection_key',
    'parent_id',
    'parent_key',
    'parent_path',
    'name',
    'description',
    'type',
    'inherit_members',
    '_action',
  ],
  items: [
    'item_id',
    'item_key',
    'collection_ids',
    'collection_keys',
    'collection_path',
    'name',
    'description',
    '_action',
  ],
} as const
const LEFT_OUT = '-'

/** Which header of a file is taken as which field, before anything is imported. Each can be read as something else. */
export function createRecognised(options: () => Record<string, string>, update: () => void) {
  let file: File | undefined
  let [found, fault] = [undefined as Recognised | undefined, '']
  let columns: Record<string, string | null> = {}
  let separator = ''

  async function read(): Promise<void> {
    const asked = file
    if (!asked) return
    try {
      const form = new FormData()
      for (const [name, value] of Object.entries({ ...options(), ...chosen() })) form.set(name, value)
      form.set('file', asked, asked.name)
      const answer = await upload<Recognised>('/api/bulk/recognise', form, 'recognise')
      if (asked !== file) return
      ;[found, fault] = [answer, answer.error?.detail ?? '']
    } catch (error) {
      fault = refusalOf(error).message
    }
    update()
  }

  const chosen = (): Record<string, string> => ({
    ...(Object.keys(columns).length > 0 && { columns: JSON.stringify(columns) }),
    ...(separator && { separator }),
  })
  const cut = (event: Event) => {
    separator = (event.target as HTMLSelectElement).value
    columns = {}
    void read()
  }
  const separators = () =>
    html`<label class="choice"
      ><span>${t('separator')}</span
      ><select @change=${cut}>
        <option value="" ?selected=${separator === ''}>${t('by_header')}</option>
        ${SEPARATOR_NAMES.map((one) => html`<option value=${one} ?selected=${one === separator}>${t(one)}</option>`)}
      </select></label
    >`
  const choose = (header: string) => (event: Event) => {
    const { value } = event.target as HTMLSelectElement
    columns = { ...columns, [header]: value === LEFT_OUT ? null : value }
    void read()
  }

  const columnRow = (
    role: 'collections' | 'items',
    { header, field, nearest }: Recognised['sheets'][number]['columns'][number],
  ) => {
    const meta = `meta.${
      header
        .replace(/^meta\./i, '')
        .toLowerCase()
        .replaceAll(/[^a-z0-9_.-]+/g, '_')
        .slice(0, 60) || 'x'
    }`
    const all = [...new Set([...FIELDS[role], meta, ...(field === null ? [] : [field])])]
    return html`<tr>
      <td dir="auto">${header}</td>
      <td>
        <select aria-label=${`${t('taken_as')}: ${header}`} @change=${choose(header)}>
          <option value=${LEFT_OUT} ?selected=${field === null}>${t('left_out')}</option>
          ${all.map((one) => html`<option value=${one} ?selected=${one === field}>${one}</option>`)}
        </select>
        ${nearest ? badge(t('nearest', { name: nearest }), 'warn') : nothing}
      </td>
    </tr>`
  }

  const sheet = ({ name, role, columns: own }: Recognised['sheets'][number]) =>
    html`<details ?open=${own.some(({ field }) => field === null)}>
      <summary dir="auto">
        ${name || role} ${role === null ? html`<span class="quiet-text">${t('not_read')}</span>` : nothing}
      </summary>
      ${
        role === null
          ? nothing
          : html`<div class="scroll" role="region" tabindex="0" aria-label=${`${t('recognised')}: ${name}`}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">${t('header')}</th>
                    <th scope="col">${t('taken_as')}</th>
                  </tr>
                </thead>
                <tbody>
                  ${own.map((column) => columnRow(role, column))}
                </tbody>
              </table>
            </div>`
      }
    </details>`

  return {
    take(next: File | undefined): void {
      ;[file, found, fault, columns, separator] = [next, undefined, '', {}, '']
      void read()
    },
    chosen,
    view: (): TemplateResult =>
      html`${/\.csv$/i.test(file?.name ?? '') ? separators() : nothing}
      ${fault ? html`<p class="fault" role="alert">${fault}</p>` : nothing}
      ${
        found
          ? html`<h3>${t('recognised')}</h3>
              ${found.sheets.map(sheet)}`
          : nothing
      }`,
  }
}
