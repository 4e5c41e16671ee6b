import { Type } from 'typebox'
import { one } from '#foundation/database/database.ts'
import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { page, pageLinks } from '#foundation/http/paging.ts'
import { compileSerializer } from '#foundation/http/schema-compilers.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import { BankChoice, BankPage, BankQuery, Copied, copyFromBank, readBank } from './bank.ts'
import type { ExamParts } from './parts.ts'
import { Attempt, AttemptBody } from './attempts.ts'
import { DeletedTest, NewTest, Test, TestChange } from './exam.ts'
import { createTest, deleteTest, updateTest } from './exams.ts'
import { listTests, TestQuery } from './list.ts'
import { AuthorPage, listQuestions, QuestionQuery, StudentPage } from './page.ts'
import { DeletedQuestion, NewQuestions, QuestionChange } from './question.ts'
import { createQuestions, deleteQuestion, updateQuestion } from './questions.ts'
import { submitAttempt } from './submit.ts'
import { AuthorQuestion, ChangedQuestion, type StudentQuestion } from './views.ts'

const Params = Type.Object({ id: Uuid })

const JSON_TYPE = 'application/json; charset=utf-8'
const AuthorQuestions = Type.Object({ items: Type.Array(AuthorQuestion) })
/**
 * Each view has its own serializer, which is an allow-list: no field of the author's view can leave in the student's.
 */
const write = {
  author: writer(AuthorPage),
  student: writer(StudentPage),
  one: writer(AuthorQuestion),
  many: writer(AuthorQuestions),
}

const user = { auth: 'user', permission: 'learning:use' } as const

export function examRoutes(app: App, learning: ExamParts) {
  const { viewerOf } = learning

  app.post(
    '/api/episodes/:id/tests',
    { config: user, schema: { params: Params, body: NewTest, response: { 201: Test } } },
    async (request, reply) => {
      const viewer = viewerOf(callerOf(request))
      return reply.code(201).send(await createTest(learning, viewer, request.params.id, request.body))
    },
  )
  app.get(
    '/api/episodes/:id/tests',
    {
      config: user,
      schema: { params: Params, querystring: TestQuery, response: { 200: CursorPageOf(Test) } },
    },
    async (request, reply) => {
      const { params, query } = request
      const viewer = viewerOf(callerOf(request))
      const { items, total, next_cursor } = await listTests(learning, viewer, params.id, query)
      const found = page(items, total, query)
      reply.header('Link', pageLinks(request.url, found))
      return { ...found, next_cursor }
    },
  )
  app.put(
    '/api/episodes/tests/:id',
    { config: user, schema: { params: Params, body: TestChange, response: { 200: Test } } },
    async (request) => updateTest(learning, viewerOf(callerOf(request)), request.params.id, request.body),
  )
  app.delete(
    '/api/episodes/tests/:id',
    { config: user, schema: { params: Params, response: { 200: DeletedTest } } },
    async (request) => deleteTest(learning, viewerOf(callerOf(request)), request.params.id),
  )
  app.post(
    '/api/episodes/tests/:id/questions',
    {
      config: user,
      schema: {
        params: Params,
        body: NewQuestions,
        response: { 201: Type.Union([AuthorQuestion, AuthorQuestions]) },
      },
    },
    async (request, reply) => {
      const { params, body } = request
      const items = await createQuestions(learning, viewerOf(callerOf(request)), params.id, body)
      reply.code(201).type(JSON_TYPE)
      return body.questions
        ? reply.serializer(write.many).send({ items })
        : reply.serializer(write.one).send(one(items))
    },
  )
  app.get(
    '/api/episodes/tests/:id/questions',
    {
      config: user,
      schema: {
        params: Params,
        querystring: QuestionQuery,
        response: { 200: Type.Union([AuthorPage, StudentPage]) },
      },
    },
    async (request, reply) => {
      const { params, query, method, headers } = request
      const may_open = method !== 'HEAD' && !/\bprefetch\b/i.test(String(headers['sec-purpose'] ?? ''))
      const viewer = viewerOf(callerOf(request))
      const { view, items, total, attempt } = await listQuestions(
        learning,
        viewer,
        params.id,
        query,
        may_open,
      )
      const found = page<StudentQuestion>(items, total, query)
      reply.header('Link', pageLinks(request.url, found))
      return reply
        .type(JSON_TYPE)
        .serializer(write[view])
        .send({ ...found, attempt })
    },
  )
  // Beyond the API document (docs/api-additions.md).
  const additive = { ...user, operational: true } as const
  app.get(
    '/api/episodes/tests/:id/bank',
    { config: additive, schema: { params: Params, querystring: BankQuery, response: { 200: BankPage } } },
    async (request, reply) => {
      const { params, query } = request
      const { items, total } = await readBank(learning, viewerOf(callerOf(request)), params.id, query)
      const found = page(items, total, query)
      reply.header('Link', pageLinks(request.url, found))
      return found
    },
  )
  app.post(
    '/api/episodes/tests/:id/bank',
    { config: additive, schema: { params: Params, body: BankChoice, response: { 201: Copied } } },
    async (request, reply) => {
      const { params, body } = request
      const viewer = viewerOf(callerOf(request))
      return reply
        .code(201)
        .send({ items: await copyFromBank(learning, viewer, params.id, body.question_ids) })
    },
  )
  app.put(
    '/api/episodes/questions/:id',
    { config: user, schema: { params: Params, body: QuestionChange, response: { 200: ChangedQuestion } } },
    async (request) => updateQuestion(learning, viewerOf(callerOf(request)), request.params.id, request.body),
  )
  app.delete(
    '/api/episodes/questions/:id',
    { config: user, schema: { params: Params, response: { 200: DeletedQuestion } } },
    async (request) => deleteQuestion(learning, viewerOf(callerOf(request)), request.params.id),
  )
  app.post(
    '/api/episodes/tests/:id/attempt',
    { config: user, schema: { params: Params, body: AttemptBody, response: { 200: Attempt, 201: Attempt } } },
    async (request, reply) => {
      const { params, body, headers } = request
      const key = headers['idempotency-key']?.toString()
      const viewer = viewerOf(callerOf(request))
      const { isNew, attempt } = await submitAttempt(learning, viewer, params.id, body, key)
      return reply.code(isNew ? 201 : 200).send(attempt)
    },
  )
}

function writer(schema: object): (value: unknown) => string {
  return compileSerializer({ schema, method: 'GET', url: '' })
}
