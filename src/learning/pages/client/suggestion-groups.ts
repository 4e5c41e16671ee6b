import { texts } from '#foundation/web/client/language.ts'
import type { Review, Suggestion } from '../api-types.ts'
import { patiently } from './all-pages.ts'
import { refusalOf, send } from './api.ts'
import { act } from './form.ts'
import { type Child, html } from './html.ts'
import { INNOVATION_TEXTS } from './innovation-texts.ts'
import { inLanguage } from './refusals.ts'
import { kindWords } from './suggestion-kinds.ts'
import { suggestionCard } from './suggestion-card.ts'
import { inWords } from './suggestion-sentences.ts'
import { toast } from './toast.ts'

const t = texts(INNOVATION_TEXTS)

type Picked = { id: string; tick: HTMLInputElement }
type Decision = 'approved' | 'rejected'

/** The suggestions of a page by channel and kind, with what an ADMIN does to many of them at once. */
export function groupedSuggestions(
  items: readonly Suggestion[],
  can_review: boolean,
  reload: () => Promise<void>,
): HTMLElement {
  const picked: Picked[] = []
  const isOpen = (one: Suggestion) => can_review && one.status === 'pending'
  const groups = [...Map.groupBy(items, ({ channel_id, kind }) => `${channel_id} ${kind}`).values()]
  const tools = toolbar(picked, reload)
  const place = html`<div class="stack inbox-groups">
    ${items.some(isOpen) && tools.element} ${groups.map(groupOf)}
  </div>`
  place.addEventListener('change', () => tools.show())
  tools.show()
  place.addEventListener('keydown', (event) => {
    if (event.target instanceof Element && event.target.closest('input, textarea, select')) return
    const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
    const heads = [...place.querySelectorAll<HTMLElement>('summary.suggestion-head')]
    const at = heads.findIndex((head) => head.closest('li')?.contains(document.activeElement))
    if (step !== 0) heads[at + step]?.focus()
  })
  return place

  function groupOf(group: readonly Suggestion[]): Child {
    const [first] = group
    if (!first) return null
    const title = `${kindWords(first.kind)} · ${first.channel_title}`
    const own: HTMLInputElement[] = []
    const cards = group.map((one) => {
      if (!isOpen(one)) return suggestionCard(one, can_review)
      const tick = html`<input
        type="checkbox"
        aria-label=${t('select', { title: inWords(one).title })}
      />` as HTMLInputElement
      own.push(tick)
      picked.push({ id: one.id, tick })
      return suggestionCard(one, can_review, tick)
    })
    return html`<section>
      <div class="section-head">
        <h2>${kindWords(first.kind)}&nbsp;· <bdi>${first.channel_title}</bdi></h2>
        ${
          own.length > 1 &&
          html`<button
            type="button"
            class="quiet"
            aria-label=${t('select_all_of', { count: own.length, title })}
            onclick=${() => {
              const isOn = own.some(({ checked }) => !checked)
              for (const tick of own) tick.checked = isOn
              place.dispatchEvent(new Event('change'))
            }}
          >
            ${t('select_all', { count: own.length })}
          </button>`
        }
      </div>
      <ol class="rows inbox">
        ${cards}
      </ol>
    </section>`
  }
}

/** What is done to the selected ones; `show` says how many they are. */
function toolbar(picked: readonly Picked[], done: () => Promise<void>) {
  const chosen = () => picked.filter(({ tick }) => tick.checked && tick.isConnected)
  const said = html`<p class="quiet-text" role="status"></p>`
  const button = (decision: Decision, look: string) => {
    const made: HTMLElement = html`<button
      type="button"
      class="small ${look}"
      onclick=${() => void act(made, () => reviewAll(chosen(), decision).then(done))}
    >
      ${t(decision === 'approved' ? 'approve_picked' : 'reject_picked')}
    </button>`
    return made
  }
  const buttons = [button('approved', ''), button('rejected', 'second')]
  return {
    element: html`<div class="actions inbox-tools">${said} ${buttons}</div>`,
    show() {
      const many = chosen().length
      said.textContent = many > 0 ? t('picked', { count: many }) : t('pick')
      for (const one of buttons) one.hidden = many === 0
    },
  }
}

/** One after the other: a refusal of one, such as a second editor's decision, leaves the others alone. */
async function reviewAll(chosen: readonly Picked[], decision: Decision) {
  const body: Review = { status: decision }
  let [worked, failed] = [0, '']
  for (const { id } of chosen)
    try {
      await patiently(() => send<Suggestion>('PUT', `/api/innovation/suggestions/${id}`, body))
      worked += 1
    } catch (error) {
      const { status, message } = refusalOf(error)
      if (status === 401 || status === 0) throw error
      failed = inLanguage(message)
    }
  const rest = chosen.length - worked
  const failures = rest > 0 && t('failed_many', { count: rest, why: failed })
  toast(
    [t(`${decision}_many`, { count: worked }), failures].filter(Boolean).join(' '),
    rest > 0 ? { isFault: true } : {},
  )
}
