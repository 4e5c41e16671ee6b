import type { Channel, Episode } from '../api-types.ts'
import { get, send } from './api.ts'
import { columnChart, funnelChart } from './chart.ts'
import { confirmed } from './dialog.ts'
import { act } from './form.ts'
import { count, day, dayAndMonth, duration, number, percent } from './format.ts'
import { setTitle, setTrail } from './heading.ts'
import { type Child, html } from './html.ts'
import { icon } from './icons.ts'
import { markdown } from './markdown.ts'
import { openPage } from './page.ts'
import { badge, cover, languageName, meta, progress } from './parts.ts'
import { ring } from './ring.ts'
import { empty } from './states.ts'
import { toast } from './toast.ts'

const reload = openPage(async ({ required }) => {
  // Only editors get `stats`.
  const channel = await get<Channel>(`/api/channels/${encodeURIComponent(required('id'))}?include=stats`)
  setTitle(channel.title)
  setTrail({ href: '/channels', text: 'Channels' })
  const { description, language, stats } = channel
  return html`<div class="with-side channel">
    <div class="stack">
      <section class="channel-head">
        ${marks(channel)} ${description && markdown(description, { language })} ${actions(channel)}
      </section>
      ${outline(channel)} ${stats && learners(stats)}
    </div>
    <aside class="channel-side" aria-label="About this channel">
      ${cover(channel.title, channel.thumbnail_url)}
      ${channel.my.enrolled && progress(channel.my.progress_percent, 'Your progress in this channel')}
      ${facts(channel)} ${channel.my.can_delete && removal(channel)}
    </aside>
  </div>`
})

function marks({ status, visibility, enrollment }: Channel): Child {
  const shown = [
    status === 'draft' && badge('Draft, only its teachers see it', 'warn'),
    status === 'archived' && badge('Archived, to read only', 'warn'),
    visibility === 'private' && badge('Private', 'plain', 'lock'),
    enrollment === 'closed' && status === 'published' && badge('Closed to new learners', 'plain', 'lock'),
  ].filter(Boolean)
  return shown.length > 0 && html`<p class="actions">${shown}</p>`
}

function actions(channel: Channel): Child {
  const { id, my, episodes, enrollment, status } = channel
  const next = my.next_episode_id ?? episodes.find((episode) => !episode.my.locked)?.id
  const mayJoin = !my.enrolled && !my.can_edit && enrollment === 'open' && status === 'published'
  const join = html`<button type="button">Join this channel</button>`
  join.addEventListener(
    'click',
    () =>
      void act(join, async () => {
        await send('POST', '/api/enroll', { channel_id: id })
        await reload()
        toast(`You are in “${channel.title}”.`)
      }),
  )
  const isBegun = my.progress_percent > 0
  return html`<p class="actions">
    ${mayJoin && join}
    ${
      next &&
      (my.enrolled || my.can_edit) &&
      html`<a class="button" href="/episode?id=${next}&channel=${id}">
        ${icon('play')}${isBegun ? (my.progress_percent >= 100 ? 'Watch again' : 'Continue') : 'Begin'}
      </a>`
    }
    ${my.can_edit && html`<a class="button second" href="/channel/edit?id=${id}">${icon('edit')}Edit</a>`}
  </p>`
}

function outline(channel: Channel) {
  const { episodes, my } = channel
  const seasons = [...new Set(episodes.map(({ season }) => season))]
  return html`<section aria-labelledby="episodes">
    <div class="section-head">
      <h2 id="episodes">Episodes</h2>
      <p class="quiet-text">
        ${episodes.length > 0 && `${episodes.length}, ${duration(channel.duration_seconds) || 'length unknown'}`}
      </p>
    </div>
    ${
      episodes.length === 0 &&
      (my.can_edit
        ? empty('There is no episode yet.', {
            text: 'Add the first one',
            href: `/channel/edit?id=${channel.id}`,
          })
        : empty('There is no episode yet. Come back soon.'))
    }
    ${seasons.map(
      (season) =>
        html`<div>
          ${seasons.length > 1 && html`<h3 class="season">Part ${season}</h3>`}
          <ol class="rows outline">
            ${episodes.filter((episode) => episode.season === season).map((episode) => row(episode, channel))}
          </ol>
        </div>`,
    )}
  </section>`
}

