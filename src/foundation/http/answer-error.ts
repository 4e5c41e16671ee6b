import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { AppOptions } from './app.ts'
import { drain, isSending } from './drain.ts'
import type { ErrorFace } from './error-faces.ts'
import type { FieldError } from '../errors.ts'
import { isTooSlow, reasonOf, refusalOf, tooSlow } from './refusals.ts'

/** Turns whatever a request failed with into the answer of its service; `stamp` sets the headers of every answer. */
export function createErrorAnswers(
  { service, log, database }: AppOptions,
  face: ErrorFace,
  stamp: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
) {
  function onError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    // Whoever is too slow has had the time; nothing more is waited for.
    if (!isSending(request.raw) || isTooSlow(error, request.raw)) return answerError(error, request, reply)
    void drain(request.raw).then(() => answerError(error, request, reply))
    return undefined
  }

  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const { faultsOf } = request.policy ?? {}
    if (!faultsOf || (error as FastifyError).validationContext !== 'body')
      return refuse(error, request, reply)
    return Promise.resolve(faultsOf(request.body, request)).then(
      (faults) => refuse(error, request, reply, faults),
      (other: unknown) => refuse(other, request, reply),
    )
  }

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, others?: FieldError[]) {
    const refusal = isTooSlow(error, request.raw) ? tooSlow() : refusalOf(error, face, database, others)
    if (refusal.status >= 500) {
      const { code, cause } = refusal
      const facts = { request_id: request.id, service, route: request.routeOptions?.url, code }
      // What is refused by design is no fault of the code, so it needs no stack.
      if (refusal.status === 500) log.error({ ...facts, err: cause ?? error })
      else log.warn({ ...facts, reason: reasonOf(cause) }, refusal.detail)
    }
    reply.headers(refusal.headers)
    stamp(request, reply).code(refusal.status).header('Cache-Control', 'no-store')
    // What the framework refuses before routing has no policy.
    const { errorPage } = request.policy ?? {}
    if (errorPage) return reply.type('text/html; charset=utf-8').send(errorPage(refusal, request, reply))
    const { errorBody } = request.policy ?? {}
    return reply
      .type('application/json; charset=utf-8')
      .send({ ...errorBody?.(refusal), ...face.body(refusal, request.id) })
  }

  return { answerError, onError }
}
