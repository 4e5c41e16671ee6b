import { texts } from '#foundation/web/client/language.ts'
import type { Hit, SearchPage } from '../api-types.ts'
import { get } from './api.ts'
import { FINDER_TEXTS } from './finder-texts.ts'
import { clock } from './format.ts'
import { type Child, html } from './html.ts'
import { phrase } from './phrase.ts'

const t = texts(FINDER_TEXTS)

/** Asks for a page of hits: in one channel, or in all that one sees. */
export function findHits(q: string, more: Record<string, string | null | undefined>): Promise<SearchPage> {
  const asked = new URLSearchParams({ q: q.slice(0, 200) })
  for (const [name, value] of Object.entries(more)) if (value) asked.set(name, value)
  return get<SearchPage>(`/api/search?${asked.toString()}`)
}

/** The page of a hit; an episode opens at the second where the words are spoken. */
export function addressOf({ type, id, channel_id, start_seconds }: Hit): string {
  if (type === 'channel') return `/channel?id=${id}`
  const at = start_seconds === null ? '' : `&t=${Math.floor(start_seconds)}`
  return `/episode?id=${id}&channel=${channel_id}${at}`
}

/** Pieces of text, those that were searched for marked. */
export const pieces = (list: Hit['title']): Child[] =>
  list.map(({ text, is_hit }) => (is_hit ? html`<mark>${text}</mark>` : text))

/** Where the words stand: `Chapter at 1:35 · Astronomy`. */
export function placeOf(hit: Hit): Child[] {
  const { type, found_in, start_seconds, channel_title, is_near } = hit
  const time = start_seconds === null ? '' : clock(start_seconds)
  const place = {
    title: type === 'channel' ? t('channel') : '',
    authors: phrase(t, 'by', { names: html`<bdi>${hit.excerpt.map(({ text }) => text).join('')}</bdi>` }),
    tags: `${t('channel')} · ${t('tags')}`,
    category: `${t('channel')} · ${t('category')}`,
    description: t('description'),
    chapter: t('chapter', { time }),
    transcript: time ? t('spoken', { time }) : t('transcript'),
  }[found_in]
  const facts = [place, type === 'episode' && html`<bdi>${channel_title}</bdi>`, is_near && t('near')]
  return facts.filter(Boolean).flatMap((fact, i) => (i === 0 ? [fact] : [' · ', fact]))
}

/** A hit as a row of a list, with a link. */
export const hitRow = (hit: Hit): HTMLElement =>
  html`<li class="line hit">
    <div>
      <h3 lang=${hit.language} dir="auto"><a href=${addressOf(hit)}>${pieces(hit.title)}</a></h3>
      <p class="meta">${placeOf(hit)}</p>
      <p class="hit-text" lang=${hit.language} dir="auto">${pieces(hit.excerpt)}</p>
    </div>
  </li>`
