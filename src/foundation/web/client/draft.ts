import { recall, remember } from './memory.ts'

/*
 * What somebody typed into a form and has not sent yet. It is kept on this device, for this person and this thing, and
 * follows into other tabs. Fields for passwords and files are never kept.
 */

/** Older drafts are of no use: whoever opens the form then begins anew. */
const KEPT_MS = 24 * 60 * 60_000

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
type Draft = { at: number; values: Record<string, string> }

const isKept = (field: Element): field is Field =>
  (field instanceof HTMLInputElement && !['password', 'file', 'hidden'].includes(field.type)) ||
  field instanceof HTMLTextAreaElement ||
  field instanceof HTMLSelectElement
const isTicked = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && ['checkbox', 'radio'].includes(field.type)
const valueOf = (field: Field): string => (isTicked(field) ? String(field.checked) : field.value)
/** Radio buttons share a name. */
const nameOf = (field: Field): string =>
  field instanceof HTMLInputElement && field.type === 'radio' ? `${field.name}=${field.value}` : field.name

function fill(field: Field, value: string): void {
  if (isTicked(field)) field.checked = value === 'true'
  else field.value = value
}

/**
 * Fills the form with its draft and keeps what is typed from now on. `restored`: there was one. `forget` removes it and
 * `discard` puts back what the form began with too.
 */
export function keepDraft(form: HTMLFormElement, thing: string) {
  const name = `draft.${document.body.dataset['person'] ?? ''}.${thing}`
  const fields = () =>
    [...form.elements].filter(isKept).filter((field) => field.name !== '' && field.name !== 'typed')
  const began = new Map(fields().map((field) => [nameOf(field), valueOf(field)]))
  const ended = new AbortController()

  function read(): Draft['values'] {
    try {
      const { at, values } = JSON.parse(recall(name) ?? '') as Draft
      return Date.now() - at < KEPT_MS ? values : {}
    } catch {
      return {}
    }
  }
  function apply(values: Draft['values']): void {
    for (const field of fields()) {
      const value = values[nameOf(field)] ?? began.get(nameOf(field))
      // Nobody's typing is overwritten by another tab.
      if (value !== undefined && field !== document.activeElement && valueOf(field) !== value)
        fill(field, value)
    }
  }
  function save(): void {
    const changed = fields().filter((field) => valueOf(field) !== began.get(nameOf(field)))
    const values = Object.fromEntries(changed.map((field) => [nameOf(field), valueOf(field)]))
    remember(name, changed.length > 0 ? JSON.stringify({ at: Date.now(), values }) : undefined)
  }

  const found = read()
  /** A page that is left right after saving may leave a draft of what is saved. */
  const isNews = Object.entries(found).some(([field, value]) => began.get(field) !== value)
  if (isNews) apply(found)
  else remember(name, undefined)
  const { signal } = ended
  form.addEventListener('input', save, { signal })
  form.addEventListener('change', save, { signal })
  addEventListener('storage', ({ key }) => key?.endsWith(name) && apply(read()), { signal })
  const stop = () => ended.abort()
  const forget = () => {
    stop()
    remember(name, undefined)
  }
  const discard = () => {
    remember(name, undefined)
    for (const field of fields()) fill(field, began.get(nameOf(field)) ?? '')
  }
  return { restored: isNews, stop, forget, discard }
}
