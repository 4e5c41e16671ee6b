import type { FastifyContextConfig, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type * as Value from 'typebox/value'
import { addVary, compress } from '../web/compression.ts'
import { validate } from '../web/conditional.ts'
import { deprecationHeaders } from './deprecation.ts'
import { type ErrorFace, errorFaces } from './error-faces.ts'
import { unprocessable } from '../errors.ts'
import { coerceQuery } from './schema-compilers.ts'
import { findString } from '../text.ts'

/** Imported by the first body, because these are an eighth of all files that a start would read. */
let library: Promise<typeof Value> | undefined

/** Removes undeclared members of the body before the handler runs, so that they cannot be stored. */
const keepDeclared = (body: TSchema) => async (request: FastifyRequest) => {
  const { Clean } = await (library ??= import('typebox/value'))
  request.body = Clean(body, request.body)
}

const dropBody = (request: FastifyRequest, _: FastifyReply, done: () => void) => {
  request.body = undefined
  done()
}

type IsText = (text: string) => boolean

/** Adds the common rules to a route. A route that does not say who may call it stops the start. */
export function declareRoute(route: RouteOptions, face: ErrorFace, isText: IsText, patience: number) {
  const methods = [route.method].flat().join(',')
  if (!route.config?.auth) throw new Error(`${methods} ${route.url} does not say who may call it`)
  if (TAKES_TOKEN.has(route.config.auth) && route.config.permission === undefined)
    throw new Error(`${methods} ${route.url} does not say which permission it needs`)
  // A copy, because services may share one route object and word their errors differently.
  const schema = (route.schema = { ...route.schema })
  schema.security ??= SECURITY[route.config.auth]
  const params = schema.params as { properties?: Record<string, { format?: string }> } | undefined
  const ids = Object.entries(params?.properties ?? {}).flatMap(([name, { format }]) =>
    format === 'uuid' ? [name] : [],
  )
  // A copy, because several routes may share one config object and their ids differ.
  if (ids.length > 0) route.config = { ...route.config, ids }
  const worded = face === errorFaces.learning ? LearningError : CodedError
  const errors = route.config.errorBody ? { ...worded, additionalProperties: true } : worded
  // A route whose errors have a standard form of their own describes them itself.
  schema.response = { '4xx': errors, '5xx': errors, ...(schema.response as object | undefined) }
  if (schema.body || schema.querystring) route.preValidation = checkText(isText)
  // Runs after validation, because collections refuses unknown members there.
  if (!route.config.upload && !route.config.rawBody)
    route.preHandler = schema.body ? keepDeclared(schema.body as TSchema) : dropBody
  const { deprecated } = route.config
  const beforeSending = []
  if (deprecated) {
    schema.deprecated = true
    beforeSending.push(announce(deprecationHeaders(`${methods} ${route.url}`, deprecated)))
  }
  // Pages identify the visitor by cookies, which no route config declares.
  if (route.config.auth === 'optional' || route.config.errorPage !== undefined)
    beforeSending.push(varyByCaller)
  if (route.config.conditional) beforeSending.push(validate)
  if (route.config.compress !== false) beforeSending.push(compress)
  route.onSend = beforeSending
  // Only writes get a timer, because a commit costs far more; reads are bounded by the lane's statement_timeout.
  if (!/^(GET|HEAD)/.test(methods))
    route.handlerTimeout ??= (route.config.upload ? 120_000 : 30_000) * patience
}

const TAKES_TOKEN = new Set(['user', 'admin', 'site_or_admin'])

export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  site_key: { type: 'apiKey', in: 'header', name: 'X-SSO-Site-Key' },
} as const
const SECURITY: Record<NonNullable<FastifyContextConfig['auth']>, Record<string, string[]>[]> = {
  public: [],
  optional: [{}, { bearer: [] }],
  site: [{ site_key: [] }],
  site_or_admin: [{ site_key: [] }, { bearer: [] }],
  connection: [{ bearer: [] }],
  user: [{ bearer: [] }],
  admin: [{ bearer: [] }],
}

/** Sent on refusals as well, because those clients will call again. */
const announce =
  (headers: Record<string, string>) =>
  (_: FastifyRequest, reply: FastifyReply, _payload: unknown, done: (error?: Error) => void) => {
    reply.headers(headers)
    done()
  }

/** A cache must not serve the response to another caller. */
function varyByCaller(
  _: FastifyRequest,
  reply: FastifyReply,
  _payload: unknown,
  done: (error?: Error) => void,
) {
  addVary(reply, 'Authorization, Cookie')
  done()
}

/** Text that may not be stored is 422, in the query and in the body. */
const checkText =
  (isText: IsText) => (request: FastifyRequest, _: FastifyReply, done: (error?: Error) => void) => {
    coerceQuery(request)
    // A missing body counts as an empty object, so that the error names the required fields, if there are any.
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
