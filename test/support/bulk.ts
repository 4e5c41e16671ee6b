import assert from 'node:assert/strict'
import { untilFinished } from './eventually.ts'
import { anOperator, type Headers } from './people.ts'
import { type World, world } from './world.ts'

type Uploaded = { status: number; body: Record<string, unknown> & { job_id: string } }

/** Uploads a CSV as a browser does: multipart/form-data with the option fields before the file. */
export async function uploadCsv(
  headers: Headers,
  csv: string | Buffer,
  { lyceum, ...fields }: { lyceum?: World } & Record<string, string | World | undefined> = {},
): Promise<Uploaded> {
  const { sso } = lyceum ?? (await world())
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) if (typeof value === 'string') form.set(name, value)
  form.set('file', new Blob([Uint8Array.from(Buffer.from(csv))], { type: 'text/csv' }), 'people.csv')
  const body = new Response(form)
  const reply = await sso.inject({
    method: 'POST',
    url: '/api/v1/bulk/register',
    headers: { ...headers, 'content-type': body.headers.get('content-type') ?? '' },
    payload: Buffer.from(await body.arrayBuffer()),
  })
  return { status: reply.statusCode, body: reply.json() }
}

/** Polls until the import has ended and returns the job. */
export async function endOf(
  headers: Headers,
  job_id: string,
  lyceum?: World,
): Promise<Record<string, unknown>> {
  const { sso } = lyceum ?? (await world())
  return untilFinished(async () => {
    const reply = await sso.inject({ url: `/api/v1/bulk/jobs/${job_id}`, headers })
    assert.equal(reply.statusCode, 200, reply.body)
    const job = reply.json()
    assert.equal(job.success_count + job.skipped_count + job.error_count, job.processed_rows)
    return job
  })
}

/** Lifts the import quota of this tenant, with the call an operator uses. */
export async function liftImportQuota({ tenant_id }: { tenant_id: string }, lyceum?: World): Promise<void> {
  const { sso } = lyceum ?? (await world())
  const operator = await anOperator(lyceum)
  const reply = await sso.inject({
    method: 'PUT',
    url: `/api/v1/tenants/${tenant_id}/import-quota`,
    headers: operator.headers,
    payload: { people_per_day: null },
  })
  assert.equal(reply.statusCode, 200, reply.body)
}

/** Uploads and waits until the import has ended. */
export async function importCsv(
  headers: Headers,
  csv: string | Buffer,
  options: { lyceum?: World } & Record<string, string | World | undefined> = {},
) {
  const { status, body } = await uploadCsv(headers, csv, options)
  assert.equal(status, 202, JSON.stringify(body))
  return endOf(headers, body.job_id, options.lyceum)
}
