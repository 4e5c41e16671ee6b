import { must } from '#testing/exams.ts'
import { world } from '#testing/world.ts'
import type { Row } from './matrix.ts'
import { channel, joined, type School, submission } from './learning-objects.ts'

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

/** A channel without work that the plain member, who has a name, has completed. */
async function passed(school: School) {
  const { channel_id = '', episode_id } = await joined(school)
  await must(201, 'POST', '/api/progress', school.member, {
    episode_id,
    position_seconds: 100,
    segments: [[0, 100]],
  })
  const { sso } = await world()
  const { user_id, headers } = school.member
  const payload = { display_name: 'Mira' }
  await sso.inject({ method: 'PATCH', url: `/api/v1/users/${user_id}`, headers, payload })
  return { id: channel_id, channel_id }
}
async function certified(school: School) {
  const { id } = await passed(school)
  return { code: (await must(201, 'POST', `/api/channels/${id}/certificate`, school.member)).code }
}

/** Routes for those who teach a channel, and for what a learner has in the end. */
export const teachingRows: Row<School>[] = [
  ['GET    /api/channels/:id/learners', '200 200 403 403 404 404 404 404 404 401 403 401', taught],
  ['GET    /api/channels/:id/teachers', '200 200 403 403 404 404 404 404 404 401 403 401', taught],
  ['POST   /api/channels/:id/certificate', '403 403 201 403 404 404 404 404 404 401 403 401', passed],
  ['GET    /api/certificates/:code', '200 200 200 200 200 200 200 200 200 200 200 200', certified],
  ['GET    /api/certificates/:code/pdf', '200 200 200 200 200 200 200 200 200 200 200 200', certified],
  ['GET    /api/public/channels/:id', '200 200 200 200 200 200 200 200 200 200 200 200', passed],
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
