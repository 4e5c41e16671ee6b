import type { FastifyContextConfig, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type * as Value from 'typebox/value'
import { addVary, compress } from '../web/compression.ts'
import { deprecationHeaders } from './deprecation.ts'
import { type ErrorFace, errorFaces } from './error-faces.ts'
import { unprocessable } from '../errors.ts'
import { coerceQuery } from './schema-compilers.ts'
import { findString } from '../text.ts'

/** Loaded by the first body: it is an eighth of all files that a start would read. */
let library: Promise<typeof Value> | undefined

/** A handler sees the members of a body that its schema declares, and no others: what is not seen cannot be stored. */
const keepDeclared = (body: TSchema) => async (request: FastifyRequest) => {
  const { Clean } = await (library ??= import('typebox/value'))
  request.body = Clean(body, request.body)
}

const dropBody = (request: FastifyRequest, _: FastifyReply, done: () => void) => {
  request.body = undefined
  done()
}

type IsText = (text: string) => boolean

/** What every route gets beside what it declares. A route that does not say who may call it stops the start. */
export function declareRoute(route: RouteOptions, face: ErrorFace, isText: IsText) {
  const methods = [route.method].flat().join(',')
  if (!route.config?.auth) throw new Error(`${methods} ${route.url} does not say who may call it`)
  if (TAKES_TOKEN.has(route.config.auth) && route.config.permission === undefined)
    throw new Error(`${methods} ${route.url} does not say which permission it needs`)
  const schema = (route.schema ??= {})
  schema.security ??= SECURITY[route.config.auth]
  const params = schema.params as { properties?: Record<string, { format?: string }> } | undefined
  const ids = Object.entries(params?.properties ?? {}).flatMap(([name, { format }]) =>
    format === 'uuid' ? [name] : [],
  )
  // A copy: routes may share one object, and the ids of one are not those of the next.
  if (ids.length > 0) route.config = { ...route.config, ids }
  const worded = face === errorFaces.learning ? LearningError : CodedError
  const errors = route.config.errorBody ? { ...worded, additionalProperties: true } : worded
  schema.response = { ...(schema.response as object | undefined), '4xx': errors, '5xx': errors }
  if (schema.body || schema.querystring) route.preValidation = checkText(isText)
  // After validation, which refuses unknown members where the service does (collections).
  if (!route.config.upload && !route.config.rawBody)
    route.preHandler = schema.body ? keepDeclared(schema.body as TSchema) : dropBody
  const { deprecated } = route.config
  const beforeSending = []
  if (deprecated) {
    schema.deprecated = true
    beforeSending.push(announce(deprecationHeaders(`${methods} ${route.url}`, deprecated)))
  }
  // Pages know their visitor by cookies, which no rule of the route names.
  if (route.config.auth === 'optional' || route.config.errorPage !== undefined)
    beforeSending.push(varyByCaller)
  if (route.config.compress !== false) beforeSending.push(compress)
  route.onSend = beforeSending
  // A timer per request is affordable where a commit follows anyway; reads are bounded by the lane's statement_timeout.
  if (!/^(GET|HEAD)/.test(methods)) route.handlerTimeout ??= route.config.upload ? 120_000 : 30_000
}

const TAKES_TOKEN = new Set(['user', 'admin', 'site_or_admin'])

/** How the OpenAPI description tells who may call. */
export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  site_key: { type: 'apiKey', in: 'header', name: 'X-SSO-Site-Key' },
} as const
const SECURITY: Record<NonNullable<FastifyContextConfig['auth']>, Record<string, string[]>[]> = {
  public: [],
  optional: [{}, { bearer: [] }],
  site: [{ site_key: [] }],
  site_or_admin: [{ site_key: [] }, { bearer: [] }],
  user: [{ bearer: [] }],
  admin: [{ bearer: [] }],
}

/** On refusals too: who is told to come back later, or with another token, should know as well. */
const announce =
  (headers: Record<string, string>) =>
  (_: FastifyRequest, reply: FastifyReply, _payload: unknown, done: (error?: Error) => void) => {
    reply.headers(headers)
    done()
  }

/** Whoever keeps an answer must not hand it to another caller. */
function varyByCaller(
  _: FastifyRequest,
  reply: FastifyReply,
  _payload: unknown,
  done: (error?: Error) => void,
) {
  addVary(reply, 'Authorization, Cookie')
  done()
}

/** Text that may not be stored is 422, wherever in query or body it stands. */
const checkText =
  (isText: IsText) => (request: FastifyRequest, _: FastifyReply, done: (error?: Error) => void) => {
    coerceQuery(request)
    // No body is an object without fields: the answer names those that are missing, or none is needed.
    if (request.body === undefined && request.routeOptions.schema?.body) request.body = {}
    const isOdd = (text: string) => !isText(text)
    const place =
      (request.mayHoldOddText ? findString(request.body, isOdd) : undefined) ??
      findString(request.query, isOdd)
    done(
      place === undefined
        ? undefined
        : unprocessable(place || 'body', 'invalid_character', 'contains a character that is not allowed'),
    )
  }

const LearningError = Type.Object({ detail: Type.String() })
const CodedError = Type.Object({
  detail: Type.String(),
  request_id: Type.String({ format: 'uuid' }),
  code: Type.String(),
  errors: Type.Optional(
    Type.Array(
      Type.Object({
        field: Type.String(),
        code: Type.String(),
        message: Type.String(),
        value: Type.Optional(Type.String()),
      }),
    ),
  ),
})
