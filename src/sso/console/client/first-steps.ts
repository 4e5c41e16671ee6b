import { html, nothing, type TemplateResult } from 'lit-html'
import { recall, remember } from '#foundation/web/client/memory.ts'
import { texts } from '#foundation/web/client/page.ts'
import { badge } from '#foundation/web/client/parts.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Checklist } from './api-types.ts'
import { OVERVIEW_TEXTS } from './overview-texts.ts'

const t = texts(OVERVIEW_TEXTS)
/** In the order of danger. */
const STEPS = ['second_factor', 'mail_server', 'public_address', 'backup', 'first_site'] as const
const PLACES = { second_factor: '/account/security', first_site: '/console/sites/new' } as const
const HIDDEN = 'console.first-steps'

/** What an installation still needs. Who hides it sees it again when something else is missing. */
export function firstSteps(found: Checklist, update: () => void): TemplateResult | typeof nothing {
  const open = STEPS.filter((step) => !found[step])
  if (open.length === 0) return nothing
  const hidden = recall(HIDDEN)?.split(' ') ?? []
  const hide = (steps: readonly string[]) => {
    remember(HIDDEN, steps.length > 0 ? steps.join(' ') : undefined)
    update()
  }
  if (open.every((step) => hidden.includes(step)))
    return html`<p>
      <button type="button" class="quiet small" @click=${() => hide([])}>${t('show_steps')}</button>
    </p>`
  const dismiss = () => {
    hide(open)
    toast(t('hidden'), { text: t('undo'), run: () => hide([]) })
  }
  return html`<section aria-labelledby="first-steps" class="notice">
    <div class="bar">
      <h2 id="first-steps">${t('steps')}</h2>
      <span class="quiet-text"
        >${t('steps_done', { done: STEPS.length - open.length, all: STEPS.length })}</span
      >
      <button type="button" class="quiet small" @click=${dismiss}>${t('hide')}</button>
    </div>
    <ol class="steps">
      ${STEPS.map((step) => stepOf(step, found[step]))}
    </ol>
  </section>`
}

function stepOf(step: (typeof STEPS)[number], isDone: boolean): TemplateResult {
  const place = step in PLACES ? PLACES[step as keyof typeof PLACES] : undefined
  return html`<li>
    ${isDone ? badge(t('is_done'), 'good') : badge(t('is_open'), 'warn')}
    <div>
      ${isDone || !place ? html`<strong>${t(step)}</strong>` : html`<a href=${place}>${t(step)}</a>`}
      ${isDone ? nothing : html`<p class="quiet-text">${t(`${step}_text`)}</p>`}
    </div>
  </li>`
}
