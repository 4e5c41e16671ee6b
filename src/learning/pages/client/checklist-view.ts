import { texts } from '#foundation/web/client/language.ts'
import { CHANNEL_FORM_TEXTS } from './channel-form-texts.ts'
import { type CheckName, checksOf } from './checklist.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'

const t = texts(CHANNEL_FORM_TEXTS)

/** What must be done before learners find anything, in words. */
export const missing = (plan: Parameters<typeof checksOf>[0]): string[] =>
  checksOf(plan)
    .filter(({ is_done, must }) => must && !is_done)
    .map(({ name }) => t(name))

/** Shows the checklist. `more` goes below the hint of a check that is not done. Each line also says in words whether it is done, missing or advised. */
export function checklist(
  plan: Parameters<typeof checksOf>[0],
  more: Partial<Record<CheckName, HTMLElement>> = {},
) {
  const checks = checksOf(plan)
  const done = checks.filter(({ is_done }) => is_done).length
  return html`<div class="checklist">
    <p class="checklist-sum">
      <progress max=${checks.length} value=${done} aria-label=${t('check_done')}></progress
      >${t('check_sum', { done, all: checks.length })}
    </p>
    <ul>
      ${checks.map(
        ({ name, count, is_done, must }) =>
          html`<li class=${is_done ? 'is-done' : must ? 'is-missing' : 'is-advised'}>
            ${icon(is_done ? 'check' : must ? 'warn' : 'flag')}
            <span
              >${t(name)}<span class="unseen"
                >: ${t(is_done ? 'is_done' : must ? 'is_missing' : 'is_advised')}</span
              >
              ${!is_done && count !== 0 && html`<span class="hint">${t(`${name}_hint`, { count: count ?? 0 })}</span>`}
              ${!is_done && more[name]}</span
            >
          </li>`,
      )}
    </ul>
  </div>`
}
