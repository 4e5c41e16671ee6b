import { type Tx, violates } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { keepFile } from '#foundation/imports/files.ts'
import { startNext } from '#foundation/imports/imports.ts'
import type { UploadedFile } from '#foundation/http/multipart.ts'
import { normalized } from '#foundation/text.ts'
import { type Actor, findRights } from '../access.ts'
import { IMPORTS } from './imports.ts'
import { rulesOf } from './layout.ts'
import type { JobState } from './job.ts'
import type { Options } from './options.ts'
import { judgeWorkbook } from './planning.ts'

const PER_HOUR = 10
const ACTIVE_MOST = 2

export type Accepted = { job_id: string; state: JobState }

/**
 * Checks a workbook and returns its 415, 413 or 422 error, or undefined. Runs outside a transaction so that reading
 * the file does not hold a database connection.
 */
export async function faultOf(path: string, options: Options): Promise<ApiError | undefined> {
  try {
    await judgeWorkbook(path, rulesOf(options))
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error
    throw error
  }
}

/**
 * Creates the job and stores the file, in the caller's transaction. 404 `parent_not_found`, 409 `duplicate_upload`
 * with the URL of the running job for the same file, 429 above ten uploads an hour or two at once.
 */
export async function acceptUpload(
  tx: Tx,
  actor: Actor,
  file: UploadedFile,
  options: Options,
  { isLimited }: { isLimited: boolean },
): Promise<Accepted> {
  const { user_id, tenant_id, is_site_admin } = actor
  if (options.parent_id !== null && (await findRights(tx, actor, [options.parent_id])).length === 0)
    throw new ApiError(404, 'parent_not_found', 'The collection of parent_id was not found')
  await IMPORTS.holdTurn(tx, user_id)
  const [double] = await tx<{ job_id: string }[]>`
    select job_id from collections.jobs
     where user_id = ${user_id} and tenant_id = ${tenant_id} and file_sha256 = ${file.sha256}
       and options = ${tx.json(options)} and state in ('queued', 'validating', 'processing')`
  if (double) throw duplicateUpload(double.job_id)
  await refuseTooMany(tx, actor, isLimited)
  const job_id = newId()
  try {
    await tx`
      insert into collections.jobs (job_id, tenant_id, user_id, is_site_admin, options, file_name, file_size, file_sha256)
      values (${job_id}, ${tenant_id}, ${user_id}, ${is_site_admin}, ${tx.json(options)}, ${shownName(file.name)}, ${file.size}, ${file.sha256})`
  } catch (error) {
    if (violates(error, 'jobs_doubles')) throw duplicateUpload('')
    throw error
  }
  await keepFile(tx, IMPORTS, job_id, file.path)
  await startNext(tx, IMPORTS, user_id)
  return { job_id, state: 'queued' }
}

const duplicateUpload = (job_id: string) =>
  new ApiError(409, 'duplicate_upload', 'This file is being imported already, with the same options', {
    headers: { Location: `/api/bulk/jobs/${job_id}` },
  })

async function refuseTooMany(tx: Tx, { user_id }: Actor, isLimited: boolean): Promise<void> {
  const [load] = await tx<{ active: number; recent: number; wait_seconds: number | null }[]>`
    select count(*) filter (where state in ('queued', 'validating', 'processing'))::int as active,
           count(*) filter (where created_at > statement_timestamp() - interval '1 hour')::int as recent,
           ceil(extract(epoch from min(created_at) filter (where created_at > statement_timestamp() - interval '1 hour')
                                   + interval '1 hour' - statement_timestamp()))::int as wait_seconds
      from collections.jobs where user_id = ${user_id}`
  if (!load) return
  if (load.active >= ACTIVE_MOST)
    throw tooMany(`At most ${ACTIVE_MOST} imports of a person may be under way`, 5)
  if (isLimited && load.recent >= PER_HOUR)
    throw tooMany(`At most ${PER_HOUR} workbooks may be sent in an hour`, Math.max(1, load.wait_seconds ?? 1))
}

const tooMany = (detail: string, seconds: number) =>
  new ApiError(429, 'rate_limited', detail, { headers: { 'Retry-After': String(seconds) } })

/** Only for display, so characters that cannot be kept are dropped. */
const shownName = (name: string) =>
  normalized(name.toWellFormed(), 'NFC')
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, 255)
