import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http.ts'
import { page, pageLinks } from '#foundation/paging.ts'
import { Uuid } from '#foundation/schemas.ts'
import { jsonText } from '../json.ts'
import type { Learning } from '../learning.ts'
import { createHomework } from './create.ts'
import { gradeSubmission } from './grade.ts'
import {
  DeletedHomework,
  EditedHomework,
  HomeworkChange,
  HomeworkPage,
  HomeworkQuery,
  NewHomework,
} from './homework.ts'
import { listHomework } from './list.ts'
import { GradeBody, NewSubmission, ReceivedSubmission, Submission } from './submission.ts'
import { submitHomework } from './submit.ts'
import { deleteHomework, updateHomework } from './update.ts'

const Params = Type.Object({ id: Uuid })

export function homeworkRoutes(app: App, learning: Learning) {
  const { db, viewerOf } = learning

  app.post(
    '/api/episodes/:id/homework',
    {
      config: { auth: 'user', permission: 'learning:use' },
      schema: { params: Params, body: NewHomework, response: { 201: EditedHomework } },
    },
    async (request, reply) => {
      const viewer = viewerOf(callerOf(request))
      const body = await createHomework(learning, viewer, request.params.id.toLowerCase(), request.body)
      return jsonText(reply.code(201), body)
    },
  )
  app.get(
    '/api/episodes/:id/homework',
    {
      config: { auth: 'user', permission: 'learning:use' },
      schema: { params: Params, querystring: HomeworkQuery, response: { 200: HomeworkPage } },
    },
    async (request, reply) => {
      const viewer = viewerOf(callerOf(request))
      const { items, total } = await listHomework(db, viewer, request.params.id, request.query)
      const { items: _, ...envelope } = page([], total, request.query)
      reply.header('Link', pageLinks(request.url, envelope))
      return jsonText(reply, `{"items":[${items}],${JSON.stringify(envelope).slice(1)}`)
    },
  )
  app.put(
    '/api/episodes/homework/:id',
    {
      config: { auth: 'user', permission: 'learning:use' },
      schema: { params: Params, body: HomeworkChange, response: { 200: EditedHomework } },
    },
    async (request, reply) => {
      const viewer = viewerOf(callerOf(request))
      return jsonText(reply, await updateHomework(learning, viewer, request.params.id, request.body))
    },
  )
  app.delete(
    '/api/episodes/homework/:id',
    {
      config: { auth: 'user', permission: 'learning:use' },
      schema: { params: Params, response: { 200: DeletedHomework } },
    },
    async (request) => deleteHomework(learning, viewerOf(callerOf(request)), request.params.id),
  )
  app.post(
    '/api/episodes/homework/:id/submit',
    {
      config: { auth: 'user', permission: 'learning:use' },
      schema: { params: Params, body: NewSubmission, response: { 200: Submission, 201: Submission } },
    },
    async (request, reply) => {
      const { params, headers } = request
      const key = headers['idempotency-key']?.toString()
      const viewer = viewerOf(callerOf(request))
      const { isNew, body } = await submitHomework(learning, viewer, params.id, request.body, key)
      return jsonText(reply.code(isNew ? 201 : 200), body)
    },
  )
  app.put(
    '/api/episodes/homework/submissions/:id/grade',
    {
      config: { auth: 'user', permission: 'learning:use' },
      schema: { params: Params, body: GradeBody, response: { 200: ReceivedSubmission } },
    },
    async (request, reply) => {
      const viewer = viewerOf(callerOf(request))
      return jsonText(reply, await gradeSubmission(learning, viewer, request.params.id, request.body))
    },
  )
}
