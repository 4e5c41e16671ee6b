import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Episode } from '../api-types.ts'
import { get, send } from './api.ts'
import { CHANNEL_TEXTS } from './channel-texts.ts'
import { columnChart, funnelChart } from './chart.ts'
import { confirmed } from './dialog.ts'
import { act } from './form.ts'
import { day, dayAndMonth, duration, number, percent } from './format.ts'
import { setTitle, setTrail } from './heading.ts'
import { type Child, html } from './html.ts'
import { icon } from './icons.ts'
import { lazily } from './lazily.ts'
import { markdown } from './markdown.ts'
import { openPage } from './page.ts'
import { badge, cover, languageName, meta, progress } from './parts.ts'
import { ring } from './ring.ts'
import { seasonsOf } from './seasons.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { empty } from './states.ts'
import { toast } from './toast.ts'

const t = texts(CHANNEL_TEXTS)
const shell = texts(SHELL_TEXTS)

const reload = openPage(
  async ({ required, query }) => {
    // Only editors get `stats`.
    const channel = await get<Channel>(`/api/channels/${encodeURIComponent(required('id'))}?include=stats`)
    setTitle(channel.title)
    setTrail({ href: '/channels', text: shell('channels') })
    const { description, language, stats } = channel
    const view = channel.my.can_edit ? query.get('view') : null
    if (view === 'people' || view === 'grades')
      return html`<div class="stack">
        ${views(channel.id, view)} ${await viewOf(channel, view, query.get('learner'))}
      </div>`
    return html`<div class="with-side channel">
      <div class="stack">
        ${channel.my.can_edit && views(channel.id, '')}
        <section class="channel-head">
          ${marks(channel)} ${description && markdown(description, { language })} ${actions(channel)}
        </section>
        ${outline(channel)} ${stats && learners(stats)}
      </div>
      <aside class="channel-side" aria-label=${t('about')}>
        ${cover(channel.title, channel.thumbnail_url)}
        ${channel.my.enrolled && progress(channel.my.progress_percent, t('your_progress'))}
        ${channel.my.enrolled && channel.my.progress_percent > 0 && certificatePlace(channel)}
        ${facts(channel)} ${channel.my.enrolled && leaving(channel)}
        ${channel.my.can_delete && removal(channel)}
      </aside>
    </div>`
  },
  {
    visitor: async ({ sso_url, required }) =>
      (await lazily(import('./channel-preview.ts'))).preview(required('id'), sso_url),
  },
)

async function viewOf({ id, title }: Channel, view: 'people' | 'grades', learner: string | null) {
  if (view === 'people') return (await lazily(import('./channel-people.ts'))).peopleOf(id)
  if (learner === null) return (await lazily(import('./gradebook.ts'))).gradebookOf(id)
  setTrail({ href: '/channels', text: shell('channels') }, { href: `/channel?id=${id}`, text: title })
  return (await lazily(import('./channel-learner.ts'))).learnerOf(id, learner)
}

/** The parts of a channel for its teachers. */
const views = (id: string, shown: string) =>
  html`<nav class="tabs" aria-label=${t('views')}>
    <ul>
      ${[
        ['', t('overview')] as const,
        ['people', t('people')] as const,
        ['grades', t('gradebook')] as const,
      ].map(
        ([view, text]) =>
          html`<li>
            <a
              href="/channel?id=${id}${view && `&view=${view}`}"
              aria-current=${view === shown ? 'page' : null}
              >${text}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`

function marks({ status, visibility, enrollment }: Channel): Child {
  const shown = [
    status === 'draft' && badge(t('draft_long'), 'warn'),
    status === 'archived' && badge(t('archived_long'), 'warn'),
    visibility === 'private' && badge(t('private'), 'plain', 'lock'),
    enrollment === 'closed' && status === 'published' && badge(t('closed'), 'plain', 'lock'),
  ].filter(Boolean)
  return shown.length > 0 && html`<p class="actions">${shown}</p>`
}

function actions(channel: Channel): Child {
  const { id, my, episodes, enrollment, status } = channel
  const next = my.next_episode_id ?? episodes.find((episode) => !episode.my.locked)?.id
  const mayJoin = !my.enrolled && !my.can_edit && enrollment === 'open' && status === 'published'
  const join = html`<button type="button">${t('join_this')}</button>`
  join.addEventListener(
    'click',
    () =>
      void act(join, async () => {
        await send('POST', '/api/enroll', { channel_id: id })
        await reload()
        toast(t('joined', { title: channel.title }))
      }),
  )
  const isBegun = my.progress_percent > 0
  return html`<p class="actions">
    ${mayJoin && join}
    ${
      next &&
      (my.enrolled || my.can_edit) &&
      html`<a class="button" href="/episode?id=${next}&channel=${id}">
        ${icon('play')}${t(isBegun ? (my.progress_percent >= 100 ? 'watch_again' : 'continue') : 'begin')}
      </a>`
    }
    ${my.can_edit && html`<a class="button second" href="/channel/edit?id=${id}">${icon('edit')}${t('edit')}</a>`}
  </p>`
}

function outline(channel: Channel) {
  const { episodes, my } = channel
  return html`<section aria-labelledby="episodes">
    <div class="section-head">
      <h2 id="episodes">${t('episodes')}</h2>
      ${episodes.length > FEW && finder(channel)}
      <p class="quiet-text">
        ${episodes.length > 0 && t('episodes_length', { count: episodes.length, length: channel.duration_seconds > 0 ? duration(channel.duration_seconds) : t('length_unknown') })}
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
        ${episode.homework_count > 0 && html`<a href="/grading?episode=${id}" aria-label=${t('grade_one', { title })}>${t('grade')}</a>`}
        <a href="/episode/edit?id=${id}&channel=${channel.id}" aria-label=${t('edit_one', { title })}
          >${t('edit')}</a
        >
      </p>`
    }
  </li>`
}

