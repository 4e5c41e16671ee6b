import { texts } from '#foundation/web/client/language.ts'
import type { LearnerPage } from '../api-types.ts'
import { get, refusal, send } from './api.ts'
import { field } from './form.ts'
import { formDialog } from './form-dialog.ts'
import { exactPercent, when } from './format.ts'
import { type Result, resultOf, scoreOf, type Work } from './gradebook.ts'
import { setTitle } from './heading.ts'
import { fillWith, html } from './html.ts'
import { learnersOf } from './learners.ts'
import { meta, progress } from './parts.ts'
import { nameOf } from './person.ts'
import { phrase } from './phrase.ts'
import { localMoment, momentIn } from './read.ts'
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
                ${item.ends_at && longer(item, result, user_id)}
                ${isThere && html`<a href=${href}>${t(isTest ? 'see_attempts' : 'see_work')}<span class="unseen">: ${item.title}</span></a>`}
              </td>
            </tr>`
          })}
        </tbody>
      </table>
    </div>
  </section>`
}

/** The deadline of one learner, and a button that moves it. */
function longer(
  { kind, id, title, ends_at }: Work,
  result: Result | undefined,
  user_id: string,
): HTMLElement {
  const path = `/api/episodes/${kind === 'test' ? 'tests' : 'homework'}/${id}/deadlines/${user_id}`
  let until = result?.extended_to ?? null
  const place = html`<div></div>`
  const show = () =>
    fillWith(
      place,
      html`<p class="meta">
        <span>${phrase(t, until ? 'own_deadline' : 'deadline', { time: when(until ?? ends_at ?? '') })}</span>
        <button type="button" class="quiet small" onclick=${() => void ask()}>
          ${t('more_time')}<span class="unseen">: ${title}</span>
        </button>
      </p>`,
    )
  const ask = async () => {
    const content = field({
      name: 'until',
      label: t('until'),
      hint: t('until_hint'),
      isOptional: true,
      control: html`<input type="datetime-local" value=${localMoment(until ?? ends_at)} />`,
    })
    const before = momentIn(content, 'until')
    await formDialog(t('more_time_for', { title }), content, t('save_deadline'), async (form) => {
      const asked = momentIn(form, 'until')
      if (asked === before) return
      if (asked === null) await send('DELETE', path)
      else await send('PUT', path, { until: asked })
      until = asked
      show()
    })
  }
  show()
  return place
}
