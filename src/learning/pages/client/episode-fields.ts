import { texts } from '#foundation/web/client/language.ts'
import { field } from './form.ts'
import { html } from './html.ts'
import { markdownField } from './markdown-field.ts'
import { listIn, localMoment, momentIn, numberIn, textIn, textOrNull } from './read.ts'
import { pictureUploader } from './upload.ts'
import { EDITING_TEXTS } from './editing-texts.ts'
import { EDITOR_TEXTS } from './editor-texts.ts'

const t = texts(EDITING_TEXTS)
const e = texts(EDITOR_TEXTS)

/** The fields of an episode as they are shown: half typed, perhaps. */
type Shown = {
  title: string
  description: string
  release_at: string | null
  thumbnail_url: string | null
  season: number | null
  authors: string[]
  language: string | null
  recorded_on: string | null
}

/** Title, description and what else belongs to an episode, without its video. */
export function episodeFields(episode: Shown, channel_id: string) {
  const thumbnail = html`<input
    inputmode="url"
    maxlength="2048"
    value=${episode.thumbnail_url ?? ''}
  />` as HTMLInputElement
  const element = html`<div class="fields">
    ${field({ name: 'title', label: t('title'), control: html`<input required maxlength="200" dir="auto" value=${episode.title} />` })}
    ${markdownField({ name: 'description', label: t('description'), value: episode.description, max: 10_000 })}
    <details class="more">
      <summary>${e('details')}</summary>
      <div class="fields">
        <div class="field-row">
          ${field({
            name: 'release_at',
            label: t('release_at'),
            isOptional: true,
            control: html`<input type="datetime-local" value=${localMoment(episode.release_at)} />`,
          })}
          ${field({
            name: 'recorded_on',
            label: t('recorded_on'),
            isOptional: true,
            control: html`<input type="date" value=${episode.recorded_on ?? ''} />`,
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
          ${field({ name: 'season', label: t('season'), control: html`<input type="number" min="1" max="1000" required value=${episode.season ?? ''} />` })}
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
        ${pictureUploader(channel_id, thumbnail)}
      </div>
    </details>
  </div>`
  const read = (): Shown => ({
    title: textIn(element, 'title'),
    description: textIn(element, 'description'),
    release_at: momentIn(element, 'release_at'),
    authors: listIn(element, 'authors'),
    season: numberIn(element, 'season'),
    recorded_on: textOrNull(element, 'recorded_on'),
    language: textOrNull(element, 'language'),
    thumbnail_url: textOrNull(element, 'thumbnail_url'),
  })
  return { element, read }
}
