import { SINGLE } from '#testing/exams.ts'
import { world } from '#testing/world.ts'
import type { Columns, Row } from './matrix.ts'
import { copyRows } from './learning-copies.ts'
import { fileRows } from './learning-files.ts'
import * as of from './learning-objects.ts'
import { teachingRows } from './learning-teaching.ts'

const { learning } = await world()

const columns: Columns<of.School> = [
  ['a token of the site, of its ADMIN', ({ headers }) => headers.own],
  ['a token of the author', ({ author }) => author.headers],
  ['a token of a plain member', ({ headers }) => headers.member],
  ['a token of another site of the tenant', ({ twin }) => twin],
  ['a token of another partner site', ({ headers }) => headers.other],
  ['a token of the console', ({ headers }) => headers.console],
  ['a token of an operator', ({ headers }) => headers.operator],
  ['a token of learning', ({ headers }) => headers.learning],
  ['a token of a stranger', ({ headers }) => headers.stranger],
  ['the site key', ({ headers }) => headers.key],
  ["a token of the site's back end", ({ headers }) => headers.client],
  ['no token', ({ headers }) => headers.nobody],
]

/**
 * Every object belongs to the tenant of the site. The ADMIN of the site is a plain member of the tenant's other site,
 * ADMIN of the other partner site, and a plain member of console and learning, which belong to another tenant.
 */
