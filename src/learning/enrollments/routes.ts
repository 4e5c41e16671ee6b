import { type App, callerOf } from '#foundation/http/http.ts'
import { page, pageLinks } from '#foundation/http/paging.ts'
import type { Learning } from '../learning.ts'
import { readActivity } from './activity.ts'
import { enroll } from './enroll.ts'
import { EnrollBody, Enrollment, EnrollmentPage, EnrollmentQuery, Left } from './enrollment.ts'
import { leave } from './leave.ts'
import { listEnrollments } from './list.ts'

const user = { auth: 'user', permission: 'learning:use' } as const

export function enrollmentRoutes(app: App, { db, viewerOf }: Learning) {
  app.post(
    '/api/enroll',
    { config: user, schema: { body: EnrollBody, response: { 200: Enrollment, 201: Enrollment } } },
    async (request, reply) => {
      const { isNew, enrollment } = await enroll(db, viewerOf(callerOf(request)), request.body.channel_id)
      return reply.code(isNew ? 201 : 200).send(enrollment)
    },
  )
  app.delete(
    '/api/enrollments/:channel_id',
    { config: { ...user, operational: true }, schema: { params: EnrollBody, response: { 200: Left } } },
    async (request) => leave(db, viewerOf(callerOf(request)), request.params.channel_id),
  )
  app.get(
    '/api/enrollments',
    { config: user, schema: { querystring: EnrollmentQuery, response: { 200: EnrollmentPage } } },
    async (request, reply) => {
      const viewer = viewerOf(callerOf(request))
      const [{ items, total, next_cursor }, activity] = await Promise.all([
        listEnrollments(db, viewer, request.query),
        request.query.include === 'activity' ? readActivity(db.pool, viewer) : undefined,
      ])
      const enrollments = page(items, total, request.query)
      reply.header('Link', pageLinks(request.url, enrollments))
      return { ...enrollments, next_cursor, ...(activity && { activity }) }
    },
  )
}
