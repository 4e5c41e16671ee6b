import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { AppOptions } from './app.ts'
import { drain, isSending } from './drain.ts'
import type { ErrorFace } from './error-faces.ts'
import type { FieldError } from '../errors.ts'
import { isTooSlow, reasonOf, refusalOf, tooSlow } from './refusals.ts'
import { overloaded } from './shedding.ts'

/** Turns any error of a request into the error response of its service; `stamp` sets the headers of every response. */
export function createErrorAnswers(
  { service, log, database }: AppOptions,
  face: ErrorFace,
  stamp: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
) {
  function onError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    // A client that is too slow has used up its time, so the rest of its body is not awaited.
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
    // Each is counted, and a line more for each would add to the load.
    if (refusal.status >= 500 && refusal !== overloaded) {
      const { code, cause } = refusal
      const facts = { request_id: request.id, service, route: request.routeOptions?.url, code }
      // Only a 500 is a fault of the code and needs a stack; other 5xx are refused by design.
      if (refusal.status === 500) log.error({ ...facts, err: cause ?? error })
      else log.warn({ ...facts, reason: reasonOf(cause) }, refusal.detail)
    }
    reply.headers(refusal.headers)
    stamp(request, reply).code(refusal.status).header('Cache-Control', 'no-store')
    // Requests that Fastify refuses before routing have no policy.
    const { errorPage } = request.policy ?? {}
    if (errorPage) return reply.type('text/html; charset=utf-8').send(errorPage(refusal, request, reply))
    const { errorBody } = request.policy ?? {}
    return reply
      .type('application/json; charset=utf-8')
      .send({ ...errorBody?.(refusal), ...face.body(refusal, request.id) })
  }

  return { answerError, onError }
}
