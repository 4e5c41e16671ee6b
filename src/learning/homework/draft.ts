import { type Static, Type } from 'typebox'
import type { Lane, Tx } from '#foundation/database/database.ts'
import { badRequest } from '#foundation/errors.ts'
import type { Store, Viewer } from '../access/access.ts'
import { openHomework } from './open.ts'

/** Bytes of JSON that one draft may have. A text of 50,000 characters has at most 200,000. */
const MAX_BYTES = 300_000

const At = Type.Integer({ minimum: 0, maximum: 9_007_199_254_740_991 })
const change = (max: number) => Type.Optional(Type.Object({ value: Type.String({ maxLength: max }), at: At }))

/** The changed fields of work that is not handed in. `submissions` says after how many it is written. */
export const HomeworkDraftBody = Type.Object({
  submissions: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  text: change(50_000),
  url: change(2_048),
  attachments: change(50_000),
})
export type HomeworkDraftBody = Static<typeof HomeworkDraftBody>

const Kept = Type.Optional(Type.Object({ value: Type.String(), at: Type.Number() }))
/** The draft for the next submission; a field that was never written is not there. */
export const HomeworkDraft = Type.Object({
  submissions: Type.Integer(),
  text: Kept,
  url: Kept,
  attachments: Kept,
})
export type HomeworkDraft = Static<typeof HomeworkDraft>

type Row = { submissions: number; fields: Omit<HomeworkDraft, 'submissions'> | null; is_kept: boolean }

/** The caller's draft for their next submission. A draft of work handed in since is not shown. 404 without access. */
export async function readHomeworkDraft({ db }: Store, viewer: Viewer, homework_id: string) {
  const { tenant_id, user_id } = viewer
  const [, [row]] = await Promise.all([
    openHomework(db.fast, viewer, homework_id),
    db.fast<Row[]>`
      select done.submissions, d.fields
        from (select ${handedIn(db.fast, viewer, homework_id)} as submissions) as done
        left join learning.homework_drafts d
          on d.tenant_id = ${tenant_id} and d.user_id = ${user_id} and d.homework_id = ${homework_id}
         and d.submissions = done.submissions`,
  ])
  return shown(row)
}

/**
 * Merges fields into the draft: the later change of a field wins. 404 without access; 400 when the work was handed in
 * meanwhile, and for a draft that would be too large.
 */
export async function mergeHomeworkDraft(
  { db }: Store,
  viewer: Viewer,
  homework_id: string,
  { submissions, ...fields }: HomeworkDraftBody,
): Promise<HomeworkDraft> {
  const { tenant_id, user_id } = viewer
  await openHomework(db.fast, viewer, homework_id)
  return db.transaction(async (tx) => {
    const sent = JSON.stringify(fields)
    const [row] = await tx<Row[]>`
      insert into learning.homework_drafts as d (tenant_id, user_id, homework_id, submissions, fields)
      select ${tenant_id}, ${user_id}, ${homework_id}, ${submissions}, ${merged(tx, tx`'{}'::jsonb`, sent)}
       where ${handedIn(tx, viewer, homework_id)} = ${submissions}
      on conflict (tenant_id, user_id, homework_id) do update
        set submissions = excluded.submissions, updated_at = clock_timestamp(),
            fields = ${merged(tx, tx`case when d.submissions = excluded.submissions then d.fields else '{}' end`, sent)}
      returning d.submissions, d.fields, octet_length(d.fields::text) <= ${MAX_BYTES} as is_kept`
    if (!row) throw badRequest('handed_in', 'The work was handed in meanwhile')
    // The error takes the change back.
    if (!row.is_kept) throw badRequest('draft_too_large', `A draft holds at most ${MAX_BYTES} bytes`)
    return shown(row)
  })
}

/** Removes the draft of work that is handed in now. */
export const dropHomeworkDraft = (tx: Tx, { tenant_id, user_id }: Viewer, homework_id: string) => tx`
  delete from learning.homework_drafts
   where tenant_id = ${tenant_id} and user_id = ${user_id} and homework_id = ${homework_id}`

const handedIn = (sql: Lane, { tenant_id, user_id }: Viewer, homework_id: string) => sql`
  (select count(*)::int from learning.submissions s
    where s.tenant_id = ${tenant_id} and s.homework_id = ${homework_id} and s.user_id = ${user_id})`

/** SQL for stored fields with what is sent. A change from the future counts as made now. */
const merged = (sql: Lane, stored: ReturnType<Lane>, sent: string) => sql`
  (select coalesce(jsonb_object_agg(name, given), '{}') from (
     select distinct on (name) name, given from (
       select key as name, value as given, 0 as is_sent from jsonb_each(${stored})
       union all
       select key, jsonb_set(value, '{at}', to_jsonb(
                least((value ->> 'at')::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint))), 1
         from jsonb_each(${sent}::text::jsonb)) as every
      order by name, (given ->> 'at')::bigint desc, is_sent desc) as latest)`

const shown = (row: Row | undefined): HomeworkDraft => ({
  submissions: row?.submissions ?? 0,
  ...row?.fields,
})
