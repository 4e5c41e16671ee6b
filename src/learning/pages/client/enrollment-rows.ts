import { texts } from '#foundation/web/client/language.ts'
import type { DueItem, Enrollment } from '../api-types.ts'
import { deadline, exactPercent, shortMonth, when } from './format.ts'
import { HOME_TEXTS } from './home-texts.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { badge, cover, meta, progress } from './parts.ts'
import { phrase } from './phrase.ts'

const t = texts(HOME_TEXTS)

/** The URL to continue a channel: its next episode, or the channel itself. */
export const nextAddress = ({ channel_id, next_episode_id }: Enrollment): string =>
  next_episode_id ? `/episode?id=${next_episode_id}&channel=${channel_id}` : `/channel?id=${channel_id}`

/** One enrollment with its progress and next episode. */
export function enrollmentRow(enrollment: Enrollment): HTMLElement {
  const {
    channel,
    channel_id,
    episodes_completed,
    episodes_total,
    grade_percent,
    progress_percent,
    status,
    new_episodes_count,
  } = enrollment
  const isBegun = progress_percent > 0
  return html`<li class="course">
    ${cover(channel.title, channel.thumbnail_url)}
    <div>
      <h3 lang=${channel.language} dir="auto"><a href="/channel?id=${channel_id}">${channel.title}</a></h3>
      ${meta(
        t('episodes_of', { done: episodes_completed, count: episodes_total }),
        grade_percent !== null && t('grade', { percent: exactPercent(grade_percent) }),
        status === 'completed' && enrollment.completed_at
          ? phrase(t, 'finished_at', { time: when(enrollment.completed_at) })
          : phrase(t, 'last_here_row', { time: when(enrollment.last_activity_at) }),
      )}
      ${progress(progress_percent, t('progress_in', { title: channel.title }))}
    </div>
    <p class="course-next">
      ${status === 'completed' && badge(t('finished'), 'good', 'check')}
      ${new_episodes_count > 0 && badge(t('new', { count: new_episodes_count }), 'warn')}
      ${
        enrollment.next_episode_id &&
        html`<a
          class="button second small"
          href=${nextAddress(enrollment)}
          aria-label=${t(isBegun ? 'go_on_with' : 'begin_with', { title: channel.title })}
        >
          ${icon('play')}${t(isBegun ? 'go_on' : 'begin')}
        </a>`
      }
    </p>
  </li>`
}

/** One item due soon, with its date shown as a calendar page. */
export function dueRow(item: DueItem, channel_title: string): HTMLElement {
  const at = new Date(item.due_at)
  return html`<li class="due">
    <p class="leaf" aria-hidden="true"><b>${at.getDate()}</b>${shortMonth(at)}</p>
    <div>
      <h3><a href="/${item.kind}?id=${item.id}&episode=${item.episode_id}">${item.title}</a></h3>
      ${meta(t(item.kind), channel_title)}
      <p class="due-at">${deadline(item.due_at)}</p>
    </div>
  </li>`
}
