import { badRequest, unprocessable } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { asSent, cleanFields, type Faults, language, link, name, names, type Rules, text } from '../values.ts'
import { cleanVideo, type VideoPatch } from '../media/merge.ts'
import { type EPISODE_STATUSES, type EpisodeChange, MAX_EPISODES, type NewEpisode } from './episode.ts'

/** The columns of learning.episodes that an author sets. */
export type EpisodeFields = {
  title: string
  description: string
  status: (typeof EPISODE_STATUSES)[number]
  release_at: string | null
  thumbnail_url: string | null
  season: number
  authors: string[]
  language: string | null
  recorded_on: string | null
}
export type EpisodeRow = EpisodeFields & { id: string; position: number }

/** One element of a channel body, in the form that is stored. */
export type EpisodePatch = {
  id: string | undefined
  isDeleted: boolean
  fields: Partial<EpisodeFields>
  video: VideoPatch | undefined
  /** The path of the element in the body, for error messages. */
  path: string
}

export const EPISODE_DEFAULTS: Omit<EpisodeFields, 'title'> = {
  description: '',
  status: 'published',
  release_at: null,
  thumbnail_url: null,
  season: 1,
  authors: [],
  language: null,
  recorded_on: null,
}

export const EPISODE_RULES: Rules<EpisodeFields> = {
  title: name,
  description: text,
  status: asSent,
  release_at: asSent,
  thumbnail_url: link,
  season: asSent,
  authors: names,
  language,
  recorded_on: asSent,
}

/** The elements of POST. Each creates an episode; a sent `id` is ignored. */
export const cleanNewEpisodes = (episodes: readonly NewEpisode[], faults: Faults): EpisodePatch[] =>
  episodes.map((episode, index) => cleanEpisode(episode, undefined, false, `episodes[${index}].`, faults))

/** The elements of PUT. A repeated id, or a new episode without a title, is a fault. */
export function cleanEpisodeChanges(episodes: readonly EpisodeChange[], faults: Faults): EpisodePatch[] {
  const ids = new Set<string>()
  return episodes.map((episode, index) => {
    const path = `episodes[${index}].`
    const id = episode.id?.toLowerCase()
    const isDeleted = episode.deleted === true
    if (id === undefined && isDeleted) faults.at(`${path}id`)('required', 'is required with deleted')
    else if (id === undefined && episode.title === undefined)
      faults.at(`${path}title`)('required', 'is required')
    if (id !== undefined && ids.has(id)) faults.at(`${path}id`)('repeated', 'stands twice in the list')
    if (id !== undefined) ids.add(id)
    return cleanEpisode(episode, id, isDeleted, path, faults)
  })
}

function cleanEpisode(
  episode: EpisodeChange,
  id: string | undefined,
  isDeleted: boolean,
  path: string,
  faults: Faults,
): EpisodePatch {
  const fields = cleanFields(episode, EPISODE_RULES, EPISODE_DEFAULTS, faults, path)
  const video = episode.video ? cleanVideo(episode.video, faults, `${path}video.`) : undefined
  return { id, isDeleted, fields, video, path }
}

/** What a channel body changes: rows to write, ids to delete, and the order of all remaining live episodes. */
export type EpisodePlan = {
  rows: EpisodeRow[]
  videos: { episode_id: string; patch: VideoPatch; path: string }[]
  deleted: string[]
  order: string[]
}

/**
 * The merge of docs/learning.md: listed episodes in the order of the body, then the unlisted ones in their old order;
 * only `deleted` removes one. `live` is in order, `patches` is the cleaned body. 400 for an id that is not in `live`,
 * and for more than 500 episodes in the end.
 */
export function planEpisodes(live: readonly EpisodeRow[], patches: readonly EpisodePatch[]): EpisodePlan {
  const known = new Map(live.map((row) => [row.id, row]))
  const plan: EpisodePlan = { rows: [], videos: [], deleted: [], order: [] }
  for (const { id, isDeleted, fields, video, path } of patches) {
    const row = id === undefined ? undefined : known.get(id)
    if (id !== undefined && !row)
      throw badRequest('foreign_episode', `${path}id is not an episode of this channel`)
    if (row && isDeleted) plan.deleted.push(row.id)
    else {
      const position = plan.order.length + 1
      const merged = row ? { ...row, ...fields, position } : newRow(fields, position, path)
      if (!row || Object.keys(fields).length > 0) plan.rows.push(merged)
      if (video) plan.videos.push({ episode_id: merged.id, patch: video, path })
      plan.order.push(merged.id)
    }
  }
  const listed = new Set([...plan.order, ...plan.deleted])
  plan.order.push(...live.map(({ id }) => id).filter((id) => !listed.has(id)))
  if (plan.order.length > MAX_EPISODES)
    throw badRequest('too_many_episodes', `A channel holds at most ${MAX_EPISODES} episodes`)
  return plan
}

function newRow(fields: Partial<EpisodeFields>, position: number, path: string): EpisodeRow {
  const { title } = fields
  if (title === undefined) throw unprocessable(`${path}title`, 'required', 'is required')
  return { ...EPISODE_DEFAULTS, ...fields, title, id: newId(), position }
}
