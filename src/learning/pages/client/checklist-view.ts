import { checksOf } from './checklist.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'

/** Shows the checklist. Each line also says in words whether it is done, missing or advised. */
export function checklist(plan: Parameters<typeof checksOf>[0]) {
  const checks = checksOf(plan)
  const done = checks.filter(({ is_done }) => is_done).length
  return html`<div class="checklist">
    <p class="checklist-sum">
      <progress max=${checks.length} value=${done} aria-label="Done"></progress>${done} of ${checks.length}
    </p>
    <ul>
      ${checks.map(
        ({ text, hint, is_done, must }) =>
          html`<li class=${is_done ? 'is-done' : must ? 'is-missing' : 'is-advised'}>
            ${icon(is_done ? 'check' : must ? 'warn' : 'flag')}
            <span
              >${text}<span class="unseen">: ${is_done ? 'done' : must ? 'missing' : 'advised'}</span>
              ${!is_done && html`<span class="hint">${hint}</span>`}</span
            >
          </li>`,
      )}
    </ul>
  </div>`
}
