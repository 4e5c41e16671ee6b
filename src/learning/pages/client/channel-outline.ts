import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Episode } from '../api-types.ts'
import { CHANNEL_TEXTS } from './channel-texts.ts'
import { day, duration, percent } from './format.ts'
import { html } from './html.ts'
import { badge, meta } from './parts.ts'
import { ring } from './ring.ts'
import { seasonsOf } from './seasons.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { empty } from './states.ts'

const t = texts(CHANNEL_TEXTS)
const shell = texts(SHELL_TEXTS)

/** The episodes of a channel, with how far one is, and for its teachers the ways to grade and edit. */
export function outline(channel: Channel) {
  const { episodes, my } = channel
  return html`<section aria-labelledby="episodes">
    <div class="section-head">
      <h2 id="episodes">${t('episodes')}</h2>
      ${episodes.length > FEW && finder(channel)}
      <p class="quiet-text">
        ${episodes.length > 0 && t('episodes_length', { episodes: shell('episodes', { count: episodes.length }), length: channel.duration_seconds > 0 ? duration(channel.duration_seconds) : t('length_unknown') })}
      </p>
    </div>
    ${
      episodes.length === 0 &&
      (my.can_edit
        ? empty(t('no_episode'), {
            text: t('add_first'),
            href: `/channel/edit?id=${channel.id}`,
          })
        : empty(t('come_back')))
    }
    ${seasonsOf(
      episodes,
      (episode) => row(episode, channel),
      ({ id }) => id === my.next_episode_id,
    )}
  </section>`
}

/** Short lists are read faster than searched. */
const FEW = 7

/** Finds in this channel only: what it lists and Enter leads to are `finder.ts` and /channels. */
const finder = ({ id }: Channel) =>
  html`<form class="finder" role="search" aria-label=${t('find_here')} action="/channels" data-channel=${id}>
    <input type="hidden" name="in" value=${id} />
    <input
      type="search"
      name="q"
      maxlength="200"
      placeholder=${t('find_here')}
      aria-label=${t('find_here')}
      autocomplete="off"
      dir="auto"
    />
  </form>`

function row({ id, title, position, my, duration_seconds, video, ...episode }: Episode, channel: Channel) {
  const { completed, locked } = my
  const state = completed
    ? t('watched')
    : locked
      ? t('locked')
      : my.progress > 0
        ? t('watched_part', { percent: percent(my.progress * 100) })
        : ''
  const release =
    episode.release_at !== null && new Date(episode.release_at) > new Date() ? episode.release_at : null
  return html`<li class="episode-row">
    ${ring(my, position)}
    <div>
      <h3 lang=${episode.language ?? channel.language} dir="auto">
        ${locked && !channel.my.can_edit ? html`<span>${title}</span>` : html`<a href="/episode?id=${id}&channel=${channel.id}">${title}</a>`}
      </h3>
      ${meta(
        state,
        duration(duration_seconds),
        !video && t('no_video'),
        episode.homework_count > 0 && t('homework', { count: episode.homework_count }),
        episode.test_count > 0 && t('tests', { count: episode.test_count }),
        release && t('appears', { day: day(release) }),
      )}
    </div>
    ${episode.status === 'draft' && badge(t('draft'), 'warn')}
    ${
      channel.my.can_edit &&
      html`<p class="actions">
        ${episode.homework_count > 0 && html`<a href="/grading?episode=${id}&channel=${channel.id}" aria-label=${t('grade_one', { title })}>${t('grade')}</a>`}
        <a href="/episode/edit?id=${id}&channel=${channel.id}" aria-label=${t('edit_one', { title })}
          >${t('edit')}</a
        >
      </p>`
    }
  </li>`
}
