import { texts } from '#foundation/web/client/language.ts'
import { CHANNEL_TEXTS } from './channel-texts.ts'
import { type Child, html } from './html.ts'

const t = texts(CHANNEL_TEXTS)

/** A part with more episodes is cut, and a channel with more folds its parts. */
const MOST = 50

type Listed = { season: number }
type Part<T> = { name: string; episodes: T[] }

/**
 * The episodes of a channel in parts. Parts of a long channel fold; the one with an episode that `isHere` is open, else the
 * first. Rows of a folded part are made when it opens.
 */
export function seasonsOf<T extends Listed>(
  episodes: readonly T[],
  row: (episode: T) => HTMLElement,
  isHere: (episode: T) => boolean = () => false,
): Child {
  const list = (some: readonly T[]) =>
    html`<ol class="rows outline">
      ${some.map(row)}
    </ol>`
  const parts = partsOf(episodes)
  if (episodes.length <= MOST)
    return parts.map(
      ({ name, episodes: some }) =>
        html`<div>${name && html`<h3 class="season">${name}</h3>`} ${list(some)}</div>`,
    )
  const here = Math.max(
    0,
    parts.findIndex((part) => part.episodes.some(isHere)),
  )
  return parts.map(({ name, episodes: some }, i) => {
    const place = html`<div></div>`
    const fill = () => void (place.childElementCount === 0 && place.append(list(some)))
    if (i === here) fill()
    return html`<details class="part" open=${i === here} ontoggle=${fill}>
      <summary>
        <h3 class="season">${name}</h3>
        <span class="quiet-text">${t('episodes_count', { count: some.length })}</span>
      </summary>
      ${place}
    </details>`
  })
}

function partsOf<T extends Listed>(episodes: readonly T[]): Part<T>[] {
  const seasons = [...Map.groupBy(episodes, ({ season }) => season)]
  return seasons.flatMap(([season, some]) => {
    const name = seasons.length > 1 ? t('part', { season }) : ''
    if (some.length <= MOST) return [{ name, episodes: some }]
    return Array.from({ length: Math.ceil(some.length / MOST) }, (_, i) => {
      const [from, to] = [i * MOST, Math.min((i + 1) * MOST, some.length)]
      const range = t('episodes_range', { from: from + 1, to })
      return { name: name ? `${name}: ${range}` : range, episodes: some.slice(from, to) }
    })
  })
}
