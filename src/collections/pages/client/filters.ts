import { html, nothing, type TemplateResult } from 'lit-html'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { texts } from '#foundation/web/client/page.ts'
import { search, setFilters, setQuery } from './address.ts'
import { metadataField, nameOfField } from './fields.ts'
import { TEXTS } from './texts.ts'

const t = texts(TEXTS)
const OPERATORS = ['contains', 'eq', 'ne', 'starts_with', 'gt', 'lt', 'is_null', 'not_null'] as const
type Operator = (typeof OPERATORS)[number]
const PAUSE_MS = 300
const MOST = 10

/** A condition of the address: `filter[metadata.year][gt]=1900`. */
type Filter = { field: string; operator: Operator; value: string }

function inAddress(): Filter[] {
  return [...search()].flatMap(([name, value]) => {
    const [, field = '', word = ''] = /^filter\[([^\]]{1,80})\]\[([a-z_]{1,20})\]$/.exec(name) ?? []
    const operator =
      word === 'is_null' && value === 'false' ? 'not_null' : OPERATORS.find((one) => one === word)
    return operator === undefined || field === '' ? [] : [{ field, operator, value }]
  })
}

const put = (filters: readonly Filter[]) =>
  setFilters(
    filters.map(({ field, operator, value }) =>
      operator === 'is_null' || operator === 'not_null'
        ? [`filter[${field}][is_null]`, String(operator === 'is_null')]
        : [`filter[${field}][${operator}]`, value],
    ),
  )

/** Search and conditions above the list; both stand in the address, in the words of the API. */
export function createFilters(keys: () => readonly string[], changed: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined

  const type = (event: Event) => {
    const q = (event.target as HTMLInputElement).value.trim()
    clearTimeout(timer)
    timer = setTimeout(() => {
      setQuery({ q })
      changed()
    }, PAUSE_MS)
  }
  const titleOf = (field: string) =>
    field === 'name' || field === 'description'
      ? t(field)
      : field === 'external_key'
        ? t('key')
        : nameOfField(field)

  function add(): void {
    const fields = ['name', 'description', 'external_key', ...keys().map(metadataField)]
    openDialog({
      title: t('add_filter'),
      submit: t('add_filter'),
      content: html`<label
          >${t('filter_on')}
          <select name="field">
            ${fields.map((field) => html`<option value=${field}>${titleOf(field)}</option>`)}
          </select></label
        >
        <label
          >${t('compare')}
          <select name="operator">
            ${OPERATORS.map((one) => html`<option value=${one}>${t(`op_${one}`)}</option>`)}
          </select></label
        >
        <label>${t('value')} <input name="value" dir="auto" maxlength="300" autocomplete="off" /></label>`,
      act: async (form) => {
        const [field, operator, value] = ['field', 'operator', 'value'].map((name) => textIn(form, name))
        const isWhole = operator === 'is_null' || operator === 'not_null' || value !== ''
        if (!isWhole) return false
        put([...inAddress(), { field: field ?? '', operator: operator as Operator, value: value ?? '' }])
        changed()
        return true
      },
    })
  }

  function drop(at: number): void {
    put(inAddress().filter((_, i) => i !== at))
    changed()
  }

  const chip = ({ field, operator, value }: Filter, at: number) =>
    html`<li class="chip">
      <span dir="auto"
        ><b>${titleOf(field)}</b>
        ${t(`op_${operator}`)}${operator === 'is_null' || operator === 'not_null' ? nothing : html` “${value}”`}</span
      >
      <button
        type="button"
        class="quiet small"
        aria-label=${t('drop_filter', { name: titleOf(field) })}
        @click=${() => drop(at)}
      >
        ×
      </button>
    </li>`

  const view = (): TemplateResult => {
    const filters = inAddress()
    return html`<input
        class="items-search"
        type="search"
        aria-label=${t('search')}
        placeholder=${t('search_hint')}
        .value=${search().get('q') ?? ''}
        maxlength="200"
        @input=${type}
      />
      <button type="button" class="second small" ?disabled=${filters.length >= MOST} @click=${add}>
        ${t('add_filter')}
      </button>
      ${
        filters.length === 0
          ? nothing
          : html`<ul class="chips" aria-label=${t('filters')}>
              ${filters.map(chip)}
            </ul>`
      }`
  }

  return { view, areSet: () => inAddress().length > 0 || search().has('q') }
}

export function textIn(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}
