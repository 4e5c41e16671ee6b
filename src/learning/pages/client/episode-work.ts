import { texts } from '#foundation/web/client/language.ts'
import type { Homework, Test } from '../api-types.ts'
import { EPISODE_TEXTS } from './episode-texts.ts'
import { deadline, duration, exactPercent, number } from './format.ts'
import { type Child, html } from './html.ts'
import { icon } from './icons.ts'
import { badge, meta } from './parts.ts'
import { phrase } from './phrase.ts'

const t = texts(EPISODE_TEXTS)

/** The homework and tests of an episode, and how the learner stands in each. */
export function workOf(homework: Homework[], tests: Test[], episode_id: string): Child {
  if (homework.length + tests.length === 0) return null
  return html`<section aria-labelledby="work">
    <h2 id="work">${t('to_do')}</h2>
    <ul class="rows">
      ${homework.map(({ id, title, due_at, max_score, my_submission, status }) => {
        const { final_score = null, status: state = null } = my_submission ?? {}
        return html`<li class="line">
          ${icon('paper')}
          <div>
            <h3 dir="auto"><a href="/homework?id=${id}&episode=${episode_id}">${title}</a></h3>
            ${meta(t('homework'), due_at && phrase(t, 'due', { time: deadline(due_at) }), status === 'draft' && t('draft_work'))}
          </div>
          ${final_score !== null && html`<strong class="mark">${number(final_score)} / ${number(max_score)}</strong>`}
          ${state === 'returned' && badge(t('sent_back'), 'warn')}
          ${state === 'submitted' && badge(t('handed_in'), 'good', 'check')}
        </li>`
      })}
      ${tests.map(
        ({ id, title, question_count, time_limit_seconds, my, status }) =>
          html`<li class="line">
            ${icon('list')}
            <div>
              <h3 dir="auto"><a href="/test?id=${id}&episode=${episode_id}">${title}</a></h3>
              ${meta(
                t('test'),
                t('questions', { count: question_count }),
                time_limit_seconds && duration(time_limit_seconds),
                my.attempts_left !== null && t('attempts_left', { count: my.attempts_left }),
                status === 'draft' && t('draft_work'),
              )}
            </div>
            ${my.open_attempt && badge(t('under_way'), 'warn', 'clock')}
            ${my.kept_percent !== null && html`<strong class="mark">${exactPercent(my.kept_percent)}</strong>`}
            ${my.passed && badge(t('passed'), 'good', 'check')}
          </li>`,
      )}
    </ul>
  </section>`
}
