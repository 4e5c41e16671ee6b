import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Episode } from '../api-types.ts'
import { CHANNEL_FORM_TEXTS } from './channel-form-texts.ts'
import { field, select } from './form.ts'
import { duration } from './format.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { meta } from './parts.ts'
import type { Pasted } from './pasted.ts'
import { phrase } from './phrase.ts'
import { textIn } from './read.ts'
import { rowList } from './rows.ts'

const t = texts(CHANNEL_FORM_TEXTS)
const MAX_EPISODES = 500
/** More than a screen shows. */
const FIRST = 20

export type Line = {
  /** Undefined for one that is not saved yet. */
  episode: Episode | undefined
  title: string
  status: Episode['status']
  url?: string | undefined
}

/** A channel's episodes as a list to reorder and rename. Everything else is on the episode's own page. */
export function outline(channel: Channel | undefined) {
  const rows = rowList<Line>({
    one: t('one_episode'),
    path: 'episodes',
    isOrdered: true,
    max: MAX_EPISODES,
    first: FIRST,
    values: (channel?.episodes ?? []).map((episode) => ({
      episode,
      title: episode.title,
      status: episode.status,
    })),
    make: (line) => {
      const content = lineOf(line, channel?.id)
      return {
        content,
        read: () => ({
          episode: line?.episode,
          title: textIn(content, 'title'),
          status: textIn(content, 'status') as Episode['status'],
          url: line?.url,
        }),
      }
    },
  })

  return {
    element: rows.element,
    /** Adds a draft for each address. */
    add: (pasted: readonly Pasted[]) => {
      for (const one of pasted) rows.add({ episode: undefined, status: 'draft', ...one })
    },
    read: () => rows.read(),
    /** Sets every episode to published, as if it were chosen in each row. */
    publishAll() {
      rows.finish()
      for (const control of rows.element.querySelectorAll<HTMLSelectElement>('select[name="status"]'))
        control.value = 'published'
      rows.element.dispatchEvent(new Event('input', { bubbles: true }))
    },
    /** The rows in the form the checklist takes. */
    shown: () =>
      rows.read().map(({ episode, status }) => ({
        status,
        video: episode?.video ?? null,
        homework_count: episode?.homework_count ?? 0,
        test_count: episode?.test_count ?? 0,
      })),
  }
}

function lineOf(line: Line | undefined, channel_id: string | undefined) {
  const { episode, title = '', status = 'draft', url } = line ?? {}
  return html`<div class="outline-line">
    <div class="field-row is-tight">
      ${field({
        name: 'title',
        label: t('episode_title'),
        control: html`<input required maxlength="200" dir="auto" autocomplete="off" value=${title} />`,
      })}
      ${field({
        name: 'status',
        label: t('status'),
        control: select(
          [
            ['draft', t('draft')],
            ['published', t('published')],
          ],
          status,
        ),
      })}
    </div>
    ${
      episode
        ? html`<div class="outline-facts">
            ${meta(
              episode.video
                ? duration(episode.duration_seconds) || t('video')
                : html`<span class="is-lacking">${icon('warn')}${t('no_video')}</span>`,
              episode.video && !episode.video.has_captions && t('no_captions'),
              episode.homework_count > 0 && t('homework_count', { count: episode.homework_count }),
              episode.test_count > 0 && t('test_count', { count: episode.test_count }),
            )}
            <a href="/episode/edit?id=${episode.id}&channel=${channel_id ?? ''}"
              >${icon('edit')}${phrase(t, 'parts', { of: html`<span class="unseen">${t('of_one', { title })}</span>` })}</a
            >
          </div>`
        : html`<p class="meta">
            ${url && html`<span class="address" dir="ltr">${url}</span>`}<span>${t('saved_first')}</span>
          </p>`
    }
  </div>`
}
