import type { Episode } from '../api-types.ts'
import { field, select } from './form.ts'
import { html } from './html.ts'
import { area, listIn, localMoment, momentIn, numberIn, textIn, textOrNull } from './read.ts'

/** The fields of an episode, without its video. */
export const episodeFields = (episode: Episode): HTMLElement =>
  html`<div class="fields">
    ${field({ name: 'title', label: 'Title', control: html`<input required maxlength="200" dir="auto" value=${episode.title} />` })}
    ${field({ name: 'description', label: 'Description', isOptional: true, hint: 'Markdown works here', control: area(episode.description, 10_000) })}
    <div class="field-row">
      ${field({
        name: 'status',
        label: 'State',
        control: select(
          [
            ['draft', 'Draft'],
            ['published', 'Published'],
          ],
          episode.status,
        ),
      })}
      ${field({
        name: 'release_at',
        label: 'Appears from',
        isOptional: true,
        control: html`<input type="datetime-local" value=${localMoment(episode.release_at)} />`,
      })}
    </div>
    ${field({
      name: 'authors',
      label: 'Speakers',
      isOptional: true,
      hint: 'With commas between them',
      control: html`<input value=${episode.authors.join(', ')} />`,
    })}
    <div class="field-row">
      ${field({ name: 'season', label: 'Season', control: html`<input type="number" min="1" max="1000" required value=${episode.season} />` })}
      ${field({
        name: 'recorded_on',
        label: 'Recorded on',
        isOptional: true,
        control: html`<input type="date" value=${episode.recorded_on ?? ''} />`,
      })}
      ${field({
        name: 'language',
        label: 'Language',
        isOptional: true,
        control: html`<input maxlength="35" placeholder="as the channel" value=${episode.language ?? ''} />`,
      })}
    </div>
    ${field({
      name: 'thumbnail_url',
      label: 'Address of a picture',
      isOptional: true,
      control: html`<input inputmode="url" maxlength="2048" value=${episode.thumbnail_url ?? ''} />`,
    })}
  </div>`

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
