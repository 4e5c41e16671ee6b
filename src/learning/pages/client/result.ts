import type { Attempt, StudentQuestion, Test } from '../api-types.ts'
import { count, exactPercent, number } from './format.ts'
import { type Child, html } from './html.ts'
import { markdown } from './markdown.ts'
import { badge } from './parts.ts'

const OUTCOME = {
  correct: ['Right', 'good'],
  partial: ['Partly right', 'warn'],
  incorrect: ['Wrong', 'bad'],
  unanswered: ['Not answered', 'plain'],
} as const

/** The result of an attempt, as far as the test reveals it. */
export function resultOf(
  attempt: Attempt,
  questions: StudentQuestion[],
  { episode_id, id }: Test,
): HTMLElement {
  const {
    percent,
    passed,
    status,
    score,
    max_score,
    attempts_left,
    kept,
    per_question,
    ignored_question_ids,
  } = attempt
  return html`<div class="stack">
    <section class="verdict" aria-labelledby="result">
      <h2 id="result">${status === 'expired' ? 'Handed in too late' : passed ? 'Passed' : 'Your result'}</h2>
      <p class="figure">
        ${exactPercent(percent)}<small> ${number(score)} of ${count(max_score, 'point')}</small>
      </p>
      ${passed ? badge('Passed', 'good', 'check') : badge('Not passed', 'bad')}
      ${kept.percent !== percent && html`<p class="quiet-text">What counts of all your attempts: ${exactPercent(kept.percent)}.</p>`}
      ${ignored_question_ids.length > 0 && html`<p class="note">${count(ignored_question_ids.length, 'question')} of this test were taken back meanwhile and do not count.</p>`}
      <p class="actions">
        ${attempts_left !== 0 && html`<a class="button" href="/test?id=${id}&episode=${episode_id}">${attempts_left === null ? 'Try again' : `Try again, ${attempts_left} left`}</a>`}
        <a href="/episode?id=${episode_id}">Back to the episode</a>
      </p>
    </section>
    ${per_question ? details(per_question, questions) : html`<p class="quiet-text">This test does not tell which answers were right${attempts_left === 0 ? '' : ' while attempts are left'}.</p>`}
  </div>`
}

const details = (per_question: NonNullable<Attempt['per_question']>, questions: StudentQuestion[]): Child =>
  html`<section aria-labelledby="answers">
    <h2 id="answers">Question by question</h2>
    <ol class="rows">
      ${questions.map((question, i) => {
        const told = per_question.find(({ question_id }) => question_id === question.id)
        if (!told) return null
        const [word, kind] = OUTCOME[told.outcome]
        return html`<li class="answer">
          <p class="answer-head">
            <b>${i + 1}</b> ${badge(word, kind, told.outcome === 'correct' ? 'check' : undefined)}
            <span class="quiet-text">${number(told.points_awarded)} of ${count(told.points, 'point')}</span>
          </p>
          ${markdown(question.prompt)} ${told.feedback && html`<p class="feedback">${told.feedback}</p>`}
          ${told.explanation && html`<div class="feedback">${markdown(told.explanation)}</div>`}
        </li>`
      })}
    </ol>
  </section>`
