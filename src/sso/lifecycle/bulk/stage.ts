import { copyLine } from '#foundation/imports/copy-line.ts'
import { readFile } from '#foundation/imports/files.ts'
import { type Attempt, step } from '#foundation/imports/attempt.ts'
import { copyLines, isStaged, noteStaged, type StagingTable } from '#foundation/imports/staging.ts'
import { newId } from '#foundation/ids.ts'
import { foldEmail } from '#foundation/text.ts'
import { REGISTERED_FIELDS } from '../../core/profile.ts'
import { type Layout as FileLayout, readRecords } from './csv.ts'
import { judgeHashes } from './hashes.ts'
import { judgeWith, type Row } from './person.ts'

const PERSON = [
  'user_id',
  'email',
  'email_fold',
  'email_verified',
  'username_fold',
  ...REGISTERED_FIELDS,
  'external_id',
  'role',
  'password_hash',
  'must_reset_password',
] as const
const ROWS: StagingTable = { table: 'sso.bulk_rows', columns: ['job_id', 'row', 'line', 'faults', ...PERSON] }

/** Records per copy to the database. */
const AT_ONCE = 10_000

export type Layout = FileLayout & { roles: string[]; total_rows: number }

/** Validates the records of the stored file and stages them, unless an earlier attempt did. */
export async function stageRecords(attempt: Attempt, { delimiter, columns, roles, total_rows }: Layout) {
  if (await isStaged(attempt, ROWS)) return
  const { db, imports, job_id } = attempt
  const judge = judgeWith(columns, new Set(roles))
  const settleHash = judgeHashes()
  let [lines, rows] = [[] as string[], 0]
  const send = async () => {
    await step(attempt, (tx) => copyLines(tx, ROWS, lines.join('')))
    lines = []
  }
  for await (const record of readRecords(readFile(db, imports, job_id), delimiter)) {
    rows++
    lines.push(lineOf(job_id, await settleHash(judge(record))))
    if (lines.length >= AT_ONCE) await send()
  }
  if (lines.length > 0) await send()
  await step(attempt, async (tx) => {
    // The release before counted records without a value.
    if (rows !== total_rows) await tx`update sso.bulk_jobs set total_rows = ${rows} where job_id = ${job_id}`
    await noteStaged(tx, attempt, ROWS, rows)
  })
}

function lineOf(job_id: string, { row, line, faults, person }: Row): string {
  if (!person) return copyLine([job_id, row, line, JSON.stringify(faults), ...PERSON.map(() => null)])
  const staged: Record<string, string | boolean | null> = {
    ...person,
    user_id: newId(),
    email_fold: foldEmail(person.email),
    username_fold: person.username?.toLowerCase() ?? null,
  }
  return copyLine([job_id, row, line, null, ...PERSON.map((name) => staged[name] ?? null)])
}
