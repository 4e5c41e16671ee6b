import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { unprocessable } from '#foundation/errors.ts'
import { csvLine } from '#foundation/web/client/csv.ts'
import type { Cursor } from '#foundation/http/cursor.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { AuditFilter, type AuditLine, countLines, placeOf, readLines, scopeOf } from './list.ts'

type ExportQuery = Static<typeof ExportQuery>
export const ExportQuery = Type.Object({ ...AuditFilter.properties, format: OneOf(['csv', 'jsonl']) })

const MOST = 100_000
const BATCH = 1_000
const FIELDS = [
  'audit_id',
  'occurred_at',
  'action',
  'site_code',
  'actor_user_id',
  'subject_user_id',
  'ip_address',
  'user_agent',
] as const satisfies (keyof AuditLine)[]

/**
 * All entries that match, newest first, as CSV or as one JSON object a line. 403, 404, and 422 for more than 100,000,
 * all before the first byte; the stream ends if the caller loses the right.
 */
export async function exportAudit(
  db: Database,
  caller: Caller,
  query: ExportQuery,
): Promise<AsyncGenerator<string>> {
  const scope = await scopeOf(db.pool, caller, query)
  if ((await countLines(db, caller, scope, query)) > MOST)
    throw unprocessable('since', 'too_many', `must narrow the entries: an export holds ${MOST} at most`)
  return write()

  async function* write() {
    if (query.format === 'csv') yield csvLine([...FIELDS, 'details'])
    for (let after: Cursor | undefined; ;) {
      const lines = await readLines(db, caller, { scope, query, after, limit: BATCH })
      yield lines.map(query.format === 'csv' ? asRecord : asJson).join('')
      const last = lines.at(-1)
      if (!last || lines.length < BATCH) return
      after = placeOf(last)
    }
  }
}

const asRecord = (line: AuditLine) =>
  csvLine([...FIELDS.map((field) => line[field]), JSON.stringify(line.details)])
const asJson = (line: AuditLine) => `${JSON.stringify(line)}\n`
