import { texts } from '#foundation/web/client/language.ts'
import type { LearnerAttempts, Test } from '../api-types.ts'
import { get, send } from './api.ts'
import { act } from './form.ts'
import { exactPercent, when } from './format.ts'
import { setTitle, setTrail } from './heading.ts'
import { fillWith, html } from './html.ts'
import { badge, meta } from './parts.ts'
import { nameOf } from './person.ts'
import { REVIEW_TEXTS } from './review-texts.ts'

const t = texts(REVIEW_TEXTS)

/** The attempts of one learner at a test, for its teacher: each can be reviewed, and one more can be granted. */
export async function attemptsOf(test: Test, user_id: string): Promise<HTMLElement> {
  const path = `/api/episodes/tests/${test.id}/attempts?user_id=${encodeURIComponent(user_id)}`
  const first = await get<LearnerAttempts>(path)
  const address = `/test?id=${test.id}&episode=${test.episode_id}`
  setTitle(t('attempts_of', { name: nameOf(first) }))
  setTrail({ href: `/test/edit?id=${test.id}&episode=${test.episode_id}`, text: test.title })
  let { extra_attempts } = first
  const shown = [...first.attempts]
  const allowed = html`<p class="meta" role="status"></p>`
  const list = html`<ol class="rows"></ol>`
  const older = html`<button type="button" class="second small">${t('older')}</button>`
  const grant = html`<button type="button" class="second">${t('grant')}</button>`
  const show = () => {
    fillWith(
      allowed,
      meta(
        first.max_attempts === 0 ? t('any') : t('allowed', { count: first.max_attempts + extra_attempts }),
        first.display_name && first.user_email && html`<bdi>${first.user_email}</bdi>`,
        extra_attempts > 0 && t('granted', { count: extra_attempts }),
      ),
    )
    fillWith(list, shown.length > 0 ? shown.map((one) => line(one, address)) : html`<li>${t('none')}</li>`)
    older.hidden = shown.length >= first.attempt_total
  }
  older.addEventListener(
    'click',
    () =>
      void act(older, async () => {
        const more = await get<LearnerAttempts>(`${path}&before=${shown.at(-1)?.number ?? 1}`)
        shown.push(...more.attempts)
        show()
      }),
  )
  grant.addEventListener(
    'click',
    () =>
      void act(grant, async () => {
        const body = { user_id, extra_attempts: extra_attempts + 1 }
        await send('PUT', `/api/episodes/tests/${test.id}/extra-attempts`, body)
        extra_attempts += 1
        show()
      }),
  )
  show()
  return html`<div class="stack">
    ${allowed} ${list} ${older} ${first.max_attempts > 0 && html`<p class="actions">${grant}</p>`}
  </div>`
}

function line(attempt: LearnerAttempts['attempts'][number], address: string): HTMLElement {
  const { id, number: nth, status, submitted_at, started_at, percent } = attempt
  return html`<li class="line">
    <div>
      <p>${t('attempt', { number: nth })}</p>
      ${meta(when(submitted_at ?? started_at))}
    </div>
    ${status === 'open' ? badge(t('running'), 'warn', 'clock') : html`<strong class="mark">${exactPercent(percent)}</strong>`}
    ${status !== 'open' && html`<a class="button second small" href="${address}&attempt=${id}" aria-label=${t('open_one', { number: nth })}>${t('open_again')}</a>`}
  </li>`
}
