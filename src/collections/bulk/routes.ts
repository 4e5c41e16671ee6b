import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import type { Tx } from '#foundation/database/database.ts'
import { ApiError, forbidden } from '#foundation/errors.ts'
import type { App } from '#foundation/http/http.ts'
import { newId } from '#foundation/ids.ts'
import { acceptMultipart, readUpload, uploadOf } from '#foundation/http/multipart.ts'
import { CursorPageOf, PageQuery } from '#foundation/http/paging.ts'
import { OneOf, Uuid } from '#foundation/http/schemas.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { answerOnce } from '../idempotency.ts'
import { actorOf } from '../identify.ts'
import { listQuerySchema } from '../query/listing.ts'
import { readListQuery } from '../query/read.ts'
import { attachment, workbookReply } from '../workbook/attachment.ts'
import { LIMITS } from '../workbook/reader.ts'
import { XLSX } from '../workbook/writer.ts'
import { cancelJob } from './cancel.ts'
import { buildErrorsFile } from './errors-file.ts'
import { ErrorInRow, withRows } from './errors-in-rows.ts'
import { Job, JobInFull, requireJob, STATES } from './job.ts'
import { JOBS, listErrors, listJobs } from './list.ts'
import { mendedOf, MendedRows } from './mended.ts'
import { OPTION_NAMES, Options, readOptions } from './options.ts'
import { rulesOf } from './layout.ts'
import { recogniseWorkbook } from './planning.ts'
import { Recognised } from './recognise.ts'
import { acceptUpload, faultOf } from './upload.ts'

const JobId = Type.Object({ job_id: Uuid })
const Accepted = Type.Object({ job_id: Uuid, state: OneOf([...STATES]), status_url: Type.String() })
const UploadFields = Type.Object({ ...Options.properties, parent_id: Uuid, columns: Type.String() })
const FIELD_BYTES = 32 * 2 ** 10
const JobsQuery = listQuerySchema(JOBS, { scope: Type.Optional(OneOf(['own', 'all'])) })
const ErrorsQuery = Type.Object(
  {
    ...PageQuery.properties,
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 15_000 })),
    level: Type.Optional(OneOf(['error', 'warning'])),
    format: Type.Optional(OneOf(['json', 'xlsx'])),
    include: Type.Optional(OneOf(['row'])),
  },
  { additionalProperties: false },
)
const ErrorsReply = {
  description: 'The errors, or with format=xlsx the rows as a workbook to correct',
  content: {
    'application/json': { schema: CursorPageOf(ErrorInRow) },
    ...workbookReply.content,
  },
}

export function bulkRoutes(app: App, { database: db, config }: Pick<ServiceParts, 'database' | 'config'>) {
  acceptMultipart(app)
  const isLimited = config.COLLECTIONS_RATE_LIMIT > 0
  app.post(
    '/api/bulk/upload',
    {
      config: { auth: 'user', permission: 'collections:use', ...uploadOf(UploadFields) },
      schema: { response: { 202: Accepted } },
    },
    async (request, reply) => {
      const path = join(tmpdir(), `lyceum-upload-${newId()}`)
      const { fields, file } = await readUpload(request, {
        maxBytes: LIMITS.compressed,
        fields: OPTION_NAMES,
        fieldBytes: FIELD_BYTES,
        refuseUnknownFields: true,
        path,
      })
      try {
        if (!file) throw new ApiError(422, 'file_required', 'The body holds no file')
        const options = readOptions(fields)
        const fault = await faultOf(file.path, options)
        return await answerOnce(
          db,
          request,
          reply,
          async (tx) => {
            // Thrown inside the idempotent handler, because a replayed answer may be a refusal too.
            if (fault) throw fault
            const { job_id, state } = await acceptUpload(tx, actorOf(request), file, options, { isLimited })
            const status_url = `/api/bulk/jobs/${job_id}`
            return { status: 202, body: { job_id, state, status_url }, headers: { Location: status_url } }
          },
          { content: [file.sha256, options] },
        )
      } finally {
        await rm(path, { force: true })
      }
    },
  )
  app.post(
    '/api/bulk/recognise',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true, ...uploadOf(UploadFields) },
      schema: { response: { 200: Recognised } },
    },
    async (request) => {
      const path = join(tmpdir(), `lyceum-upload-${newId()}`)
      const rules = { fields: OPTION_NAMES, fieldBytes: FIELD_BYTES, refuseUnknownFields: true, path }
      const { fields, file } = await readUpload(request, { ...rules, maxBytes: LIMITS.compressed })
      try {
        if (!file) throw new ApiError(422, 'file_required', 'The body holds no file')
        return await recogniseWorkbook(file.path, rulesOf(readOptions(fields)))
      } finally {
        await rm(path, { force: true })
      }
    },
  )
  app.get(
    '/api/bulk/jobs',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true },
      schema: { querystring: JobsQuery, response: { 200: CursorPageOf(Type.Partial(Job)) } },
    },
    async (request) => {
      const actor = actorOf(request)
      const { scope = 'own' } = request.query
      if (scope === 'all' && !actor.is_site_admin)
        throw forbidden('insufficient_role', 'Only a site admin may list all jobs')
      return listJobs(db, actor, readListQuery(JOBS, request.query, { actor, others: ['scope'] }), scope)
    },
  )
  app.get(
    '/api/bulk/jobs/:job_id',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true },
      schema: { params: JobId, response: { 200: JobInFull } },
    },
    async (request) => requireJob(db.fast, actorOf(request), request.params.job_id),
  )
  app.get(
    '/api/bulk/jobs/:job_id/errors',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true, compress: false },
      schema: { params: JobId, querystring: ErrorsQuery, response: { 200: ErrorsReply } },
    },
    async (request, reply) => {
      const { job_id } = request.params
      const { format, include, ...query } = request.query
      const actor = actorOf(request)
      if (format !== 'xlsx') {
        const found = await listErrors(db, actor, job_id, query)
        return include ? withRows(db, actor, job_id, found) : found
      }
      const { name, bytes } = await buildErrorsFile(db, actor, job_id)
      return reply
        .headers(attachment(name, 'xlsx'))
        .type(XLSX)
        .send(bytes as never)
    },
  )
  app.post(
    '/api/bulk/jobs/:job_id/errors/mended',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true, compress: false },
      schema: { params: JobId, body: MendedRows, response: { 200: workbookReply } },
    },
    async (request, reply) => {
      const { job_id } = request.params
      const { name, bytes } = await buildErrorsFile(db, actorOf(request), job_id, mendedOf(request.body))
      return reply
        .headers(attachment(name, 'xlsx'))
        .type(XLSX)
        .send(bytes as never)
    },
  )
  app.post(
    '/api/bulk/jobs/:job_id/cancel',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true },
      schema: { params: JobId, response: { 202: JobInFull } },
    },
    async (request, reply) => {
      const [actor, { job_id }] = [actorOf(request), request.params]
      const work = async (tx: Tx) => {
        await cancelJob(tx, actor, job_id)
        return { status: 202, body: await requireJob(tx, actor, job_id) }
      }
      return answerOnce(db, request, reply, work, { mayReplay: (tx) => requireJob(tx, actor, job_id) })
    },
  )
}
