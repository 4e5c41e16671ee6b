import type { Row } from './matrix.ts'
import { channel, joined, type School, submission } from './learning-objects.ts'

/** A channel of the author's own, with the plain member as its learner. */
async function taught(school: School) {
  const { channel_id = '' } = await joined(school)
  return { id: channel_id, user_id: school.member.user_id }
}

/** Routes for those who teach a channel. */
export const teachingRows: Row<School>[] = [
  ['GET    /api/channels/:id/learners', '200 200 403 403 404 404 404 404 404 401 403 401', taught],
  ['DELETE /api/channels/:id/learners/:user_id', '200 200 403 403 404 404 404 404 404 401 403 401', taught],
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
