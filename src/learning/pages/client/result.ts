import { texts } from '#foundation/web/client/language.ts'
import type { Attempt, StudentQuestion, Test } from '../api-types.ts'
import { exactPercent } from './format.ts'
import { type Child, html } from './html.ts'
import { markdown } from './markdown.ts'
import { badge } from './parts.ts'
import { REVIEW_TEXTS } from './review-texts.ts'
import { TEST_TEXTS } from './test-texts.ts'

const t = texts(TEST_TEXTS)
const again = texts(REVIEW_TEXTS)

const TONES = { correct: 'good', partial: 'warn', incorrect: 'bad', unanswered: 'plain' } as const

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
      <h2 id="result">${t(status === 'expired' ? 'expired' : passed ? 'passed' : 'your_result')}</h2>
      <p class="figure">
        ${exactPercent(percent)}<small> ${t('points_of', { score, count: max_score })}</small>
      </p>
      ${passed ? badge(t('passed'), 'good', 'check') : badge(t('not_passed'), 'bad')}
      ${kept.percent !== percent && html`<p class="quiet-text">${t('kept', { percent: exactPercent(kept.percent) })}</p>`}
      ${ignored_question_ids.length > 0 && html`<p class="note">${t('ignored', { count: ignored_question_ids.length })}</p>`}
      <p class="actions">
        ${attempts_left !== 0 && html`<a class="button" href="/test?id=${id}&episode=${episode_id}">${attempts_left === null ? t('try_again') : t('try_again_left', { count: attempts_left })}</a>`}
        <a href="/test?id=${id}&episode=${episode_id}&attempt=${attempt.id}">${again('open_again')}</a>
        <a href="/episode?id=${episode_id}">${t('to_episode')}</a>
      </p>
    </section>
    ${per_question ? details(per_question, questions) : html`<p class="quiet-text">${t(attempts_left === 0 ? 'not_told' : 'not_told_yet')}</p>`}
  </div>`
}

const details = (per_question: NonNullable<Attempt['per_question']>, questions: StudentQuestion[]): Child =>
  html`<section aria-labelledby="answers">
    <h2 id="answers">${t('by_question')}</h2>
    <ol class="rows">
      ${questions.map((question, i) => {
        const told = per_question.find(({ question_id }) => question_id === question.id)
        if (!told) return null
        return html`<li class="answer">
          <p class="answer-head">
            <b>${i + 1}</b>
            ${badge(t(told.outcome), TONES[told.outcome], told.outcome === 'correct' ? 'check' : undefined)}
            <span class="quiet-text"
              >${t('points_of', { score: told.points_awarded, count: told.points })}</span
            >
          </p>
          ${markdown(question.prompt)} ${told.feedback && html`<p class="feedback">${told.feedback}</p>`}
          ${told.explanation && html`<div class="feedback">${markdown(told.explanation)}</div>`}
        </li>`
      })}
    </ol>
  </section>`
