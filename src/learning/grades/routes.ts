import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { page, pageLinks } from '#foundation/http/paging.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { Learning } from '../learning.ts'
import { Grade, GradeQuery } from './grade.ts'
import { listGrades, readGrade } from './read.ts'

const Params = Type.Object({ episode_id: Uuid })

const user = { auth: 'user', permission: 'learning:use' } as const

export function gradeRoutes(app: App, { db, viewerOf }: Learning) {
  app.get(
    '/api/grades',
    { config: user, schema: { querystring: GradeQuery, response: { 200: CursorPageOf(Grade) } } },
    async (request, reply) => {
      const { items, total, next_cursor } = await listGrades(db, viewerOf(callerOf(request)), request.query)
      const grades = page(items, total, request.query)
      reply.header('Link', pageLinks(request.url, grades))
      return { ...grades, next_cursor }
    },
  )
  app.get(
    '/api/grades/:episode_id',
    { config: user, schema: { params: Params, response: { 200: Grade } } },
    async (request) => readGrade(db.fast, viewerOf(callerOf(request)), request.params.episode_id),
  )
}
