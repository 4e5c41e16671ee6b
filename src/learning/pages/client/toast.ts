import { fillWith, html } from './html.ts'

type Action = { text: string; run: () => void }

/** Long enough to read a sentence twice and reach its button. */
const SHOWN_MS = 7_000

/**
 * A message at the bottom edge, announced politely to screen readers. `action` adds a button. It closes by itself.
 */
export function toast(
  text: string,
  { action, isFault = false }: { action?: Action; isFault?: boolean } = {},
): void {
  const place = document.querySelector('#toasts')
  const note = html`<p class="toast">${text}</p>`
  note.classList.toggle('is-fault', isFault)
  if (action)
    note.append(
      html`<button
        type="button"
        class="quiet"
        onclick=${() => {
          note.remove()
          action.run()
        }}
      >
        ${action.text}
      </button>`,
    )
  if (place && place.childElementCount > 2) fillWith(place, note)
  else place?.append(note)
  setTimeout(() => note.remove(), SHOWN_MS)
}
