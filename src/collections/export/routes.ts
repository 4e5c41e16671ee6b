import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { unprocessable } from '#foundation/errors.ts'
import type { App } from '#foundation/http/http.ts'
import { OneOf, Uuid } from '#foundation/http/schemas.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { actorOf } from '../identify.ts'
import { attachment, workbookReply } from '../workbook/attachment.ts'
import { XLSX } from '../workbook/writer.ts'
import { exportText } from './text.ts'
import { exportWorkbook } from './xlsx.ts'

const Params = Type.Object({ id: Uuid })
const ExportQuery = Type.Object(
  {
    format: Type.Optional(OneOf(['xlsx', 'csv', 'jsonl'])),
    sheet: Type.Optional(OneOf(['items', 'collections'])),
    include_subtree: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
const TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl' } as const
const reply200 = {
  content: {
    ...workbookReply.content,
    'text/csv': { schema: Type.String() },
    'application/jsonl': { schema: Type.String() },
  },
}

export function exportRoutes(app: App, { database: db }: Pick<ServiceParts, 'database'>) {
  app.get(
    '/api/collections/:id/export',
    {
      // Not compressed: a workbook is already, and a CSV streams. No secret is next to the data that its length could
      // reveal.
      config: { auth: 'user', permission: 'collections:use', operational: true, compress: false },
      schema: { params: Params, querystring: ExportQuery, response: { 200: reply200 } },
    },
    async (request, reply) => {
      const { format = 'xlsx', sheet, include_subtree = false } = request.query
      const [actor, scope] = [actorOf(request), { collection_id: request.params.id, include_subtree }]
      if (format !== 'xlsx') {
        const { name, stream } = await exportText(db, { actor, scope, sheet: sheet ?? 'items', format })
        resetOnFailure(request, stream)
        return reply
          .headers(attachment(name, format))
          .type(TYPES[format])
          .send(stream as never)
      }
      if (sheet !== undefined)
        throw unprocessable('sheet', 'validation', 'goes with format=csv or format=jsonl only')
      const { name, stream } = await exportWorkbook(db, actor, scope)
      resetOnFailure(request, stream)
      return reply
        .headers(attachment(name, 'xlsx'))
        .type(XLSX)
        .send(stream as never)
    },
  )
}

/**
 * An export that breaks off must not look like a whole one. A missing last chunk says so, but behind a proxy that speaks HTTP/1.0
 * the end of the connection is the end of the file: a reset is an error there too.
 */
const resetOnFailure = ({ raw }: FastifyRequest, stream: Readable) =>
  void stream.on('error', () => raw.socket.resetAndDestroy?.())
