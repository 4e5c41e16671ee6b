import { texts } from '#foundation/web/client/language.ts'
import { refusalOf } from './api.ts'
import { type Child, html } from './html.ts'
import { inLanguage } from './refusals.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { sentence } from './states.ts'
import { toast } from './toast.ts'

const t = texts(SHELL_TEXTS)

type Field = {
  name: string
  label: string
  hint?: Child
  isOptional?: boolean
  /** The input, select or textarea. It gets an id, a name and aria-describedby. */
  control: HTMLElement
}

let fields = 0

/** Controls that hold words, which find their own direction. */
const WRITTEN = 'textarea, input:not([type])'

/** A labelled control with a hint. `showFaults` attaches its errors. */
export function field({ name, label, hint, isOptional = false, control }: Field): HTMLElement {
  const id = `f${(fields += 1)}-${name}`
  control.id = id
  control.setAttribute('name', name)
  if (control.matches(WRITTEN)) control.dir = 'auto'
  if (hint) control.setAttribute('aria-describedby', `${id}-hint`)
  return html`<div class="field" data-field=${name}>
    <label for=${id} dir="auto"
      >${label}${isOptional && html`<span class="optional"> ${t('optional')}</span>`}</label
    >
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`} ${control}
  </div>`
}

/** A checkbox with its label. */
export function tick(name: string, label: string, isOn = false, hint?: string): HTMLElement {
  const id = `f${(fields += 1)}-${name}`
  return html`<div class="tick" data-field=${name}>
    <input
      type="checkbox"
      id=${id}
      name=${name}
      checked=${isOn}
      aria-describedby=${hint ? `${id}-hint` : null}
    />
    <label for=${id}>${label}</label>
    ${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`
}

/** Marks a control as required and returns it. */
export function required<T extends HTMLElement>(control: T): T {
  control.setAttribute('required', '')
  return control
}

export const select = (
  options: readonly (readonly [value: string, text: string])[],
  value = '',
): HTMLSelectElement =>
  html`<select>
    ${options.map(([one, text]) => html`<option dir="auto" value=${one} selected=${one === value}>${text}</option>`)}
  </select>` as HTMLSelectElement

/**
 * Shows a focused summary above the form and each error at its field. Errors have the API form `title: is required;
 * episodes[2].title: …`. An error without a matching field is only in the summary.
 */
export function showFaults(form: HTMLElement, detail: string): void {
  clearFaults(form)
  const lines = detail.split('; ').map((line) => {
    const [, path = '', message = line] = /^([\w.[\]-]+): (.+)$/.exec(line) ?? []
    return {
      place: path ? form.querySelector<HTMLElement>(`[data-field="${CSS.escape(path)}"]`) : null,
      path,
      message,
    }
  })
  const items = lines.map(({ place, path, message }) => {
    const control = place?.querySelector<HTMLElement>('input, select, textarea')
    if (!place || !control) return html`<li>${path && `${path} `}${sentence(message)}</li>`
    const fault = html`<p class="fault" id="${control.id}-fault">${capital(sentence(message))}</p>`
    control.before(fault)
    control.setAttribute('aria-invalid', 'true')
    control.setAttribute(
      'aria-describedby',
      `${control.id}-fault ${control.getAttribute('aria-describedby') ?? ''}`.trim(),
    )
    const texts = Array.from(
      place.querySelector('label')?.childNodes ?? [],
      (node) => node instanceof Text && node.data.trim(),
    )
    // Of several rows, the number says which.
    const row = path.match(/(?<=\[)\d+(?=\])/g)?.at(-1)
    const label = `${texts.find(Boolean) || path}${row === undefined ? '' : ` ${Number(row) + 1}`}`
    return html`<li><a href="#${control.id}">${label}: ${inLanguage(message)}</a></li>`
  })
  const summary = html`<div class="faults" role="alert" tabindex="-1">
    <h2>${t('problem')}</h2>
    <ul>
      ${items}
    </ul>
  </div>`
  form.prepend(summary)
  summary.focus()
}

export function clearFaults(form: HTMLElement): void {
  for (const one of form.querySelectorAll('.faults, .fault')) one.remove()
  for (const control of form.querySelectorAll('[aria-invalid]')) {
    control.removeAttribute('aria-invalid')
    const named = (control.getAttribute('aria-describedby') ?? '').split(' ')
    const left = named.filter((id) => !id.endsWith('-fault')).join(' ')
    if (left) control.setAttribute('aria-describedby', left)
    else control.removeAttribute('aria-describedby')
  }
}

/**
 * Runs a slow action of a button and ignores further clicks meanwhile. Shows a refusal in `form`, or as a toast.
 * Returns whether it worked.
 */
export async function act(
  button: HTMLElement,
  work: () => Promise<void>,
  form?: HTMLElement,
): Promise<boolean> {
  if (button.getAttribute('aria-disabled') === 'true') return false
  // Not `disabled`, which would drop the keyboard focus.
  button.setAttribute('aria-disabled', 'true')
  if (form) clearFaults(form)
  try {
    await work()
    return true
  } catch (error) {
    const { message, status } = refusalOf(error)
    if (status === -1) reportError(error)
    if (form && status !== 401 && status !== 0) showFaults(form, message)
    else toast(status === 401 ? t('signed_out') : sentence(message), { isFault: true })
    return false
  } finally {
    button.removeAttribute('aria-disabled')
  }
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
