import { createHash, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { one, type Tx } from '#foundation/database/database.ts'
import { badRequest, conflict, forbidden, unprocessable } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { keepFile, piecesOf } from '#foundation/imports/files.ts'
import { startNext } from '#foundation/imports/imports.ts'
import type { UploadedFile, UploadRules } from '#foundation/http/multipart.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import {
  isOperator,
  requireMayAssign,
  requireOwnSite,
  type SeenSite,
  sitesOfAdmin,
} from '../../core/access/access.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { CONFLICTS, type JobSummary } from './bulk-jobs.ts'
import { SEPARATOR_NAMES, SEPARATORS } from '#foundation/csv/read.ts'
import { inspect, type Layout } from './csv.ts'
import { IMPORTS, lockSite } from './imports.ts'

const MAX_BYTES = 25 * 1_048_576
/** Maximum unfinished imports per site. */
const MAX_UNFINISHED = 10

const OPTIONS = ['on_conflict', 'dry_run', 'emit_events', 'site_code', 'separator'] as const

type Registered = Pick<JobSummary, 'job_id' | 'status'>
type Upload = { fields: Record<string, string>; file: UploadedFile | undefined }
/** Receives the request body according to the rules; deletes the file it wrote if it throws. */
type Receive = (rules: UploadRules) => Promise<Upload>

/**
 * Receives a file, checks encoding, header and size, and stores it with its import. The same file with the same options
 * and `key` from the same person finds its first import again. 400 no file, 403 not ADMIN, 404 unknown site, 409
 * too_many_jobs, 413, 415, 422.
 */
export async function registerInBulk(
  parts: SsoParts,
  caller: Caller,
  { receive, key }: { receive: Receive; key: string | undefined },
  from: Origin,
): Promise<Registered> {
  await requireAnySite(parts, caller)
  const path = join(tmpdir(), `lyceum-bulk-${randomUUID()}`)
  const { fields, file } = await receive({ maxBytes: MAX_BYTES, fields: OPTIONS, fileField: 'file', path })
  try {
    const options = readOptions(fields)
    const site = await requireOwnSite(parts.database.fast, caller, fields['site_code'])
    if (!file) throw noFile()
    const layout = await inspect(piecesOf(path), separatorOf(fields))
    if (layout.columns.includes('role')) requireMayAssign(caller)
    return await parts.database.transaction(async (tx) => {
      await lockSite(tx, site.site_id)
      const named = [
        site.site_id,
        caller.user_id,
        key ?? '',
        file.sha256,
        JSON.stringify(options),
        ...(fields['separator'] ? [layout.delimiter] : []),
      ]
      const job_id = key === undefined ? newId() : idOf(named)
      const [known] = await tx<
        Registered[]
      >`select job_id, status from sso.bulk_jobs where job_id = ${job_id}`
      if (known) return known
      await insertJob(tx, { job_id, site, caller }, options, layout)
      await keepFile(tx, IMPORTS, job_id, path)
      await startNext(tx, IMPORTS, site.site_id)
      await recordAct(
        tx,
        {
          action: 'bulk.uploaded',
          environment: site.environment,
          site_id: site.site_id,
          actor_user_id: caller.user_id,
          subject_user_id: null,
          details: { job_id, rows: layout.total_rows, sha256: file.sha256, ...options },
        },
        from,
      )
      return { job_id, status: 'queued' }
    })
  } finally {
    await rm(path, { force: true })
  }
}

/** The site is named in the body. A caller who administers none is refused before the body is read. */
async function requireAnySite({ database: { fast } }: SsoParts, caller: Caller) {
  const [own] = await fast`${sitesOfAdmin(fast, caller)} limit 1`
  if (!own) throw forbidden('admin_required', 'This needs the role ADMIN on the site')
}

type Options = { on_conflict: (typeof CONFLICTS)[number]; dry_run: boolean; emit_events: boolean }

function readOptions(fields: Record<string, string>): Options {
  const on_conflict = CONFLICTS.find((word) => word === (fields['on_conflict'] ?? 'skip'))
  if (!on_conflict) throw unprocessable('on_conflict', 'enum', `must be one of ${CONFLICTS.join(', ')}`)
  return { on_conflict, dry_run: readFlag(fields, 'dry_run'), emit_events: readFlag(fields, 'emit_events') }
}

function separatorOf({ separator }: Record<string, string>) {
  if (!separator) return undefined
  const name = SEPARATOR_NAMES.find((one) => one === separator)
  if (!name) throw unprocessable('separator', 'enum', `must be one of ${SEPARATOR_NAMES.join(', ')}`)
  return SEPARATORS[name]
}

function readFlag(fields: Record<string, string>, name: 'dry_run' | 'emit_events'): boolean {
  const text = fields[name] ?? 'false'
  if (!/^(?:true|false|1|0)$/.test(text)) throw unprocessable(name, 'boolean', 'must be true or false')
  return text === 'true' || text === '1'
}

/** Inserts the import while the caller is still ADMIN. Holding the site's lock keeps the count exact. */
async function insertJob(
  tx: Tx,
  { job_id, site, caller }: { job_id: string; site: SeenSite; caller: Caller },
  { on_conflict, dry_run, emit_events }: Options,
  { delimiter, columns, total_rows }: Layout & { total_rows: number },
): Promise<void> {
  const waiting = await tx<{ unfinished: number }[]>`
    select count(*)::int as unfinished from sso.bulk_jobs where site_id = ${site.site_id} and finished_at is null`
  if (one(waiting).unfinished >= MAX_UNFINISHED)
    throw conflict(
      'too_many_jobs',
      `At most ${MAX_UNFINISHED} imports of a site may wait; let some of them end first`,
    )
  const [job] = await tx`
    insert into sso.bulk_jobs (job_id, site_id, created_by, acts_at, on_conflict, dry_run, emit_events, delimiter,
                               columns, total_rows)
    select ${job_id}, own.site_id, ${caller.user_id}, ${isOperator(caller) ? caller.site_id : null}, ${on_conflict},
           ${dry_run}, ${emit_events}, ${delimiter}, ${columns}, ${total_rows}
      from (${sitesOfAdmin(tx, caller)}) as own where own.site_id = ${site.site_id}
    returning job_id`
  if (!job) throw forbidden('admin_required', 'This needs the role ADMIN on the site')
}

/** A UUIDv8 (RFC 9562, section 5.8) of these names. */
function idOf(names: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(names)).digest()
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const noFile = () =>
  badRequest('missing_field', 'file: is required', {
    errors: [{ field: 'file', code: 'required', message: 'is required' }],
  })
