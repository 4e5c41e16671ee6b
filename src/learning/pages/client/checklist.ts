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

/** One line of the list. With `must`, learners find nothing until it is done; others are advice. */
export type Check = { text: string; hint: string; is_done: boolean; must: boolean }

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
      text: 'It has a title',
      hint: 'Say what one will be able to do',
      is_done: title.trim().length >= 3,
      must: true,
    },
    {
      text: 'At least one episode is published',
      hint: 'Drafts are seen by its editors only',
      is_done: published.length > 0,
      must: true,
    },
    {
      text: 'Every published episode has a video',
      hint: `${published.length - withVideo.length} without`,
      is_done: published.length > 0 && withVideo.length === published.length,
      must: false,
    },
    {
      text: 'The description says what it is about',
      hint: `${enough} characters or more`,
      is_done: Array.from(description.trim()).length >= enough,
      must: false,
    },
    {
      text: 'It has a picture',
      hint: 'Shown in the catalogue and on devices',
      is_done: Boolean(thumbnail_url),
      must: false,
    },
    {
      text: 'Every video has captions',
      hint: `${withVideo.filter(({ video }) => !video?.has_captions).length} without`,
      is_done: withVideo.length > 0 && withVideo.every(({ video }) => video?.has_captions),
      must: false,
    },
    {
      text: 'There is something to do beside watching',
      hint: 'Homework, or a test',
      is_done: episodes.some(({ homework_count, test_count }) => homework_count + test_count > 0),
      must: false,
    },
  ]
}
