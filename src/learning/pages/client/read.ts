import { html } from './html.ts'

/*
 * Reads form controls in API form. An empty optional control is null, which means the default.
 */

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

function control(place: HTMLElement, name: string): Control {
  const found = place.querySelector<Control>(`[name="${name}"]`)
  if (!found) throw new Error(`the form has no ${name}`)
  return found
}

export const textIn = (place: HTMLElement, name: string): string => control(place, name).value

export const textOrNull = (place: HTMLElement, name: string): string | null =>
  control(place, name).value.trim() || null

export const numberIn = (place: HTMLElement, name: string): number | null => {
  const text = control(place, name).value.trim()
  return text === '' ? null : Number(text)
}

export const isTicked = (place: HTMLElement, name: string): boolean =>
  (control(place, name) as HTMLInputElement).checked

/** Reads a local date and time of the viewer as an ISO instant. */
export const momentIn = (place: HTMLElement, name: string): string | null => {
  const { value } = control(place, name)
  return value === '' ? null : new Date(value).toISOString()
}

/** An instant as the value of a datetime-local input, in the viewer's zone. */
export function localMoment(time: string | null): string {
  if (time === null) return ''
  const at = new Date(time)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Splits a comma-separated list. */
export const listIn = (place: HTMLElement, name: string): string[] =>
  control(place, name)
    .value.split(',')
    .map((one) => one.trim())
    .filter(Boolean)

/** Parses `1:02:09`, `4:05` or plain seconds; null if invalid. */
export function secondsOf(text: string): number | null {
  const parts = text.trim().split(':').map(Number)
  if (text.trim() === '' || parts.length > 3 || parts.some((part) => Number.isNaN(part) || part < 0))
    return null
  return parts.reduce((sum, part) => sum * 60 + part, 0)
}

/** A textarea. Its value is set afterwards, because the template has no holes within a textarea. */
export function area(value: string, max: number, rows = 5): HTMLTextAreaElement {
  const made = html`<textarea rows=${rows} maxlength=${max} dir="auto"></textarea>` as HTMLTextAreaElement
  made.value = value
  return made
}

/** Asks before the visitor leaves the page with unsaved changes. */
export function guardUnsaved(form: HTMLElement, shown: (isDirty: boolean) => void) {
  let isDirty = false
  const set = (now: boolean) => {
    if (isDirty !== now) shown(now)
    isDirty = now
  }
  form.addEventListener('input', () => set(true))
  addEventListener('beforeunload', (event) => {
    if (isDirty && form.isConnected) event.preventDefault()
  })
  return { saved: () => set(false), changed: () => set(true) }
}
