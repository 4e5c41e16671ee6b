import { html, svg } from './html.ts'
import { icon } from './icons.ts'

const ROUND = 2 * Math.PI * 15

/** The progress of an episode as a ring around its number, or a tick when complete. Text beside it says the same. */
export function ring(
  { progress, completed, locked }: { progress: number; completed: boolean; locked: boolean },
  position: number,
): HTMLElement {
  const own = html`<span class="ring" aria-hidden="true"></span>`
  if (completed) own.classList.add('is-done')
  const drawing = svg`<svg viewBox="0 0 36 36"><circle class="ring-track" cx="18" cy="18" r="15" /></svg>`
  if (progress > 0 && !completed)
    drawing.append(
      svg`<circle class="ring-value" cx="18" cy="18" r="15" stroke-dasharray="${progress * ROUND} ${ROUND}" />`,
    )
  own.append(drawing, completed ? icon('check') : locked ? icon('lock') : html`<b>${position}</b>`)
  return own
}
