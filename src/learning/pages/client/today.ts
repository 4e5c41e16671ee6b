import { texts } from '#foundation/web/client/language.ts'
import { keep, kept } from './kept.ts'
import type { Today } from '../api-types.ts'
import { wordsOf } from './evidence-words.ts'
import { when } from './format.ts'
import { type Child, html } from './html.ts'
import { icon } from './icons.ts'
import { badge, meta } from './parts.ts'
import { TEACHING_TEXTS } from './teaching-texts.ts'
import { toGradeRow } from './to-grade.ts'

const t = texts(TEACHING_TEXTS)
const HIDDEN = 'home.setup.hidden'

/** The day of somebody who teaches: what waits for a grade and who fell behind, beside it what happens this week. */
export function teachersDay({ to_grade, behind, week }: Today): Child {
  const own = [
    (to_grade.total > 0 || behind.length > 0) &&
      html`<section aria-labelledby="to-grade">
        <div class="section-head">
          <h2 id="to-grade">${t('to_grade')}</h2>
          ${to_grade.total > 0 && html`<a href="/grading">${t('all_to_grade', { count: to_grade.total })}</a>`}
        </div>
        ${
          to_grade.total > 0
            ? html`<ol class="rows">
                ${to_grade.items.map(toGradeRow)}
              </ol>`
            : html`<p class="quiet-text">${t('nothing_to_grade')}</p>`
        }
      </section>`,
    behind.length > 0 &&
      html`<section aria-labelledby="behind">
        <h2 id="behind">${t('behind')}</h2>
        <ul class="rows">
          ${behind.map(behindRow)}
        </ul>
      </section>`,
  ].filter(Boolean)
  const ahead =
    week.length > 0 &&
    html`<section aria-labelledby="week">
      <h2 id="week">${t('week')}</h2>
      <ul class="rows">
        ${week.map(weekRow)}
      </ul>
    </section>`
  if (own.length === 0 || !ahead) return [own, ahead]
  return html`<div class="with-side">
    <div class="stack">${own}</div>
    <div class="stack">${ahead}</div>
  </div>`
}

const behindRow = ({
  user_id,
  display_name,
  user_email,
  channel_id,
  channel_title,
  risk,
  reasons,
}: Today['behind'][number]) =>
  html`<li class="line">
    <div>
      <h3 dir="auto">
        <a href="/channel?id=${channel_id}&view=grades&learner=${user_id}">${display_name ?? user_email}</a>
      </h3>
      ${meta(html`<bdi>${channel_title}</bdi>`, reasons.map(wordsOf).join(', '))}
    </div>
    ${riskBadge(risk)}
  </li>`

/** From here a learner is at risk, and from there one needs attention, as the agent of engagement says. */
const [HIGH, SOME] = [60, 30]
export const isAtRisk = (risk: number | null | undefined): boolean => (risk ?? 0) >= SOME

export const riskBadge = (risk: number | null | undefined): HTMLElement =>
  (risk ?? 0) >= HIGH
    ? badge(t('risk_high'), 'bad', 'warn')
    : isAtRisk(risk)
      ? badge(t('risk_some'), 'warn', 'flag')
      : badge(t('on_track'), 'plain')

const weekRow = ({ kind, at, title, episode_id, channel_id, channel_title }: Today['week'][number]) =>
  html`<li class="line">
    <div>
      <h3 dir="auto"><a href="/episode?id=${episode_id}&channel=${channel_id}">${title}</a></h3>
      ${meta(t(kind), html`<bdi>${channel_title}</bdi>`)}
    </div>
    ${when(at)}
  </li>`

/** What is set up and what is not, for an ADMIN, until all is done or the list is hidden. */
export function setupList({ setup }: Today, sso_url: string): Child {
  if (!setup || kept(HIDDEN)) return null
  const steps = [
    [setup.has_channel, t('step_channel'), '/channel/edit'],
    [setup.has_published, t('step_published'), '/channels?mine=1'],
    [setup.sends_mail, t('step_mail'), `${sso_url}/console/settings`],
    [setup.has_learner, t('step_people'), `${sso_url}/console/people`],
  ] as const
  if (steps.every(([isDone]) => isDone)) return null
  const section: HTMLElement = html`<section aria-labelledby="setup">
    <div class="section-head">
      <h2 id="setup">${t('setup')}</h2>
      <button
        type="button"
        class="quiet"
        onclick=${() => {
          keep(HIDDEN, true)
          section.remove()
        }}
      >
        ${t('hide')}
      </button>
    </div>
    <p class="quiet-text">${t('setup_text')}</p>
    <ul class="rows">
      ${steps.map(
        ([isDone, text, href]) =>
          html`<li class="line">
            ${isDone ? html`<p>${text}</p>` : html`<p><a href=${href}>${text}</a></p>`}
            ${isDone && html`<span class="done">${icon('check')}${t('done')}</span>`}
          </li>`,
      )}
    </ul>
  </section>`
  return section
}
