import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { pageLinks } from '#foundation/http/paging.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { Learning } from '../learning.ts'
import { listAnswers, listQuestions, type PostParts } from './list.ts'
import { AnswerPage, DeletedPost, NewPost, Post, PostChange, PostQuery, QuestionPage } from './post.ts'
import { createPost, deletePost, updatePost } from './write.ts'

const Params = Type.Object({ id: Uuid })
const config = { auth: 'user', permission: 'learning:use', operational: true } as const

export function postRoutes(app: App, { viewerOf, ...parts }: Learning & PostParts) {
  app.get(
    '/api/episodes/:id/posts',
    { config, schema: { params: Params, querystring: PostQuery, response: { 200: QuestionPage } } },
    async (request, reply) => {
      const found = await listQuestions(parts, viewerOf(callerOf(request)), request.params.id, request.query)
      reply.header('Link', pageLinks(request.url, found))
      return found
    },
  )
  app.get(
    '/api/posts/:id/answers',
    { config, schema: { params: Params, querystring: PostQuery, response: { 200: AnswerPage } } },
    async (request, reply) => {
      const found = await listAnswers(parts, viewerOf(callerOf(request)), request.params.id, request.query)
      reply.header('Link', pageLinks(request.url, found))
      return found
    },
  )
  app.post(
    '/api/episodes/:id/posts',
    { config, schema: { params: Params, body: NewPost, response: { 200: Post, 201: Post } } },
    async (request, reply) => {
      const { params, body } = request
      const { isNew, post } = await createPost(parts, viewerOf(callerOf(request)), params.id, body)
      return reply.code(isNew ? 201 : 200).send(post)
    },
  )
  app.put(
    '/api/posts/:id',
    { config, schema: { params: Params, body: PostChange, response: { 200: Post } } },
    async (request) => updatePost(parts, viewerOf(callerOf(request)), request.params.id, request.body),
  )
  app.delete(
    '/api/posts/:id',
    { config, schema: { params: Params, response: { 200: DeletedPost } } },
    async (request) => deletePost(parts, viewerOf(callerOf(request)), request.params.id),
  )
}
