import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { page, pageLinks } from '#foundation/http/paging.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { Learning } from '../learning.ts'
import { LearnerPage, LearnerQuery, listChannelLearners } from './learners.ts'
import { removeLearner } from './remove.ts'
import { listToGrade, ToGrade, ToGradeQuery } from './to-grade.ts'
import {
  Deadline,
  DeadlineBody,
  extendDeadline,
  type Granted,
  RemovedDeadline,
  removeDeadline,
} from './deadlines.ts'
import { readTeachers, Teachers, TeachersQuery } from './teachers.ts'
import { readToday, Today } from './today.ts'
import { LetterBody, writeToLearners, Written } from './write.ts'

const config = { auth: 'user', permission: 'learning:use', operational: true } as const
const OfChannel = Type.Object({ id: Uuid })
const OfLearner = Type.Object({ id: Uuid, user_id: Uuid })
const WORK = [
  ['/api/episodes/homework/:id/deadlines/:user_id', 'homework'],
  ['/api/episodes/tests/:id/deadlines/:user_id', 'test'],
] as const
const Removed = Type.Object({ channel_id: Uuid, user_id: Uuid, removed: Type.Literal(true) })

export function teachingRoutes(app: App, { db, viewerOf, names }: Learning, sends_mail: boolean) {
  app.get('/api/teaching/today', { config, schema: { response: { 200: Today } } }, async (request) =>
    readToday(db, names, viewerOf(callerOf(request)), sends_mail),
  )
  app.get(
    '/api/teaching/to-grade',
    { config, schema: { querystring: ToGradeQuery, response: { 200: CursorPageOf(ToGrade) } } },
    async (request, reply) => {
      const viewer = viewerOf(callerOf(request))
      const { items, total, next_cursor } = await listToGrade(db, names, viewer, request.query)
      const waiting = page(items, total, request.query)
      reply.header('Link', pageLinks(request.url, waiting))
      return { ...waiting, next_cursor }
    },
  )
  app.get(
    '/api/channels/:id/learners',
    { config, schema: { params: OfChannel, querystring: LearnerQuery, response: { 200: LearnerPage } } },
    async (request, reply) => {
      const viewer = viewerOf(callerOf(request))
      const { params, query } = request
      const { items, total, ...more } = await listChannelLearners(db, names, viewer, params.id, query)
      const learners = page(items, total, query)
      reply.header('Link', pageLinks(request.url, learners))
      return { ...learners, ...more }
    },
  )
  app.get(
    '/api/channels/:id/teachers',
    { config, schema: { params: OfChannel, querystring: TeachersQuery, response: { 200: Teachers } } },
    async (request) => {
      const { params, query } = request
      return readTeachers({ db, names }, viewerOf(callerOf(request)), params.id, query.q)
    },
  )
  app.delete(
    '/api/channels/:id/learners/:user_id',
    { config, schema: { params: OfLearner, response: { 200: Removed } } },
    async (request) =>
      removeLearner(db, viewerOf(callerOf(request)), {
        channel_id: request.params.id,
        user_id: request.params.user_id,
      }),
  )
  for (const [path, kind] of WORK) {
    const grantedOf = (params: { id: string; user_id: string }): Granted => ({
      kind,
      work_id: params.id,
      user_id: params.user_id,
    })
    app.put(
      path,
      { config, schema: { params: OfLearner, body: DeadlineBody, response: { 200: Deadline } } },
      async (request) => {
        const { params, body } = request
        return extendDeadline(db, viewerOf(callerOf(request)), grantedOf(params), body.until)
      },
    )
    app.delete(
      path,
      { config, schema: { params: OfLearner, response: { 200: RemovedDeadline } } },
      async (request) => removeDeadline(db, viewerOf(callerOf(request)), grantedOf(request.params)),
    )
  }
  app.post(
    '/api/channels/:id/letters',
    { config, schema: { params: OfChannel, body: LetterBody, response: { 202: Written } } },
    async (request, reply) => {
      const { params, body } = request
      const asked = { channel_id: params.id, body }
      return reply.code(202).send(await writeToLearners(db, names, viewerOf(callerOf(request)), asked))
    },
  )
}
