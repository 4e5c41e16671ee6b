import { texts } from '#foundation/web/client/language.ts'
import type { AttemptReview, RightAnswer, Test } from '../api-types.ts'
import { get, send } from './api.ts'
import { confirmed } from './dialog.ts'
import { act } from './form.ts'
import { exactPercent, number, when } from './format.ts'
import { setTitle, setTrail } from './heading.ts'
import { type Child, html } from './html.ts'
import { markdown } from './markdown.ts'
import { badge, meta } from './parts.ts'
import { nameOf } from './person.ts'
import { phrase } from './phrase.ts'
import { REVIEW_TEXTS } from './review-texts.ts'
import { toast } from './toast.ts'

const t = texts(REVIEW_TEXTS)
const TONES = { correct: 'good', partial: 'warn', incorrect: 'bad', unanswered: 'plain' } as const

type Question = AttemptReview['questions'][number]

/** A finished attempt, opened again: the paper with the answers, and what the service tells about them. */
export async function review(attempt_id: string, test: Test, viewer_id: string): Promise<HTMLElement> {
  const attempt = await get<AttemptReview>(`/api/episodes/tests/attempts/${encodeURIComponent(attempt_id)}`)
  const is_own = attempt.user_id === viewer_id
  const name = nameOf(attempt)
  const values = { number: attempt.number, name }
  const address = `/test?id=${test.id}&episode=${test.episode_id}`
  setTitle(is_own ? `${test.title}: ${t('attempt', values)}` : t('of_learner', values))
  setTrail(
    { href: address, text: test.title },
    ...(is_own ? [] : [{ href: `${address}&learner=${attempt.user_id}`, text: t('attempts_of', { name }) }]),
  )
  const { questions, score, max_score, percent, status, passed } = attempt
  const isTold = status === 'expired' || questions.some(({ verdict }) => verdict !== null)
  return html`<div class="stack review">
    <section aria-labelledby="about-attempt">
      <h2 id="about-attempt" class="unseen">${t('attempt', values)}</h2>
      ${meta(phrase(t, 'handed_in', { time: when(attempt.submitted_at) }), t('score', { score: number(score), max: number(max_score), percent: exactPercent(percent) }))}
      <p class="actions">
        ${badge(t(passed ? 'passed' : 'not_passed'), passed ? 'good' : 'plain', passed ? 'check' : undefined)}
        ${attempt.may_reset && resetButton(attempt, is_own ? address : `${address}&learner=${attempt.user_id}`)}
      </p>
      ${status === 'expired' && html`<p class="note is-warn">${t('expired')}</p>`}
      ${!isTold && html`<p class="note">${t('not_told')}</p>`}
    </section>
    <section aria-labelledby="paper">
      <h2 id="paper" class="unseen">${t('paper')}</h2>
      <ol class="rows">
        ${questions.map((question, i) => line(question, i + 1, is_own))}
      </ol>
    </section>
    <p><a href=${address}>${t('to_test')}</a></p>
  </div>`
}

function line(question: Question, place: number, is_own: boolean): HTMLElement {
  const { verdict, right_answer, prompt, answer } = question
  return html`<li class="answer">
    <p class="answer-head">
      <b>${place}</b>
      ${verdict && badge(t(verdict.outcome), TONES[verdict.outcome], verdict.outcome === 'correct' ? 'check' : undefined)}
      ${verdict && html`<span class="quiet-text">${t('points', { score: number(verdict.points_awarded), count: verdict.points })}</span>`}
    </p>
    ${markdown(prompt)}
    <dl class="facts">
      ${fact(t(is_own ? 'given' : 'given_by_learner'), wordsOf(question, answer))}
      ${right_answer && fact(t('right_answer'), rightWords(question, right_answer))}
    </dl>
    ${verdict?.feedback && html`<p class="feedback" dir="auto">${verdict.feedback}</p>`}
    ${verdict?.explanation && html`<div class="feedback">${markdown(verdict.explanation)}</div>`}
  </li>`
}

const fact = (name: string, words: string[]): Child =>
  html`<div>
    <dt>${name}</dt>
    ${words.length > 0 ? words.map((said) => html`<dd dir="auto">${said}</dd>`) : html`<dd>${t('nothing')}</dd>`}
  </div>`

/** An answer in words: one line for each choice, pair or item. */
function wordsOf(question: Question, answer: unknown): string[] {
  if (answer === null || answer === undefined || answer === '') return []
  const { type, options = [], items = [], lefts = [], rights = [], unit } = question
  const named = (list: { id: string; text: string }[], id: unknown) =>
    list.find((one) => one.id === id)?.text ?? t('gone')
  if (type === 'true_false') return [t(answer === true ? 'true' : 'false')]
  if (type === 'single_choice') return [named(options, answer)]
  if (Array.isArray(answer)) {
    const list = type === 'ordering' ? items : options
    return answer.map((id, i) => (type === 'ordering' ? `${i + 1}. ` : '') + named(list, id))
  }
  if (typeof answer === 'object')
    return lefts.flatMap(({ id, text }) => {
      const right = (answer as Record<string, string | null>)[id]
      return right ? [`${text} → ${named(rights, right)}`] : []
    })
  return [`${String(answer as string | number)}${unit ? ` ${unit}` : ''}`]
}

function rightWords(question: Question, right: RightAnswer): string[] {
  const { option_ids, correct, texts: written, pairs, item_ids } = right
  if (written) return written.map((text) => (question.unit ? `${text} ${question.unit}` : text))
  if (pairs) return wordsOf(question, Object.fromEntries(pairs.map((pair) => [pair.left_id, pair.right_id])))
  if (question.type === 'single_choice') return wordsOf(question, option_ids?.[0])
  return wordsOf(question, correct ?? option_ids ?? item_ids)
}

function resetButton({ id, number: nth }: AttemptReview, next: string): HTMLElement {
  const button = html`<button type="button" class="second small">${t('reset')}</button>`
  button.addEventListener('click', () => {
    void confirmed(t('reset_ask', { number: nth }), t('reset_text'), t('reset')).then(async (yes) => {
      if (!yes) return
      const worked = await act(button, async () => {
        await send('DELETE', `/api/episodes/tests/attempts/${id}`)
        toast(t('was_reset', { number: nth }))
      })
      if (worked) location.assign(next)
    })
  })
  return button
}
