import { must } from '#testing/exams.ts'
import type { Row } from './matrix.ts'
import { channel, exam, type School } from './learning-objects.ts'

const episode = async (school: School) => {
  const { episode_id = '' } = await channel(school)
  return { id: episode_id }
}
/** An episode of the author, and another channel that may take it. */
const movable = async (school: School) => ({
  ...(await episode(school)),
  channel_id: (await channel(school)).id ?? '',
})

/** A test, and its one question. */
const asked = async (school: School) => {
  const { id = '' } = await exam(school)
  const { items } = await must(200, 'GET', `/api/episodes/tests/${id}/questions`, school.author)
  return { id, question_id: String(items[0].id) }
}

/** The rows of copies and moves, in the columns of learning. */
export const copyRows: Row<School>[] = [
  ['POST   /api/channels/:id/copy', '201 201 403 403 404 404 404 404 404 401 403 401', channel, { body: {} }],
  ['POST   /api/episodes/:id/copy', '201 201 403 403 404 404 404 404 404 401 403 401', episode, { body: {} }],
  [
    'POST   /api/episodes/:id/move',
    '200 200 403 403 404 404 404 404 404 401 403 401',
    movable,
    { body: ({ channel_id }) => ({ channel_id }) },
  ],
  [
    'POST   /api/episodes/tests/:id/copy',
    '201 201 403 403 404 404 404 404 404 401 403 401',
    exam,
    { body: {} },
  ],
  ['GET    /api/episodes/:id/changes', '200 200 403 403 404 404 404 404 404 401 403 401', episode],
  [
    'PUT    /api/episodes/:id/changes',
    '200 200 403 403 404 404 404 404 404 401 403 401',
    episode,
    { body: { changes: [{ name: 'title', value: 'Typed', over: 0 }] } },
  ],
  ['DELETE /api/episodes/:id/changes', '200 200 403 403 404 404 404 404 404 401 403 401', episode],
  ['POST   /api/episodes/:id/publish', '200 200 403 403 404 404 404 404 404 401 403 401', episode],
  ['GET    /api/episodes/tests/:id/bank', '200 200 403 403 404 404 404 404 404 401 403 401', exam],
  [
    'POST   /api/episodes/tests/:id/bank',
    '201 201 403 403 404 404 404 404 404 401 403 401',
    asked,
    { body: ({ question_id }) => ({ question_ids: [question_id] }) },
  ],
]
