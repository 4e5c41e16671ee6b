import { type LessonDraft, isSame } from './editor-draft.ts'
import { html } from './html.ts'

/** Reading a long form at each key would be felt (ms). */
const PAUSE_MS = 200

/** A form, and its values by the names of the API. */
type Form = { element: HTMLElement; read: () => object }

export type Part = {
  element: HTMLElement
  /** Tells the draft what was typed since. */
  check: () => void
  /** Shows what the draft says now: all of it once nobody types here, and these fields at once where that is possible. */
  renew: (names?: readonly string[]) => void
  /** Whether a field of the lesson stands in this form. */
  has: (name: string) => boolean
}

/** Binds a form to the draft: what is typed is kept by field, and what others typed appears. `prefix`: of its fields. */
export function partOf(draft: LessonDraft, prefix: string, make: () => Form): Part {
  const element = html`<div></div>`
  let form: Form
  let last: Record<string, unknown> = {}
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDue = false

  function build() {
    isDue = false
    form = make()
    element.replaceChildren(form.element)
    last = read()
  }
  /** Values with the names of the lesson, which the fields get too, so that errors find them. */
  function read(): Record<string, unknown> {
    const values = Object.entries(form.read()).map(([name, value]) => [prefix + name, value] as const)
    for (const one of element.querySelectorAll<HTMLElement>('[data-field]')) {
      const name = one.dataset['field'] ?? ''
      if (!name.startsWith(prefix) && !one.closest('.rowlist')) one.dataset['field'] = prefix + name
    }
    return Object.fromEntries(values)
  }
  function check() {
    clearTimeout(timer)
    timer = undefined
    const now = read()
    for (const [name, value] of Object.entries(now)) if (!isSame(value, last[name])) draft.put(name, value)
    last = now
  }
  const later = () => (timer ??= setTimeout(check, PAUSE_MS))
  element.addEventListener('input', later)
  element.addEventListener('change', later)
  element.addEventListener('focusout', ({ relatedTarget }) => {
    if (isDue && !element.contains(relatedTarget as Node | null)) renew()
  })

  function renew(names: readonly string[] = []) {
    check()
    if (!element.contains(document.activeElement)) return build()
    const { element: fresh } = make()
    for (const name of names.filter(has)) {
      const [old, now] = [element, fresh].map((one) => controlIn(one, name.slice(prefix.length)))
      // What is typed into now, and rows, wait.
      if (!old || !now || old === document.activeElement) isDue = true
      else {
        old.value = now.value
        old.checked = now.checked
      }
    }
    last = read()
  }
  const has = (name: string) => name in last
  build()
  return {
    element,
    check,
    renew,
    has,
  }
}

const controlIn = (place: HTMLElement, field: string) =>
  place.querySelector<HTMLInputElement>(`[name="${field}"]:not(.rowlist *)`)
