import type { Lane, Tx } from '#foundation/database/database.ts'
import { notFound } from '#foundation/errors.ts'
import { editorOf, isVisible, type Store, type Viewer } from '../access/access.ts'

/**
 * Removes a file with its bytes: a picture or captions for editors of the channel, an attachment that is not handed in
 * for its uploader. 404 otherwise, also for what is handed in: it is part of the submission.
 */
export function removeFile({ db }: Store, viewer: Viewer, id: string): Promise<void> {
  const { tenant_id, user_id } = viewer
  return db.transaction(async (tx) => {
    const [file] = await tx<{ id: string }[]>`
      select f.id
        from learning.files f
        join learning.channels c on c.tenant_id = f.tenant_id and c.id = f.channel_id, ${editorOf(tx, viewer)}
       where f.tenant_id = ${tenant_id} and f.id = ${id} and ${isVisible(tx, viewer)}
         and case when f.homework_id is null then editor.may_edit
                  else f.user_id = ${user_id} and f.submission_id is null end
         for update of f`
    if (!file) throw notFound()
    await deleteFiles(tx, tenant_id, [file.id])
  })
}

/** Deletes files with their bytes and gives the bytes back to the quota. Call it last in a transaction. */
export const deleteFiles = (tx: Tx, tenant_id: string, ids: readonly string[]) => tx`
  with gone as (
    delete from learning.files where tenant_id = ${tenant_id} and id = any(${ids as string[]}) returning size_bytes)
  update learning.file_totals set bytes = greatest(0, bytes - (select coalesce(sum(size_bytes), 0) from gone))
   where tenant_id = ${tenant_id}`

/** Deletes what a person has uploaded as homework; pictures and captions belong to the channel and stay. */
export async function deleteFilesOf(tx: Tx, tenant_ids: readonly string[], user_id: string) {
  await tx`
    with gone as (
      delete from learning.files
       where tenant_id = any(${tenant_ids as string[]}) and user_id = ${user_id} and homework_id is not null
      returning tenant_id, size_bytes),
    freed as (select tenant_id, sum(size_bytes) as bytes from gone group by tenant_id)
    update learning.file_totals t set bytes = greatest(0, t.bytes - freed.bytes)
      from freed where t.tenant_id = freed.tenant_id`
}

/** Files of one round. */
const BATCH = 50
/** Whoever writes a text or hands work in has a day from the upload on. */
const AGE = '24 hours'

/**
 * One round of the sweep: looks at files that nobody looked at for the longest time, and deletes those that nothing
 * names any more. Returns whether there may be more to look at.
 */
export async function sweepFiles(
  { db }: Store,
  tenant_id: string,
): Promise<{ deleted: number; isDone: boolean }> {
  return db.transaction(async (tx) => {
    const due = await tx<{ id: string; is_orphan: boolean }[]>`
      with due as materialized (
        select f.tenant_id, f.id, f.channel_id, f.homework_id, f.submission_id, f.purpose
          from learning.files f
         where f.tenant_id = ${tenant_id} and f.checked_at < clock_timestamp() - ${AGE}::interval
         order by f.checked_at, f.id limit ${BATCH} for update skip locked)
      select due.id, c.deleted_at is not null or case
               when due.homework_id is not null then due.submission_id is null or exists (
                 select 1 from learning.homework h
                  where h.tenant_id = due.tenant_id and h.id = due.homework_id and h.deleted_at is not null)
               else not ${isNamed(tx)} end as is_orphan
        from due join learning.channels c on c.tenant_id = due.tenant_id and c.id = due.channel_id`
    const orphans = due.filter(({ is_orphan }) => is_orphan).map(({ id }) => id)
    await tx`
      update learning.files set checked_at = clock_timestamp()
       where tenant_id = ${tenant_id} and id = any(${due.map(({ id }) => id)})`
    if (orphans.length > 0) await deleteFiles(tx, tenant_id, orphans)
    return { deleted: orphans.length, isDone: due.length < BATCH }
  })
}

/** Whether any text or address of the channel `c` holds the id of the file `due`. Versions of questions stay for good. */
export const isNamed = (sql: Lane) => sql`(
  position(due.id::text in concat(c.thumbnail_url, c.description)) > 0
  or exists (
    select 1 from learning.episodes e
      left join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
     where e.tenant_id = c.tenant_id and e.channel_id = c.id and e.deleted_at is null
       and position(due.id::text in concat(e.thumbnail_url, e.description, v.poster_url, v.captions::text)) > 0)
  or exists (
    select 1 from learning.episodes e
      join learning.episode_changes x on x.tenant_id = e.tenant_id and x.episode_id = e.id
     where e.tenant_id = c.tenant_id and e.channel_id = c.id and e.deleted_at is null
       and position(due.id::text in x.value::text) > 0)
  or exists (
    select 1 from learning.episodes e
      join learning.homework h on h.tenant_id = e.tenant_id and h.episode_id = e.id
     where e.tenant_id = c.tenant_id and e.channel_id = c.id and h.deleted_at is null
       and position(due.id::text in h.instructions) > 0)
  or exists (
    select 1 from learning.episodes e
      join learning.tests t on t.tenant_id = e.tenant_id and t.episode_id = e.id
      left join learning.questions q on q.tenant_id = t.tenant_id and q.test_id = t.id
      left join learning.question_versions v on v.tenant_id = q.tenant_id and v.question_id = q.id
     where e.tenant_id = c.tenant_id and e.channel_id = c.id and t.deleted_at is null
       and position(due.id::text in concat(t.description, v.prompt, v.explanation, v.body::text)) > 0))`

/** The tenants that have files. */
export const listTenants = async (sql: Lane, after: string) =>
  sql<{ tenant_id: string }[]>`
    select tenant_id from learning.file_totals where tenant_id > ${after} and bytes > 0 order by tenant_id limit 100`
