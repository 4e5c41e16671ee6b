/** The input of the checklist. `episodes` are those on the page, saved or not. */
type Plan = {
  title: string
  description: string
  thumbnail_url: string | null
  episodes: {
    status: string
    video: { has_captions: boolean } | null
    homework_count: number
    test_count: number
  }[]
}

/**
 * One line of the list; `count` is for its hint. With `must`, learners find nothing until it is done; others are advice.
 */
type Check = { name: CheckName; count?: number; is_done: boolean; must: boolean }
export type CheckName =
  | 'has_title'
  | 'has_published'
  | 'has_videos'
  | 'has_description'
  | 'has_picture'
  | 'has_captions'
  | 'has_work'

/** Minimum characters of a useful description. Dense scripts need fewer. */
const MIN_DESCRIPTION = 40
const MIN_DENSE_DESCRIPTION = 20

/** The checks before a channel is published, most urgent first. */
export function checksOf({ title, description, thumbnail_url, episodes }: Plan): Check[] {
  const published = episodes.filter(({ status }) => status === 'published')
  const withVideo = published.filter(({ video }) => video !== null)
  const isDense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/u.test(description)
  const enough = isDense ? MIN_DENSE_DESCRIPTION : MIN_DESCRIPTION
  return [
    {
      name: 'has_title',
      is_done: title.trim().length >= 3,
      must: true,
    },
    {
      name: 'has_published',
      is_done: published.length > 0,
      must: true,
    },
    {
      name: 'has_videos',
      count: published.length - withVideo.length,
      is_done: published.length > 0 && withVideo.length === published.length,
      must: false,
    },
    {
      name: 'has_description',
      count: enough,
      is_done: Array.from(description.trim()).length >= enough,
      must: false,
    },
    {
      name: 'has_picture',
      is_done: Boolean(thumbnail_url),
      must: false,
    },
    {
      name: 'has_captions',
      count: withVideo.filter(({ video }) => !video?.has_captions).length,
      is_done: withVideo.length > 0 && withVideo.every(({ video }) => video?.has_captions),
      must: false,
    },
    {
      name: 'has_work',
      is_done: episodes.some(({ homework_count, test_count }) => homework_count + test_count > 0),
      must: false,
    },
  ]
}
