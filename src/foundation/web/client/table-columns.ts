import { html, nothing, type TemplateResult } from 'lit-html'
import { recall, remember } from './memory.ts'
import { setQuery, texts } from './page.ts'

const t = texts({
  en: { columns: 'Columns' },
  de: { columns: 'Spalten' },
  es: { columns: 'Columnas' },
})

export type Column<Row> = {
  /** By this name a column can be hidden. Without one it is always shown, as a first column should be. */
  id?: string
  title: string
  cell: (row: Row) => TemplateResult | string | number
  isNumber?: boolean
  /** Hidden until somebody chooses it. */
  isHidden?: boolean
  /** The name by which the service sorts this column. */
  sort?: string
}

/** Which columns of a table are shown. This browser remembers it under the name of the table. */
export function createColumns<Row>(
  name: string | undefined,
  all: readonly Column<Row>[],
  update: () => void,
) {
  const place = name && `table.${name}`
  /** Only what was chosen otherwise than we would: `plan:1` is shown, `plan:0` is hidden. */
  const kept = place ? recall(place) : undefined
  const chosen = new Map(kept?.split(',').map((one) => one.split(':') as [string, string]))
  const isShown = ({ id, isHidden }: Column<Row>) =>
    id === undefined || (chosen.get(id) ?? (isHidden ? '0' : '1')) === '1'
  const toggle = ({ id = '', isHidden = false }: Column<Row>, isOn: boolean) => {
    if (isOn === isHidden) chosen.set(id, isOn ? '1' : '0')
    else chosen.delete(id)
    if (place)
      remember(place, chosen.size > 0 ? [...chosen].map((one) => one.join(':')).join(',') : undefined)
    update()
  }

  const chooser = (): TemplateResult =>
    html`<details class="chooser" @focusout=${closeWhenLeft} @keydown=${closeOnEscape}>
      <summary>${t('columns')}</summary>
      <fieldset>
        <legend>${t('columns')}</legend>
        ${all
          .filter(({ id }) => id !== undefined)
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

  return { shown: () => all.filter(isShown), chooser }
}

function closeWhenLeft({ currentTarget, relatedTarget }: FocusEvent) {
  const details = currentTarget as HTMLDetailsElement
  // A click on a label leaves for nowhere first.
  if (relatedTarget && !details.contains(relatedTarget as Node)) details.open = false
}

function closeOnEscape(event: KeyboardEvent) {
  const details = event.currentTarget as HTMLDetailsElement
  if (event.key !== 'Escape' || !details.open) return
  event.stopPropagation()
  details.open = false
  details.querySelector('summary')?.focus()
}

/** The order of a table, in `sort` of the address: the name that the service knows, with `-` for descending. */
export function createOrder<Row>(columns: readonly Column<Row>[], changed: () => void) {
  const names = new Set(columns.flatMap(({ sort }) => (sort === undefined ? [] : [sort, `-${sort}`])))
  /** The address may have been changed by the page, too. */
  const current = () => {
    const given = new URLSearchParams(location.search).get('sort')
    return given !== null && names.has(given) ? given : undefined
  }
  const sortBy = (sort: string) => {
    setQuery({ sort: current() === sort ? `-${sort}` : sort })
    changed()
  }
  const heading = ({ title, isNumber, sort }: Column<Row>): TemplateResult => {
    const now = current()
    const direction = now === sort ? 'ascending' : now === `-${sort ?? ''}` ? 'descending' : 'none'
    return sort === undefined
      ? html`<th scope="col" class=${isNumber ? 'number' : ''}>${title}</th>`
      : html`<th scope="col" class=${isNumber ? 'number' : ''} aria-sort=${direction}>
          <button type="button" class="link" @click=${() => sortBy(sort)}>
            ${title}
            ${direction === 'none' ? nothing : html`<span aria-hidden="true">${direction === 'ascending' ? '↑' : '↓'}</span>`}
          </button>
        </th>`
  }
  return { current, heading }
}
