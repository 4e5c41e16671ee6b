import { Type } from 'typebox'
import type { App } from '#foundation/http/http.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { actorOf } from '../identify.ts'
import { attachment, workbookReply } from '../workbook/attachment.ts'
import { XLSX } from '../workbook/writer.ts'
import { metadataInUse } from './metadata-in-use.ts'
import { buildTemplate } from './template.ts'

const TemplateQuery = Type.Object({ parent_id: Type.Optional(Uuid) }, { additionalProperties: false })

export function templateRoutes(
  app: App,
  { database: db, config }: Pick<ServiceParts, 'database' | 'config'>,
) {
  const types = config.COLLECTIONS_TYPES
  let plain: Promise<Buffer> | undefined
  const plainTemplate = () => {
    plain ??= buildTemplate(types).catch((error: unknown) => {
      plain = undefined
      throw error
    })
    return plain
  }
  app.get(
    '/api/bulk/template',
    {
      config: { auth: 'user', permission: 'collections:use', compress: false },
      schema: { querystring: TemplateQuery, response: { 200: workbookReply } },
    },
    async (request, reply) => {
      const { parent_id } = request.query
      const bytes =
        parent_id === undefined
          ? await plainTemplate()
          : await buildTemplate(types, await metadataInUse(db, actorOf(request), parent_id))
      return reply
        .headers(attachment('collections-template', 'xlsx'))
        .type(XLSX)
        .send(bytes as never)
    },
  )
}
