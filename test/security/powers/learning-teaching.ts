import type { Row } from './matrix.ts'
import { channel, joined, type School, submission } from './learning-objects.ts'
import { must } from '#testing/exams.ts'

/** A channel of the author's own, with the plain member as its learner. */
async function taught(school: School) {
  const { channel_id = '' } = await joined(school)
  return { id: channel_id, user_id: school.member.user_id }
}

const LATER = { body: { until: '2099-01-01T00:00:00.000Z' } }
const due = { due_at: '2098-01-01T00:00:00.000Z' }
const closing = { closes_at: '2098-01-01T00:00:00.000Z' }

/** Work with a deadline in a channel of the author's own, with the plain member as its learner. */
async function endingWork(school: School, kind: 'homework' | 'tests', deadline: object) {
  const { channel_id = '', episode_id = '' } = await joined(school)
  const { id } = await must(201, 'POST', `/api/episodes/${episode_id}/${kind}`, school.author, {
    title: 'Ends',
    status: 'published',
    ...deadline,
  })
  return { id: String(id), user_id: school.member.user_id, channel_id }
}

/** The same, with a deadline of the member's own. */
async function extended(school: School, kind: 'homework' | 'tests', deadline: object) {
  const ids = await endingWork(school, kind, deadline)
  const path = `/api/episodes/${kind}/${ids.id}/deadlines/${ids.user_id}`
  await must(200, 'PUT', path, school.author, LATER.body)
  return ids
}

/** Routes for those who teach a channel. */
export const teachingRows: Row<School>[] = [
  ['GET    /api/channels/:id/learners', '200 200 403 403 404 404 404 404 404 401 403 401', taught],
  ['DELETE /api/channels/:id/learners/:user_id', '200 200 403 403 404 404 404 404 404 401 403 401', taught],
  [
    'PUT    /api/episodes/homework/:id/deadlines/:user_id',
    '200 200 403 403 404 404 404 404 404 401 403 401',
    async (school) => endingWork(school, 'homework', due),
    LATER,
  ],
  [
    'DELETE /api/episodes/homework/:id/deadlines/:user_id',
    '200 200 403 403 404 404 404 404 404 401 403 401',
    async (school) => extended(school, 'homework', due),
  ],
  [
    'PUT    /api/episodes/tests/:id/deadlines/:user_id',
    '200 200 403 403 404 404 404 404 404 401 403 401',
    async (school) => endingWork(school, 'tests', closing),
    LATER,
  ],
  [
    'DELETE /api/episodes/tests/:id/deadlines/:user_id',
    '200 200 403 403 404 404 404 404 404 401 403 401',
    async (school) => extended(school, 'tests', closing),
  ],
  [
    'POST   /api/channels/:id/letters',
    '202 202 403 403 404 404 404 404 404 401 403 401',
    channel,
    {
      body: { user_ids: ['01900000-0000-7000-8000-000000000000'], subject: 'Hello', text: 'Text' },
    },
  ],
  [
    'GET    /api/teaching/to-grade?channel_id',
    'none 200 none none none none none none none 401 403 401',
    async (school) => {
      const ids = await joined(school)
      const { episode_id = '', channel_id = '' } = ids
      const { id } = await submission({ ...school, episode_id })
      return { channel_id, submission_id: id ?? '' }
    },
    { shows: 'submission_id' },
  ],
]
