import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { page, pageLinks } from '#foundation/http/paging.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import { StoredFile } from '../files/file.ts'
import { receive, upload } from '../files/routes.ts'
import type { Learning } from '../learning.ts'
import { keepAttachment } from './attachments.ts'
import { createHomework } from './create.ts'
import { HomeworkDraft, HomeworkDraftBody, mergeHomeworkDraft, readHomeworkDraft } from './draft.ts'
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
const user = { auth: 'user', permission: 'learning:use' } as const

export function homeworkRoutes(app: App, learning: Learning, quota: number) {
  const { db, viewerOf } = learning

  app.post(
    '/api/episodes/homework/:id/files',
    { config: upload, schema: { params: Params, response: { 201: StoredFile } } },
    async (request, reply) => {
      const [viewer, { id }] = [viewerOf(callerOf(request)), request.params]
      const file = await receive(request, 'attachment', (one) =>
        keepAttachment({ db, quota }, viewer, id, one),
      )
      return reply.code(201).send(file)
    },
  )

  app.post(
    '/api/episodes/:id/homework',
    { config: user, schema: { params: Params, body: NewHomework, response: { 201: EditedHomework } } },
    async (request, reply) => {
      const viewer = viewerOf(callerOf(request))
      return reply.code(201).send(await createHomework(learning, viewer, request.params.id, request.body))
    },
  )
  app.get(
    '/api/episodes/:id/homework',
    { config: user, schema: { params: Params, querystring: HomeworkQuery, response: { 200: HomeworkPage } } },
    async (request, reply) => {
      const viewer = viewerOf(callerOf(request))
      const { items, total, next_cursor } = await listHomework(
        learning,
        viewer,
        request.params.id,
        request.query,
      )
      const homework = page(items, total, request.query)
      reply.header('Link', pageLinks(request.url, homework))
      return { ...homework, next_cursor }
    },
  )
  app.put(
    '/api/episodes/homework/:id',
    { config: user, schema: { params: Params, body: HomeworkChange, response: { 200: EditedHomework } } },
    async (request) => updateHomework(learning, viewerOf(callerOf(request)), request.params.id, request.body),
  )
  app.delete(
    '/api/episodes/homework/:id',
    { config: user, schema: { params: Params, response: { 200: DeletedHomework } } },
    async (request) => deleteHomework(learning, viewerOf(callerOf(request)), request.params.id),
  )
  app.post(
    '/api/episodes/homework/:id/submit',
    {
      config: user,
      schema: { params: Params, body: NewSubmission, response: { 200: Submission, 201: Submission } },
    },
    async (request, reply) => {
      const { params, headers } = request
      const key = headers['idempotency-key']?.toString()
      const viewer = viewerOf(callerOf(request))
      const { isNew, submission } = await submitHomework(learning, viewer, params.id, request.body, key)
      return reply.code(isNew ? 201 : 200).send(submission)
    },
  )
  // Beyond the API document (docs/learning.md).
  const additive = { ...user, operational: true } as const
  app.get(
    '/api/episodes/homework/:id/draft',
    { config: additive, schema: { params: Params, response: { 200: HomeworkDraft } } },
    async (request) => readHomeworkDraft(learning, viewerOf(callerOf(request)), request.params.id),
  )
  app.put(
    '/api/episodes/homework/:id/draft',
    {
      config: additive,
      schema: { params: Params, body: HomeworkDraftBody, response: { 200: HomeworkDraft } },
    },
    async (request) =>
      mergeHomeworkDraft(learning, viewerOf(callerOf(request)), request.params.id, request.body),
  )
  app.put(
    '/api/episodes/homework/submissions/:id/grade',
    { config: user, schema: { params: Params, body: GradeBody, response: { 200: ReceivedSubmission } } },
    async (request) =>
      gradeSubmission(learning, viewerOf(callerOf(request)), request.params.id, request.body),
  )
}
