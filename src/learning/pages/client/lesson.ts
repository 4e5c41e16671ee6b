import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Episode, Homework, Progress, Test } from '../api-types.ts'
import { send } from './api.ts'
import { act } from './form.ts'
import { type Child, html } from './html.ts'
import { icon } from './icons.ts'
import { LESSON_TEXTS } from './lesson-texts.ts'
import { phrase } from './phrase.ts'

const t = texts(LESSON_TEXTS)

/**
 * The button that completes an episode which no player can measure. `is_unplayable` says that its video does not play
 * here. It leaves the page once the episode is done.
 */
export function doneButton(
  { id, my }: Episode,
  done: (told: Progress) => void,
  { is_unplayable = false } = {},
): Child {
  if (my.completed) return null
  const button = html`<button type="button" class="second">${icon('check')}${t('mark_done')}</button>`
  button.addEventListener(
    'click',
    () =>
      void act(button, async () => {
        const told = await send<Progress>('POST', '/api/progress', {
          episode_id: id,
          completed: true,
          ...(is_unplayable && { unplayable: true }),
        })
        button.remove()
        done(told)
      }),
  )
  return button
}

/** What a learner can do about a video that does not play. One that must be watched cannot be skipped. */
export const withoutVideo = (episode: Episode, is_strict: boolean, done: (told: Progress) => void): Child =>
  is_strict
    ? html`<p class="under-stage is-spaced">${t('strict')}</p>`
    : html`<p class="under-stage is-spaced">
        ${!episode.my.completed && html`<span>${t('unplayable_done')}</span>`}
        ${doneButton(episode, done, { is_unplayable: true })}
      </p>`

/** What comes after an episode that is done: its open homework and tests, then the next episode. */
export function upNext(
  channel: Channel,
  episode_id: string,
  work: { homework: Homework[]; tests: Test[] },
): Child {
  const at = channel.episodes.findIndex(({ id }) => id === episode_id)
  if (!channel.episodes[at]?.my.completed) return null
  const next = channel.episodes[at + 1]
  const todo = [
    ...work.homework
      .filter(({ my_submission }) => !my_submission || my_submission.status === 'returned')
      .map(({ id, title }) => ({
        href: `/homework?id=${id}&episode=${episode_id}`,
        text: t('do', { title }),
      })),
    ...work.tests
      .filter(({ my }) => my.kept_percent === null && my.attempts_left !== 0)
      .map(({ id, title }) => ({ href: `/test?id=${id}&episode=${episode_id}`, text: t('take', { title }) })),
    ...(next && !next.my.locked
      ? [
          {
            href: `/episode?id=${next.id}&channel=${channel.id}`,
            text: t('next_episode', { title: next.title }),
          },
        ]
      : []),
  ]
  const isAllDone = channel.episodes.every(({ my }) => my.completed)
  if (todo.length === 0 && !isAllDone) return null
  return html`<section class="up-next" aria-labelledby="up-next">
    <h2 id="up-next">${t('up_next')}</h2>
    ${isAllDone && html`<p>${t('channel_done', { title: channel.title })}</p>`}
    ${
      todo.length > 0 &&
      html`<ul class="rows">
        ${todo.map(({ href, text }, i) => html`<li class="line"><a class=${i === 0 ? 'button' : ''} dir="auto" href=${href}>${text}</a></li>`)}
      </ul>`
    }
  </section>`
}

/** Instead of a locked episode: its name, its channel, and the episode to finish first. */
export function lockedPanel(channel: Channel, { title }: Episode): HTMLElement {
  const first = channel.episodes.find(({ my }) => !my.completed && !my.locked)
  const link = html`<a dir="auto" href="/channel?id=${channel.id}">${channel.title}</a>`
  const to = first && `/episode?id=${first.id}&channel=${channel.id}`
  return html`<section class="panel">
    <h2 dir="auto">${t('is_locked', { title })}</h2>
    <p>
      ${phrase(t, 'locked_text', { channel: link, episode: first && html`<a dir="auto" href=${to}>${first.title}</a>` })}
    </p>
    ${first && html`<p><a class="button" href=${to}>${t('go_there', { title: first.title })}</a></p>`}
  </section>`
}
