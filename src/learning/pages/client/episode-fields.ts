import { texts } from '#foundation/web/client/language.ts'
import type { Episode } from '../api-types.ts'
import { field, select } from './form.ts'
import { html } from './html.ts'
import { markdownField } from './markdown-field.ts'
import { listIn, localMoment, momentIn, numberIn, textIn, textOrNull } from './read.ts'
import { pictureUploader } from './upload.ts'
import { EDITING_TEXTS } from './editing-texts.ts'

const t = texts(EDITING_TEXTS)

/** The fields of an episode, without its video. */
export function episodeFields(episode: Episode): HTMLElement {
  const thumbnail = html`<input
    inputmode="url"
    maxlength="2048"
    value=${episode.thumbnail_url ?? ''}
  />` as HTMLInputElement
  return html`<div class="fields">
    ${field({ name: 'title', label: t('title'), control: html`<input required maxlength="200" dir="auto" value=${episode.title} />` })}
    ${markdownField({ name: 'description', label: t('description'), value: episode.description, max: 10_000 })}
    <div class="field-row">
      ${field({
        name: 'status',
        label: t('state'),
        control: select(
          [
            ['draft', t('draft')],
            ['published', t('published')],
          ],
          episode.status,
        ),
      })}
      ${field({
        name: 'release_at',
        label: t('release_at'),
        isOptional: true,
        control: html`<input type="datetime-local" value=${localMoment(episode.release_at)} />`,
      })}
    </div>
    ${field({
      name: 'authors',
      label: t('authors'),
      isOptional: true,
      hint: t('commas'),
      control: html`<input value=${episode.authors.join(', ')} />`,
    })}
    <div class="field-row">
      ${field({ name: 'season', label: t('season'), control: html`<input type="number" min="1" max="1000" required value=${episode.season} />` })}
      ${field({
        name: 'recorded_on',
        label: t('recorded_on'),
        isOptional: true,
        control: html`<input type="date" value=${episode.recorded_on ?? ''} />`,
      })}
      ${field({
        name: 'language',
        label: t('language'),
        isOptional: true,
        control: html`<input
          maxlength="35"
          placeholder=${t('as_channel')}
          value=${episode.language ?? ''}
        />`,
      })}
    </div>
    ${field({
      name: 'thumbnail_url',
      label: t('thumbnail_url'),
      isOptional: true,
      control: thumbnail,
    })}
    ${pictureUploader(episode.channel_id, thumbnail)}
  </div>`
}

/** The fields as an element of a channel's `episodes`. */
export const sentEpisode = (form: HTMLElement) => ({
  title: textIn(form, 'title'),
  description: textIn(form, 'description'),
  status: textIn(form, 'status') as Episode['status'],
  release_at: momentIn(form, 'release_at'),
  authors: listIn(form, 'authors'),
  season: numberIn(form, 'season'),
  recorded_on: textOrNull(form, 'recorded_on'),
  language: textOrNull(form, 'language'),
  thumbnail_url: textOrNull(form, 'thumbnail_url'),
})