const learners = ({ enrolled, started, completed, weekly_activity }: NonNullable<Channel['stats']>) =>
  html`<section aria-labelledby="learners">
    <h2 id="learners">${t('your_learners')}</h2>
    ${
      enrolled === 0
        ? html`<p class="quiet-text">${t('nobody')}</p>`
        : html`<div class="two">
            ${funnelChart(
              {
                title: t('funnel'),
                description: t('funnel_text', { started, enrolled, completed }),
                table: {
                  columns: [t('step'), t('learners')],
                  rows: [
                    [t('joined_step'), enrolled],
                    [t('began'), started],
                    [t('finished'), completed],
                  ],
                },
              },
              [
                { name: t('joined_step'), value: enrolled },
                { name: t('began'), value: started },
                { name: t('finished'), value: completed },
              ],
            )}
            ${columnChart(
              {
                title: t('weekly'),
                description: t('weekly_text'),
                table: {
                  columns: [t('week_of'), t('learners'), t('watched')],
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
    ${fact(t('language'), languageName(language))} ${fact(t('level'), level !== 'all' && shell(level))}
    ${fact(t('subject'), category && html`<bdi>${category}</bdi>`)}
    ${fact(t('topics'), tags.length > 0 && tags.map((tag, i) => [i > 0 && ', ', html`<a dir="auto" href="/channels?${new URLSearchParams({ tag }).toString()}">${tag}</a>`]))}
    ${fact(t('learners'), number(enrollment_count))}
    ${fact(t('to_pass'), `${number(passing_percent)}\u00a0%`)}
    ${fact(t('counts_as_watched'), t('from_on', { percent: `${number(completion_threshold * 100)}\u00a0%` }))}
    ${fact(t('order'), sequential && t('sequential'))}
    ${fact(t('devices'), isFed && html`<a href="/api/device/feed/${channel.id}">${t('feed')}</a>`)}
  </dl>`
}

/** Few learners are so far, so what they read comes when the page stands. */
function certificatePlace(channel: Channel): HTMLElement {
  const place = html`<div></div>`
  import('./certificate.ts')
    .then(({ showCertificate }) => showCertificate(place, channel.id))
    .catch(reportError)
  return place
}

function leaving({ id, title, enrollment }: Channel) {
  const button = html`<button type="button" class="quiet">${t('leave')}</button>`
  const text = t(enrollment === 'open' ? 'leave_text' : 'leave_closed')
  button.addEventListener('click', () => {
    void confirmed(t('leave_one', { title }), text, t('leave')).then(async (yes) => {
      if (!yes || !(await act(button, async () => void (await send('DELETE', `/api/enrollments/${id}`)))))
        return
      await reload()
      toast(t('left', { title }))
    })
  })
  return button
}

function removal({ id, title, enrollment_count }: Channel) {
  const button = html`<button type="button" class="quiet">${t('delete_this')}</button>`
  const text = t('delete_text', { count: enrollment_count })
  button.addEventListener('click', () => {
    void confirmed(t('delete_one', { title }), text, t('delete')).then(async (yes) => {
      if (yes && (await act(button, async () => void (await send('DELETE', `/api/channels/${id}`)))))
        location.assign('/channels')
    })
  })
  return button
}
