import { must, SINGLE } from '#testing/exams.ts'
import { aColleague, type Headers, type Person } from '#testing/people.ts'
import { atTwin, type Cast, openCast } from './cast.ts'
import type { Ids } from './matrix.ts'

/** The cast, plus a plain member who teaches a channel. The cast's `member` learns there. */
export type School = Cast & { twin: Headers; author: Person; channel_id: string; episode_id: string }

export async function openSchool(): Promise<School> {
  const cast = await openCast()
  const author = await aColleague(cast)
  const { id: channel_id, episode_id } = await aChannel(author)
  await must(201, 'POST', '/api/enroll', cast.member, { channel_id })
  return {
    ...cast,
    twin: await atTwin(cast),
    author,
    channel_id: channel_id ?? '',
    episode_id: episode_id ?? '',
  }
}

async function aChannel(author: Person): Promise<Ids> {
  const video = { url: 'https://media.example.org/1.mp4', duration_seconds: 100 }
  const { id, episodes } = await must(201, 'POST', '/api/channels', author, {
    title: 'Course',
    episodes: [{ title: 'One', video }],
  })
  return { id, channel_id: id, episode_id: episodes[0].id }
}

/** Objects for the rows of learning: each function creates one object of the author and returns its ids. */
export const channel = async ({ author }: School) => aChannel(author)

/** A channel that the plain member has joined. */
export async function joined({ author, member }: School): Promise<Ids> {
  const { channel_id = '', ...ids } = await aChannel(author)
  await must(201, 'POST', '/api/enroll', member, { channel_id })
  return { ...ids, channel_id }
}

export const episode = async ({ channel_id, episode_id }: School): Promise<Ids> => ({
  id: episode_id,
  channel_id,
  episode_id,
})

export async function homework(school: School): Promise<Ids> {
  const url = `/api/episodes/${school.episode_id}/homework`
  return { id: (await must(201, 'POST', url, school.author, { title: 'Essay' })).id }
}

/** Homework that the learner has handed in. */
export async function submission(school: School): Promise<Ids> {
  const { id } = await homework(school)
  return {
    id: (await must(201, 'POST', `/api/episodes/homework/${id}/submit`, school.member, { text: 'Mine' })).id,
  }
}

/** A graded submission, in a channel of its own. */
export async function graded(school: School): Promise<Ids> {
  const { channel_id = '', episode_id = '' } = await joined(school)
  const { id } = await submission({ ...school, channel_id, episode_id })
  await must(200, 'PUT', `/api/episodes/homework/submissions/${id}/grade`, school.author, { score: 1 })
  return { channel_id, episode_id }
}

export async function exam(school: School): Promise<Ids> {
  const { id } = await must(201, 'POST', `/api/episodes/${school.episode_id}/tests`, school.author, {
    title: 'Quiz',
  })
  await must(201, 'POST', `/api/episodes/tests/${id}/questions`, school.author, SINGLE)
  return { id }
}

export async function question(school: School): Promise<Ids> {
  const { id } = await exam(school)
  const { items } = await must(200, 'GET', `/api/episodes/tests/${id}/questions`, school.author)
  return { id: items[0].id }
}

/** An attempt that the learner has handed in, at a test of its own. */
export async function attempt(school: School): Promise<Ids> {
  const { id: test_id = '' } = await exam(school)
  const url = `/api/episodes/tests/${test_id}/attempt`
  const { id } = await must(201, 'POST', url, school.member, { answers: [] })
  return { id, test_id }
}

/** A test whose questions the learner has loaded, so that an attempt is open. */
export async function opened(school: School): Promise<Ids> {
  const { id = '' } = await exam(school)
  const { attempt } = await must(200, 'GET', `/api/episodes/tests/${id}/questions`, school.member)
  return { id, user_id: school.member.user_id, opened_at: attempt.opened_at }
}

/** A note of the author. */
export async function noted({ episode_id, author }: School): Promise<Ids> {
  const url = `/api/episodes/${episode_id}/notes`
  return { id: (await must(201, 'POST', url, author, { at_seconds: 1 })).id, episode_id }
}

/** A question of the author. */
export async function asked({ episode_id, author }: School): Promise<Ids> {
  return { id: (await must(201, 'POST', `/api/episodes/${episode_id}/posts`, author, { text: 'Why?' })).id }
}

/** A suggestion of the agent for the channel. */
export async function suggestion(school: School): Promise<Ids> {
  await must(200, 'POST', '/api/innovation/run/content', school.owner, {})
  const { items } = await must(200, 'GET', '/api/innovation/suggestions?status=pending', school.owner)
  return { id: items[0].id, channel_id: items[0].channel_id }
}

export const agent = async ({ channel_id }: School): Promise<Ids> => ({ agent_type: 'content', channel_id })

export const nothing = async (): Promise<Ids> => ({ build: 'none' })

/** A channel and a word of its title. */
export async function found({ author }: School): Promise<Ids> {
  const { id = '', channel_id = '' } = await aChannel(author)
  const { title } = await must(200, 'GET', `/api/channels/${channel_id}`, author)
  return { id, channel_id, q: String(title).split(' ')[0] ?? '' }
}

/** The file of the author's calendar. */
export async function calendar({ author }: School): Promise<Ids> {
  const { url } = await must(201, 'POST', '/api/calendar', author, { language: 'en' })
  return { file: String(url).split('/').at(-1) ?? '' }
}
