import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '#foundation/http/http.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import { languageOf } from '#foundation/web/client/texts.ts'
import { textOf } from '../../core/pages/html.ts'
import { statusPage } from './page.ts'
import { isOperator } from '../../core/access/access.ts'
import { Status, withoutReasons } from './status.ts'

const Health = Type.Object({ status: OneOf(['ok', 'down']), version: Type.String() })

/** No scripts and no third-party content: the page is text and the style sheet of the hosted pages. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function statusRoutes(app: App, readStatus: () => Promise<Status>) {
  const config = { auth: 'public', limit: 'none', operational: true } as const

  app.get(
    '/status',
    // No token is needed; with an operator's token the answer includes reasons.
    { config: { ...config, auth: 'optional' }, schema: { response: { 200: Status, 503: Status } } },
    async (request, reply) => {
      const { caller } = request
      const known = await readStatus()
      const status = caller && isOperator(caller) ? known : withoutReasons(known)
      answerFor(status, reply).header('Vary', 'Accept, Accept-Language')
      if (!wantsPage(request)) return reply.send(status)
      return reply
        .header('Content-Security-Policy', PAGE_POLICY)
        .type('text/html; charset=utf-8')
        .send(textOf(statusPage(status), languageOf(null, request.headers['accept-language'])) as never)
    },
  )

  app.get('/health', { config, schema: { response: { 200: Health, 503: Health } } }, async (_, reply) => {
    const status = await readStatus()
    const health = status.status === 'outage' ? ('down' as const) : ('ok' as const)
    return answerFor(status, reply).send({ status: health, version: status.version })
  })
}

function answerFor({ status }: Status, reply: FastifyReply) {
  reply.header('Cache-Control', 'no-store')
  return status === 'outage' ? reply.code(503).header('Retry-After', '1') : reply.code(200)
}

/** Browsers accept text/html but not application/json; clients that accept anything get JSON. */
const wantsPage = ({ headers: { accept = '' } }: FastifyRequest) =>
  accept.includes('text/html') && !accept.includes('application/json')
