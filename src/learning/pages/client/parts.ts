import { language, texts } from '#foundation/web/client/language.ts'
import type { Channel, ListedChannel } from '../api-types.ts'
import { duration, percent } from './format.ts'
import { type Child, html, svg } from './html.ts'
import { type Icon, icon } from './icons.ts'
import { SHELL_TEXTS } from './shell-texts.ts'

const t = texts(SHELL_TEXTS)

/** A progress bar with its value as text, so that length and colour are not the only sign. `value` in percent. */
export const progress = (value: number, label: string): HTMLElement =>
  html`<div class="progress">
    <progress max="100" value=${String(Math.min(100, Math.max(0, value)))} aria-label=${label}></progress>
    <span aria-hidden="true">${percent(value)}</span>
  </div>`

/**
 * A 16:9 picture. Behind it, or alone, is a row of arches derived from the title: the same title always gives the
 * same arches. Decoration only, because the title is beside it.
 */
export function cover(title: string, thumbnail_url: string | null): HTMLElement {
  const own = html`<span class="cover tone-${numberOf(title) % 5}" aria-hidden="true">${arches(title)}</span>`
  if (thumbnail_url)
    own.append(
      html`<img
        src=${thumbnail_url}
        alt=""
        loading="lazy"
        decoding="async"
        referrerpolicy="no-referrer"
        onerror=${({ target }: Event) => (target as HTMLElement).remove()}
      />`,
    )
  return own
}

const WIDTH = 160
const HEIGHT = 90

function arches(title: string): SVGElement {
  const seed = numberOf(title)
  const many = 4 + (seed % 4)
  const step = WIDTH / many
  const shapes = Array.from({ length: many }, (_, i) => {
    const draw = numberOf(`${i}${title}`)
    const [left, half, top] = [i * step + step * 0.09, step * 0.41, 14 + (draw % 48)]
    return svg`<path
      class="arch-${(draw >>> 8) % 4}"
      d="M${left} ${HEIGHT}V${top + half}a${half} ${half} 0 0 1 ${2 * half} 0V${HEIGHT}Z"
    />`
  })
  const drawing = svg`<svg viewBox="0 0 160 90" preserveAspectRatio="xMidYMax slice"></svg>`
  drawing.append(...shapes)
  return drawing
}

/** A stable hash of a text that differs for similar texts (FNV-1a). */
function numberOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** `kind` is good, warn, bad or plain. The text must say it too, because colour alone is not enough. */
export const badge = (
  text: string,
  kind: 'good' | 'warn' | 'bad' | 'plain' = 'plain',
  sign?: Icon,
): HTMLElement => html`<span class="badge is-${kind}">${sign && icon(sign)}${text}</span>`

/** Facts in one muted line, separated by dots. */
export const meta = (...facts: Child[]): HTMLElement =>
  html`<p class="meta">${facts.filter(Boolean).map((fact) => html`<span><bdi>${fact}</bdi></span>`)}</p>`

/** The size, length, language and level of a channel in one line. */
export const channelMeta = ({
  episode_count,
  duration_seconds,
  language: spoken,
  level,
}: ListedChannel): HTMLElement =>
  meta(
    t('episodes', { count: episode_count }),
    duration_seconds > 0 && duration(duration_seconds),
    languageName(spoken),
    level !== 'all' && t(level),
  )

export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}

/** Links between the pages of a list; `of` builds a page's URL. Nothing for a single page. */
export function pager({ page, pages }: { page: number; pages: number }, of: (page: number) => string): Child {
  if (pages <= 1) return null
  return html`<nav class="pager" aria-label=${t('pages')}>
    ${page > 1 && html`<a class="button second" rel="prev" href=${of(page - 1)}>${icon('back')}${t('previous')}</a>`}
    <p>${t('page_of', { page, pages })}</p>
    ${page < pages && html`<a class="button second" rel="next" href=${of(page + 1)}>${t('next')}${icon('next')}</a>`}
  </nav>`
}

/** The breadcrumbs of an episode's work. The channel is known only if the visitor came from there. */
export const trailOf = (channel: Channel | null, episode_id: string): { href: string; text: string }[] => {
  const title = channel?.episodes.find(({ id }) => id === episode_id)?.title ?? t('episode')
  return [
    { href: '/channels?mine=1', text: t('channels') },
    ...(channel
      ? [
          { href: `/channel/edit?id=${channel.id}`, text: channel.title },
          { href: `/episode/edit?id=${episode_id}&channel=${channel.id}`, text: title },
        ]
      : [{ href: `/episode?id=${episode_id}`, text: title }]),
  ]
}
