import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { SEPARATOR_NAMES } from '#foundation/csv/read.ts'
import { type App, callerOf } from '#foundation/http/http.ts'
import { acceptMultipart, readUpload, uploadOf } from '#foundation/http/multipart.ts'
import { CursorPageOf } from '#foundation/http/cursor-page.ts'
import { OneOf, Uuid } from '#foundation/http/schemas.ts'
import { originOf } from '../../core/access/identify.ts'
import type { SsoParts } from '../../core/parts.ts'
import { CONFLICTS, findJob, Job, JobQuery, JobSummary, listJobs } from './bulk-jobs.ts'
import { cancelJob } from './cancel.ts'
import { errorsAsCsv } from './error-rows.ts'
import { findQuota, ImportQuota, QuotaBody, setQuota } from './quota.ts'
import { registerInBulk } from './upload.ts'

/** Describes the body's text fields; `registerInBulk` parses and validates them. */
const UploadFields = Type.Object({
  on_conflict: OneOf([...CONFLICTS], { default: 'skip' }),
  dry_run: Type.Boolean({ default: false }),
  emit_events: Type.Boolean({ default: false }),
  site_code: Type.String(),
  separator: OneOf([...SEPARATOR_NAMES], { description: 'Of the cells; told by the header if absent' }),
})
const JobId = Type.Object({ job_id: Uuid })
/** `status` is `queued`, but for an upload that came before. */
const Registered = Type.Pick(JobSummary, ['job_id', 'status'])
const Key = Type.Object({ 'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255 })) })
const Csv = Type.Unsafe<Readable>({ type: 'string', description: 'row, line, field, code, message' })
const additive = { auth: 'user', permission: 'bulk:import', operational: true } as const
const TenantId = Type.Object({ tenant_id: Uuid })

export function bulkRoutes(app: App, parts: SsoParts) {
  acceptMultipart(app)

  app.post(
    '/api/v1/bulk/register',
    {
      config: { auth: 'user', permission: 'bulk:import', ...uploadOf(UploadFields) },
      schema: {
        description: 'A CSV of people, see docs/integrating.md',
        headers: Key,
        response: { 202: Registered },
      },
    },
    async (request, reply) => {
      const queued = await registerInBulk(
        parts,
        callerOf(request),
        { receive: (rules) => readUpload(request, rules), key: request.headers['idempotency-key'] },
        originOf(request),
      )
      return reply.code(202).header('Location', `/api/v1/bulk/jobs/${queued.job_id}`).send(queued)
    },
  )

  app.get(
    '/api/v1/bulk/jobs',
    { config: additive, schema: { querystring: JobQuery, response: { 200: CursorPageOf(JobSummary) } } },
    async (request) => listJobs(parts.database, callerOf(request), request.query),
  )

  app.get(
    '/api/v1/bulk/jobs/:job_id',
    {
      config: { auth: 'user', permission: 'bulk:import' },
      schema: { params: JobId, response: { 200: Job } },
    },
    async (request) => findJob(parts.database.fast, callerOf(request), request.params.job_id),
  )

  app.post(
    '/api/v1/bulk/jobs/:job_id/cancel',
    { config: additive, schema: { params: JobId, response: { 200: Job } } },
    async (request) => cancelJob(parts, callerOf(request), request.params.job_id, originOf(request)),
  )

  app.get(
    '/api/v1/bulk/jobs/:job_id/errors.csv',
    {
      config: { ...additive, compress: false },
      schema: { params: JobId, produces: ['text/csv'], response: { 200: Csv } },
    },
    async (request, reply) => {
      const { job_id } = request.params
      const lines = await errorsAsCsv(parts.database, callerOf(request), job_id)
      return reply
        .type('text/csv; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="bulk-${job_id}-errors.csv"`)
        .send(Readable.from(lines))
    },
  )

  app.get(
    '/api/v1/tenants/:tenant_id/import-quota',
    { config: additive, schema: { params: TenantId, response: { 200: ImportQuota } } },
    async (request) =>
      findQuota(parts.database.pool, parts.config, callerOf(request), request.params.tenant_id),
  )

  app.put(
    '/api/v1/tenants/:tenant_id/import-quota',
    { config: additive, schema: { params: TenantId, body: QuotaBody, response: { 200: ImportQuota } } },
    async (request) =>
      setQuota(parts, callerOf(request), { ...request.params, ...request.body }, originOf(request)),
  )
}