function row({ id, title, position, my, duration_seconds, video, ...episode }: Episode, channel: Channel) {
  const { completed, locked } = my
  const state = completed
    ? 'Watched'
    : locked
      ? 'Locked'
      : my.progress > 0
        ? `${percent(my.progress * 100)} watched`
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
        !video && 'no video',
        episode.homework_count > 0 && count(episode.homework_count, 'homework', 'homework'),
        episode.test_count > 0 && count(episode.test_count, 'test'),
        release && `appears ${day(release)}`,
      )}
    </div>
    ${episode.status === 'draft' && badge('Draft', 'warn')}
    ${
      channel.my.can_edit &&
      html`<p class="actions">
        ${episode.homework_count > 0 && html`<a href="/grading?episode=${id}" aria-label="Grade ${title}">Grade</a>`}
        <a href="/episode/edit?id=${id}&channel=${channel.id}" aria-label="Edit ${title}">Edit</a>
      </p>`
    }
  </li>`
}

const learners = ({ enrolled, started, completed, weekly_activity }: NonNullable<Channel['stats']>) =>
  html`<section aria-labelledby="learners">
    <h2 id="learners">Your learners</h2>
    ${
      enrolled === 0
        ? html`<p class="quiet-text">Nobody has joined yet. Share the address of this page.</p>`
        : html`<div class="two">
            ${funnelChart(
              {
                title: 'From joining to finishing',
                description: `${started} of ${enrolled} began, ${completed} finished.`,
                table: {
                  columns: ['Step', 'Learners'],
                  rows: [
                    ['Joined', enrolled],
                    ['Began', started],
                    ['Finished', completed],
                  ],
                },
              },
              [
                { name: 'Joined', value: enrolled },
                { name: 'Began', value: started },
                { name: 'Finished', value: completed },
              ],
            )}
            ${columnChart(
              {
                title: 'Learners each week',
                description: 'How many were active in each of the last twelve weeks.',
                table: {
                  columns: ['Week of', 'Learners', 'Watched'],
                  rows: weekly_activity.map(({ week, learners, watched_seconds }) => [
                    day(week),
                    learners,
                    duration(watched_seconds),
                  ]),
                },
              },
              weekly_activity.map(({ week }) => dayAndMonth(week)),
              weekly_activity.map((week) => week.learners),
            )}
          </div>`
    }
  </section>`

function facts(channel: Channel) {
  const {
    language,
    level,
    category,
    tags,
    enrollment_count,
    passing_percent,
    sequential,
    completion_threshold,
  } = channel
  const isFed = channel.status === 'published' && channel.visibility === 'public'
  const fact = (name: string, value: Child) =>
    value &&
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`
  return html`<dl class="facts">
    ${fact('Language', languageName(language))} ${fact('Level', level !== 'all' && level)}
    ${fact('Subject', category)}
    ${fact('Topics', tags.length > 0 && tags.map((tag, i) => [i > 0 && ', ', html`<a href="/channels?${new URLSearchParams({ tag }).toString()}">${tag}</a>`]))}
    ${fact('Learners', number(enrollment_count))} ${fact('To pass', `${number(passing_percent)}\u00a0%`)}
    ${fact('Counts as watched', `from ${number(completion_threshold * 100)}\u00a0% on`)}
    ${fact('Order', sequential && 'one episode after the other')}
    ${fact('For devices', isFed && html`<a href="/api/device/feed/${channel.id}">JSON feed</a>`)}
  </dl>`
}

function removal({ id, title, enrollment_count }: Channel) {
  const button = html`<button type="button" class="quiet">Delete this channel</button>`
  const text = `It disappears for ${count(enrollment_count, 'learner')} and for everybody else. Nothing of it can be opened any more.`
  button.addEventListener('click', () => {
    void confirmed(`Delete “${title}”?`, text, 'Delete').then(async (yes) => {
      if (yes && (await act(button, async () => void (await send('DELETE', `/api/channels/${id}`)))))
        location.assign('/channels')
    })
  })
  return button
}
