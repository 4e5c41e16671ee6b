import { type Lane, one, type Tx } from '#foundation/database/database.ts'
import { badRequest } from '#foundation/errors.ts'
import type { Viewer } from '../access/access.ts'
import { isSame } from './fields.ts'
import type { Lesson } from './lesson.ts'

/** Bytes of JSON that the changes of one lesson may have. A transcript has at most 800,000, twice with its base. */
const MAX_BYTES = 3_000_000

/** One field in the table. `value` means nothing unless `is_open`. */
export type Kept = {
  name: string
  version: number
  is_open: boolean
  value: unknown
  base: unknown
  changed_by: string
  changed_at: string
}

export const versionOf = (kept: readonly Kept[]): number =>
  kept.reduce((most, { version }) => Math.max(most, version), 0)

/** All rows of a lesson, those that are published or discarded too. The table says null for both kinds of nothing. */
export const listKept = (sql: Lane, tenant_id: string, episode_id: string) => sql<Kept[]>`
  select name, version, value is not null as is_open, value, base, changed_by, changed_at
    from learning.episode_changes
   where tenant_id = ${tenant_id} and episode_id = ${episode_id}
   order by version, name`

/** Ends the open changes of a lesson. */
export const closeRows = (tx: Tx, { tenant_id, user_id }: Viewer, episode_id: string, version: number) => tx`
  update learning.episode_changes
     set value = null, base = null, version = ${version}, changed_by = ${user_id}, changed_at = clock_timestamp()
   where tenant_id = ${tenant_id} and episode_id = ${episode_id} and value is not null`

/** The open changes that a publication would make. */
export const openChanges = ({ fields }: Lesson, kept: readonly Kept[]): Kept[] =>
  kept.filter(({ name, is_open, value }) => is_open && fields.has(name) && !isSame(value, fields.get(name)))

/** One statement; all rows of one write have one version. 400 if the lesson would hold too much. */
export async function saveRows(
  tx: Tx,
  { tenant_id, user_id, episode_id }: { tenant_id: string; user_id: string; episode_id: string },
  rows: { name: string; value: string; base: string }[],
) {
  const of = (member: 'name' | 'value' | 'base') => rows.map((row) => row[member])
  await tx`
    insert into learning.episode_changes as x (tenant_id, episode_id, name, version, value, base, changed_by)
    select ${tenant_id}, ${episode_id}, given.name, 1 + coalesce((
             select max(o.version) from learning.episode_changes o
              where o.tenant_id = ${tenant_id} and o.episode_id = ${episode_id}), 0),
           given.value::jsonb, given.base::jsonb, ${user_id}
      from unnest(${of('name')}::text[], ${of('value')}::text[], ${of('base')}::text[]) as given(name, value, base)
    on conflict (tenant_id, episode_id, name) do update
      set version = excluded.version, value = excluded.value, base = excluded.base, changed_by = excluded.changed_by,
          changed_at = clock_timestamp()`
  const { bytes } = one(
    await tx<{ bytes: number }[]>`
      select coalesce(sum(octet_length(value::text) + octet_length(base::text)), 0)::float8 as bytes
        from learning.episode_changes
       where tenant_id = ${tenant_id} and episode_id = ${episode_id} and value is not null`,
  )
  if (bytes > MAX_BYTES)
    throw badRequest('changes_too_large', `The changes of a lesson hold at most ${MAX_BYTES} bytes`)
}
