import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '#foundation/errors.ts'
import type { Addressed } from '#foundation/http/public-address.ts'
import type { Directory } from '../../core/access/directory-tokens.ts'
import { originOf } from '../../core/access/identify.ts'
import type { Origin } from '../../core/parts.ts'
import { errorBody, SCIM_JSON, ScimError } from './errors.ts'

/** What the routes of SCIM share. */

export const BASE = '/scim/v2/:connection_id'
export const config = {
  auth: 'connection',
  operational: true,
  errorPage: answerError,
} as const satisfies FastifyContextConfig
export const errors = { '4xx': ScimError, '5xx': ScimError }

type Named = Addressed & { params: { connection_id: string } }

/** The address of the connection's SCIM service. */
export const baseOf = (addressOf: (request: Addressed) => string, request: Named) =>
  `${addressOf(request)}/scim/v2/${request.params.connection_id}`

/** A directory, and the origin of the request. */
export type ByDirectory = { directory: Directory; from: Origin }

export function byDirectory(request: FastifyRequest): ByDirectory {
  const { directory } = request
  if (!directory) throw new Error('the route does not demand a directory')
  return { directory, from: originOf(request) }
}

/** Sends an error in the form of SCIM, whatever refused the request. */
function answerError(error: ApiError, _: FastifyRequest, reply: FastifyReply): string {
  const body = errorBody(error)
  reply.code(Number(body.status)).type(SCIM_JSON)
  return JSON.stringify(body)
}