const rows: Row<of.School>[] = [
  //                                                      adm aut mem twn oth con opr lrn str key cli non
  [
    'POST   /api/channels',
    '201 201 201 201 201 201 201 201 201 401 403 401',
    of.channel,
    { body: { title: 'New' } },
  ],
  ['GET    /api/channels/:id', '200 200 200 200 404 404 404 404 404 401 403 401', of.channel],
  [
    'PUT    /api/channels/:id',
    '200 200 403 403 404 404 404 404 404 401 403 401',
    of.channel,
    { body: { title: 'Renamed' } },
  ],
  [
    'PUT    /api/channels/:id',
    '200 403 403 403 404 404 404 404 404 401 403 401',
    of.channel,
    { body: { owner_id: '01900000-0000-7000-8000-000000000000' } },
  ],
  ['DELETE /api/channels/:id', '200 403 403 403 404 403 404 403 404 401 403 401', of.channel],
  ['GET    /api/device/feed/:channel_id', '200 200 200 200 200 200 200 200 200 200 200 200', of.channel],

  ['GET    /api/episodes/:id/video', '200 200 200 200 404 404 404 404 404 401 403 401', of.episode],
  [
    'POST   /api/episodes/:id/video',
    '200 200 403 403 404 404 404 404 404 401 403 401',
    of.episode,
    { body: { duration_seconds: 101 } },
  ],

  ['GET    /api/episodes/:id/homework', '200 200 200 200 404 404 404 404 404 401 403 401', of.episode],
  [
    'POST   /api/episodes/:id/homework',
    '201 201 403 403 404 404 404 404 404 401 403 401',
    of.episode,
    { body: { title: 'Essay' } },
  ],
  [
    'PUT    /api/episodes/homework/:id',
    '200 200 403 403 404 404 404 404 404 401 403 401',
    of.homework,
    { body: { title: 'Renamed' } },
  ],
  ['DELETE /api/episodes/homework/:id', '200 200 403 403 404 404 404 404 404 401 403 401', of.homework],
  [
    'POST   /api/episodes/homework/:id/submit',
    '201 201 201 201 404 404 404 404 404 401 403 401',
    of.homework,
    { body: { text: 'Mine' } },
  ],
  [
    'PUT    /api/episodes/homework/submissions/:id/grade',
    '200 200 403 403 404 404 404 404 404 401 403 401',
    of.submission,
    { body: { score: 1 } },
  ],

  ['GET    /api/episodes/:id/tests', '200 200 200 200 404 404 404 404 404 401 403 401', of.episode],
  [
    'POST   /api/episodes/:id/tests',
    '201 201 403 403 404 404 404 404 404 401 403 401',
    of.episode,
    { body: { title: 'Quiz' } },
  ],
  [
    'PUT    /api/episodes/tests/:id',
    '200 200 403 403 404 404 404 404 404 401 403 401',
    of.exam,
    { body: { title: 'Renamed' } },
  ],
  ['DELETE /api/episodes/tests/:id', '200 200 403 403 404 404 404 404 404 401 403 401', of.exam],
  ['GET    /api/episodes/tests/:id/questions', '200 200 200 200 404 404 404 404 404 401 403 401', of.exam],
  [
    'POST   /api/episodes/tests/:id/questions',
    '201 201 403 403 404 404 404 404 404 401 403 401',
    of.exam,
    { body: SINGLE },
  ],
  [
    'PUT    /api/episodes/questions/:id',
    '200 200 403 403 404 404 404 404 404 401 403 401',
    of.question,
    { body: { points: 3 } },
  ],
  ['DELETE /api/episodes/questions/:id', '200 200 403 403 404 404 404 404 404 401 403 401', of.question],
  [
    'POST   /api/episodes/tests/:id/attempt',
    '201 201 201 201 404 404 404 404 404 401 403 401',
    of.exam,
    { body: { answers: [] } },
  ],

  ['GET    /api/episodes/tests/:id/attempts', '200 200 200 200 404 404 404 404 404 401 403 401', of.exam],
  [
    'PUT    /api/episodes/tests/:id/extra-attempts',
    '200 200 403 403 404 404 404 404 404 401 403 401',
    of.opened,
    { body: ({ user_id }) => ({ user_id, extra_attempts: 1 }) },
  ],
  ['GET    /api/episodes/tests/attempts/:id', '200 200 200 404 404 404 404 404 404 401 403 401', of.attempt],
  ['DELETE /api/episodes/tests/attempts/:id', '204 204 403 404 404 404 404 404 404 401 403 401', of.attempt],
  ['GET    /api/episodes/tests/:id/draft', '200 200 200 200 404 404 404 404 404 401 403 401', of.opened],
  [
    'PUT    /api/episodes/tests/:id/draft',
    '400 400 200 400 404 404 404 404 404 401 403 401',
    of.opened,
    { body: ({ opened_at }) => ({ opened_at, answers: [] }) },
  ],
  ['GET    /api/episodes/homework/:id/draft', '200 200 200 200 404 404 404 404 404 401 403 401', of.homework],
  [
    'PUT    /api/episodes/homework/:id/draft',
    '200 200 200 200 404 404 404 404 404 401 403 401',
    of.homework,
    { body: { submissions: 0, text: { value: 'Begun', at: 1 } } },
  ],
  [
    'POST   /api/enroll',
    '201 201 201 201 404 404 404 404 404 401 403 401',
    of.channel,
    { body: ({ channel_id }) => ({ channel_id }) },
  ],
  [
    'GET    /api/enrollments?channel_id',
    'none none 200 none none none none none none 401 403 401',
    of.joined,
    { shows: 'channel_id' },
  ],
  [
    'POST   /api/progress',
    '201 201 201 201 404 404 404 404 404 401 403 401',
    of.channel,
    { body: ({ episode_id }) => ({ episode_id, position_seconds: 1 }) },
  ],
  ['GET    /api/progress/:episode_id', '200 200 200 200 404 404 404 404 404 401 403 401', of.episode],
  [
    'GET    /api/grades?channel_id',
    'none none 200 none none none none none none 401 403 401',
    of.graded,
    { shows: 'channel_id' },
  ],
  ['GET    /api/grades/:episode_id', '200 200 200 200 404 404 404 404 404 401 403 401', of.episode],

  ['DELETE /api/enrollments/:channel_id', '404 404 200 404 404 404 404 404 404 401 403 401', of.joined],
  [
    'POST   /api/episodes/:id/notes',
    '201 201 201 201 404 404 404 404 404 401 403 401',
    of.episode,
    { body: { at_seconds: 1 } },
  ],
  [
    'GET    /api/notes?episode_id',
    'none 200 none none none none none none none 401 403 401',
    of.noted,
    { shows: 'id' },
  ],
  [
    'PUT    /api/notes/:id',
    '404 200 404 404 404 404 404 404 404 401 403 401',
    of.noted,
    { body: { text: 'Mine' } },
  ],
  ['DELETE /api/notes/:id', '404 200 404 404 404 404 404 404 404 401 403 401', of.noted],
  ['GET    /api/episodes/:id/posts', '200 200 200 200 404 404 404 404 404 401 403 401', of.episode],
  [
    'POST   /api/episodes/:id/posts',
    '201 201 201 201 404 404 404 404 404 401 403 401',
    of.episode,
    { body: { text: 'Why?' } },
  ],
  ['GET    /api/posts/:id/answers', '200 200 200 200 404 404 404 404 404 401 403 401', of.asked],
  [
    'PUT    /api/posts/:id',
    '403 200 403 403 404 404 404 404 404 401 403 401',
    of.asked,
    { body: { text: 'How?' } },
  ],
  [
    'PUT    /api/posts/:id',
    '200 200 403 403 404 404 404 404 404 401 403 401',
    of.asked,
    { body: { hidden: false } },
  ],
  ['DELETE /api/posts/:id', '200 200 403 403 404 404 404 404 404 401 403 401', of.asked],

  [
    'POST   /api/innovation/run/:agent_type',
    '200 403 403 403 404 403 404 403 404 401 403 401',
    of.agent,
    { body: ({ channel_id }) => ({ channel_id }) },
  ],
  [
    'GET    /api/innovation/suggestions?channel_id',
    '200 200 none none none none none none none 401 403 401',
    of.suggestion,
    { shows: 'id' },
  ],
  [
    'GET    /api/innovation/suggestions/:id/learners',
    '200 200 404 404 404 404 404 404 404 401 403 401',
    of.suggestion,
  ],
  [
    'PUT    /api/innovation/suggestions/:id',
    '200 403 403 403 404 403 404 403 404 401 403 401',
    of.suggestion,
    { body: { status: 'rejected' } },
  ],

  [
    'GET    /api/search?q&channel_id',
    '200 200 200 200 none none none none none 401 403 401',
    of.found,
    { shows: 'id' },
  ],
  // Whoever has the address of a calendar reads it; nothing else does.
  ['GET    /calendar/:file', '200 200 200 200 200 200 200 200 200 200 200 200', of.calendar],

  ...fileRows,
  ...copyRows,
  ...teachingRows,

  ['GET    /assets/:build/*', '404 404 404 404 404 404 404 404 404 404 404 404', of.nothing],
]

export const learningMatrix = { app: learning, columns, open: of.openSchool, rows }
