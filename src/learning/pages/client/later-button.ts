import { act } from './form.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'

type Later = {
  sign?: 'list' | 'paper' | 'plus'
  text: string
  /** What a screen reader says, if that is more than the text. */
  label?: string
  look: string
  /** Loads the module of the act, and acts. */
  work: () => Promise<unknown>
}

/** A button for what few people do: its module is loaded when it is pressed. */
export function laterButton({ sign, text, label = text, look, work }: Later): HTMLElement {
  const button: HTMLElement = html`<button
    type="button"
    class=${look}
    aria-label=${label}
    onclick=${() => void act(button, async () => void (await work()))}
  >
    ${sign && icon(sign)}${text}
  </button>`
  return button
}
