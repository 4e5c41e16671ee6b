import { texts } from '#foundation/web/client/language.ts'
import { field } from './form.ts'
import { html } from './html.ts'
import { area } from './read.ts'
import { SHELL_TEXTS } from './shell-texts.ts'

const t = texts(SHELL_TEXTS)

type Written = {
  name: string
  label: string
  value: string
  max: number
  rows?: number
  hint?: string
}

/** An optional text in Markdown, with what readers will see behind *Preview*. */
export function markdownField({ value, max, rows, hint = t('markdown'), ...named }: Written): HTMLElement {
  const control = area(value, max, rows)
  const shown = html`<div></div>`
  const show = async () => {
    if (!preview.open) return
    const { markdown } = await import('./markdown.ts')
    shown.replaceChildren(markdown(control.value))
  }
  const preview = html`<details class="text-preview" ontoggle=${() => void show()}>
    <summary>${t('preview')}</summary>
    ${shown}
  </details>` as HTMLDetailsElement
  control.addEventListener('input', () => void show())
  const whole = field({ ...named, hint, isOptional: true, control })
  whole.append(preview)
  return whole
}
