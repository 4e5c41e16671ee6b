import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ApiError } from '#foundation/errors.ts'
import type { Addressed } from '#foundation/http/public-address.ts'
import { originOf } from '../../core/access/identify.ts'
import { LIST_URN } from './discovery.ts'
import { errorBody, SCIM_JSON, ScimError } from './errors.ts'
import type { ByDirectory } from './hold.ts'
import { requireUrn } from './replies.ts'
import type { ResourceType } from './schema.ts'
import type { Resource } from './values.ts'

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

export const Preconditions = Type.Object({
  'if-match': Type.Optional(Type.String({ maxLength: 1_000 })),
  'if-none-match': Type.Optional(Type.String({ maxLength: 1_000 })),
})

/** The body of a resource. 400 invalidSyntax if it says that it is something else. */
export function resourceOf({ urn }: ResourceType, body: Resource): Resource {
  requireUrn(urn, body['schemas'])
  return body
}

/** Sends one page of a list (RFC 7644, section 3.4.2). */
export const sendPage = (
  reply: FastifyReply,
  { items, totalResults, startIndex }: { items: Resource[]; totalResults: number; startIndex: number },
) =>
  reply.type(SCIM_JSON).send({
    schemas: [LIST_URN],
    totalResults,
    startIndex,
    itemsPerPage: items.length,
    Resources: items,
  })
