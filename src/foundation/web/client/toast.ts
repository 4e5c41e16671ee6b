import { html, render } from 'lit-html'

/** Long enough to read a sentence twice and reach its button. */
const SHOWN_MS = 7_000

/**
 * A message at the bottom edge, announced politely. `action` adds a button, such as *Undo*. It closes by itself, or before
 * a fourth one.
 */
export function toast(text: string, action?: { text: string; run: () => void }, isFault = false): void {
  const note = document.createElement('p')
  note.className = isFault ? 'toast is-fault' : 'toast'
  const run = () => {
    note.remove()
    action?.run()
  }
  render(
    html`<span dir="auto">${text}</span
      >${action && html`<button type="button" class="quiet" @click=${run}>${action.text}</button>`}`,
    note,
  )
  const place = document.querySelector('#toasts')
  if (place && place.childElementCount > 2) place.replaceChildren()
  place?.append(note)
  setTimeout(() => note.remove(), SHOWN_MS)
}
