import { texts } from '#foundation/web/client/language.ts'
import type { Review, Suggestion } from '../api-types.ts'
import { send } from './api.ts'
import { evidenceOf, patchOf } from './evidence.ts'
import { act } from './form.ts'
import { percent, when } from './format.ts'
import { type Child, html } from './html.ts'
import { INNOVATION_TEXTS } from './innovation-texts.ts'
import { badge, meta } from './parts.ts'
import { phrase } from './phrase.ts'
import { textIn } from './read.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { severityBadge, targetOf } from './suggestion-line.ts'
import { inWords } from './suggestion-sentences.ts'
import { toast } from './toast.ts'

const t = texts(INNOVATION_TEXTS)
const shell = texts(SHELL_TEXTS)

/** One suggestion below the heading of its channel: a line that opens to its evidence, its changes and its actions. `tick` selects it. */
export function suggestionCard(first: Suggestion, can_review: boolean, tick?: HTMLElement): HTMLElement {
  const item = html`<li></li>`
  show(first, false)
  return item

  function show(given: Suggestion, isOpen: boolean) {
    const suggestion = inWords(given)
    const {
      severity,
      status,
      title,
      body,
      target,
      source,
      confidence,
      created_at,
      review_note,
      reviewed_at,
    } = suggestion
    const link = addressOf(suggestion)
    // Only what is undecided can be selected.
    item.replaceChildren(
      ...(tick && status === 'pending' ? [tick] : []),
      html`<details class="suggestion" open=${isOpen}>
        <summary class="suggestion-head">
          ${severityBadge(severity)}
          <span class="suggestion-words">
            <h3 dir="auto">${title}</h3>
            ${meta(targetOf(suggestion), source === 'llm' && t('by_model'), html`<span>${when(created_at)}</span>`)}
          </span>
          ${status !== 'pending' && badge(t(`is_${status}`), status === 'approved' || status === 'applied' ? 'good' : 'plain')}
        </summary>
        <div class="suggestion-body">
          <p class="suggestion-advice" dir="auto">${body}</p>
          ${evidenceOf(suggestion)} ${patchOf(suggestion)}
          ${meta(link && html`<a href=${link}>${phrase(t, 'go_to', { title: html`<bdi>${target.title}</bdi>` })}</a>`, t('sure', { percent: percent(Math.round(confidence * 100)) }), reviewed_at && html`<span>${phrase(t, 'reviewed', { time: when(reviewed_at) })}</span>`)}
          ${review_note && html`<p class="note" dir="auto">${review_note}</p>`}
          ${can_review && review(suggestion)}
        </div>
      </details>`,
    )
  }

  function review(suggestion: Suggestion): Child {
    const moves = movesOf(suggestion)
    if (moves.length === 0) return null
    const place: HTMLElement = html`<div class="review">
      <label class="review-note"
        ><span class="hint">${t('note')}</span
        ><input name="review_note" dir="auto" maxlength="2000" value=${suggestion.review_note}
      /></label>
      <div class="actions"></div>
    </div>`
    const actions = moves.map(({ text, body, look }) => {
      const button: HTMLElement = html`<button
        type="button"
        class="small ${look}"
        onclick=${() => move(button, body)}
      >
        ${text}
      </button>`
      return button
    })
    place.querySelector('.actions')?.append(...actions)
    return place

    async function move(button: HTMLElement, body: Review) {
      await act(button, async () => {
        const review_note = textIn(place, 'review_note')
        const sent = { ...body, ...(review_note !== suggestion.review_note && { review_note }) }
        const saved = await send<Suggestion>('PUT', `/api/innovation/suggestions/${suggestion.id}`, sent)
        show(saved, true)
        item.querySelector<HTMLElement>('summary')?.focus()
        const undo = {
          text: shell('undo'),
          run: () => void act(item, async () => show(await back(saved.id), true)),
        }
        toast(t(`${saved.status as Move}_done`), saved.status === 'rejected' ? { action: undo } : {})
      })
    }
  }
}

const back = (id: string) =>
  send<Suggestion>('PUT', `/api/innovation/suggestions/${id}`, { status: 'pending' })

/** The status that a review can lead to. */
type Move = Exclude<Suggestion['status'], 'expired'>

/** The actions that the service allows for a suggestion. */
function movesOf({ status, patch }: Suggestion): { text: string; body: Review; look: string }[] {
  const reject = { text: t('reject'), body: { status: 'rejected' as const }, look: 'second' }
  if (status === 'pending')
    return [
      ...(patch ? [{ text: t('apply'), body: { status: 'approved' as const, apply: true }, look: '' }] : []),
      { text: t('approve'), body: { status: 'approved' as const }, look: patch ? 'second' : '' },
      reject,
    ]
  if (status === 'approved')
    return [
      { text: t(patch ? 'apply' : 'mark_done'), body: { status: 'applied' as const }, look: '' },
      reject,
    ]
  if (status === 'rejected')
    return [{ text: t('put_back'), body: { status: 'pending' as const }, look: 'second' }]
  return []
}

/** The URL to edit the target. For homework, tests and questions, the evidence names the episode or test. */
function addressOf({ target: { type, id }, channel_id, evidence }: Suggestion): string {
  const { episode_id, test_id } = evidence as Record<string, unknown>
  const to = (path: string, query: Record<string, string>) =>
    `${path}?${new URLSearchParams({ ...query, channel: channel_id }).toString()}`
  if (type === 'episode' || type === 'video') return to('/episode/edit', { id })
  if (typeof episode_id === 'string') {
    if (type === 'homework') return to('/episode/edit', { id: episode_id })
    if (type === 'test') return to('/test/edit', { id, episode: episode_id })
    if (typeof test_id === 'string') return to('/test/edit', { id: test_id, episode: episode_id })
  }
  return `/channel/edit?id=${channel_id}`
}
