import { texts } from '#foundation/web/client/language.ts'
import type { LearnerPage } from '../api-types.ts'
import { get, refusal } from './api.ts'
import { exactPercent, when } from './format.ts'
import { resultOf, scoreOf } from './gradebook.ts'
import { setTitle } from './heading.ts'
import { html } from './html.ts'
import { learnersOf, nameOf } from './learners.ts'
import { meta, progress } from './parts.ts'
import { phrase } from './phrase.ts'
import { TEACHING_TEXTS } from './teaching-texts.ts'

const t = texts(TEACHING_TEXTS)

/** One learner of a channel, for its teachers: how far, how well, and the way to each piece of work. */
export async function learnerOf(channel_id: string, user_id: string): Promise<HTMLElement> {
  const { items, work = [], channel } = await get<LearnerPage>(learnersOf(channel_id, 'work', user_id))
  const [one] = items
  if (!one) throw refusal(404, t('nobody'))
  const name = nameOf(one)
  setTitle(name)
  const results = new Map(one.results?.map((result) => [result.id, result]))
  return html`<section class="stack" aria-label=${name}>
    <p><a href="/channel?id=${channel_id}&view=grades">${t('back_to')}</a></p>
    ${meta(
      one.user_email,
      phrase(t, 'joined', { time: when(one.enrolled_at) }),
      html`<span>${t('last_seen')} ${when(one.last_activity_at)}</span>`,
      t('episodes_done', { done: one.episodes_completed, count: one.episodes_total }),
    )}
    ${progress(one.progress_percent, t('progress'))}
    <dl class="figures">
      <div>
        <dt>${t('total')}</dt>
        <dd class="figure">${exactPercent(one.grade_percent)}</dd>
      </div>
    </dl>
    <div class="scroll-x" tabindex="0" role="group" aria-label=${t('gradebook')}>
      <table>
        <thead>
          <tr>
            <th scope="col">${t('name')}</th>
            <th scope="col">${t('kind')}</th>
            <th scope="col">${t('result')}</th>
            <th scope="col"><span class="unseen">${t('see_work')}</span></th>
          </tr>
        </thead>
        <tbody>
          ${work.map((item) => {
            const result = results.get(item.id)
            const isTest = item.kind === 'test'
            const href = isTest
              ? `/test?id=${item.id}&episode=${item.episode_id}&learner=${user_id}`
              : `/grading?episode=${item.episode_id}&channel=${channel_id}&homework=${item.id}&learner=${user_id}`
            const isThere = result !== undefined && result.status !== 'none'
            return html`<tr>
              <th scope="row" dir="auto">
                ${item.title} <span class="quiet-text under">${item.episode_title}</span>
              </th>
              <td>${t(item.kind)}</td>
              <td>${resultOf(result, channel.passing_percent)} ${result && scoreOf(result, item)}</td>
              <td>
                ${isThere && html`<a href=${href}>${t(isTest ? 'see_attempts' : 'see_work')}<span class="unseen">: ${item.title}</span></a>`}
              </td>
            </tr>`
          })}
        </tbody>
      </table>
    </div>
  </section>`
}
