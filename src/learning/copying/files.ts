import type { Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { urlOf } from '../files/file.ts'
import { takeBytes } from '../files/keep.ts'
import { isNamed } from '../files/remove.ts'

/** Files that one statement exchanges; each nests its expressions by one level. */
const AT_ONCE = 20

/**
 * Gives a channel its own copies of the pictures and captions of another channel that its texts name, as their readers
 * may not see the other channel. The last step of a transaction.
 */
export async function bringFiles(
  tx: Tx,
  { tenant_id, from, to, quota }: { tenant_id: string; from: string; to: string; quota: number },
) {
  if (from === to) return
  const files = await tx<{ id: string; size_bytes: number }[]>`
    select due.id, due.size_bytes::float8
      from learning.files due join learning.channels c on c.tenant_id = due.tenant_id and c.id = ${to}
     where due.tenant_id = ${tenant_id} and due.channel_id = ${from} and due.homework_id is null and ${isNamed(tx)}
     order by due.id`
  const pairs = files.map(({ id }) => ({ from_id: id, to_id: newId() }))
  for (let at = 0; at < pairs.length; at += AT_ONCE) {
    const some = pairs.slice(at, at + AT_ONCE)
    await copyBytes(tx, tenant_id, to, some)
    await exchange(
      tx,
      tenant_id,
      to,
      some.map(({ from_id, to_id }) => [addressOf(from, from_id), addressOf(to, to_id)]),
    )
  }
  const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  if (bytes > 0) await takeBytes(tx, tenant_id, bytes, quota)
}

const addressOf = (channel_id: string, id: string) => urlOf({ id, channel_id, purpose: 'picture' })

async function copyBytes(tx: Tx, tenant_id: string, to: string, pairs: { from_id: string; to_id: string }[]) {
  const given = tx`jsonb_to_recordset(${tx.json(pairs)}) as pair(from_id uuid, to_id uuid)`
  await tx`
    insert into learning.files (tenant_id, id, channel_id, user_id, purpose, name, mime_type, size_bytes, sha256)
    select f.tenant_id, pair.to_id, ${to}, f.user_id, f.purpose, f.name, f.mime_type, f.size_bytes, f.sha256
      from ${given} join learning.files f on f.tenant_id = ${tenant_id} and f.id = pair.from_id`
  await tx`
    insert into learning.file_pieces (tenant_id, file_id, place, content)
    select p.tenant_id, pair.to_id, p.place, p.content
      from ${given} join learning.file_pieces p on p.tenant_id = ${tenant_id} and p.file_id = pair.from_id`
}

/** Replaces addresses in every text of the channel. */
async function exchange(
  tx: Tx,
  tenant_id: string,
  channel_id: string,
  addresses: (readonly [string, string])[],
) {
  const text = (column: ReturnType<typeof tx>) =>
    addresses.reduce((sql, [old, now]) => tx`replace(${sql}, ${old}, ${now})`, column)
  const episodes = tx`
    select e.id from learning.episodes e where e.tenant_id = ${tenant_id} and e.channel_id = ${channel_id}`
  await tx`
    update learning.channels c set description = ${text(tx`c.description`)}, thumbnail_url = ${text(tx`c.thumbnail_url`)}
     where c.tenant_id = ${tenant_id} and c.id = ${channel_id}`
  await tx`
    update learning.episodes e set description = ${text(tx`e.description`)}, thumbnail_url = ${text(tx`e.thumbnail_url`)}
     where e.tenant_id = ${tenant_id} and e.channel_id = ${channel_id}`
  await tx`
    update learning.videos v
       set poster_url = ${text(tx`v.poster_url`)}, captions = ${text(tx`v.captions::text`)}::jsonb
     where v.tenant_id = ${tenant_id} and v.episode_id in (${episodes})`
  await tx`
    update learning.episode_changes x
       set value = ${text(tx`x.value::text`)}::jsonb, base = ${text(tx`x.base::text`)}::jsonb
     where x.tenant_id = ${tenant_id} and x.episode_id in (${episodes})`
  await tx`
    update learning.homework h set instructions = ${text(tx`h.instructions`)}
     where h.tenant_id = ${tenant_id} and h.episode_id in (${episodes})`
  await tx`
    update learning.tests t set description = ${text(tx`t.description`)}
     where t.tenant_id = ${tenant_id} and t.episode_id in (${episodes})`
  await tx`
    update learning.question_versions v
       set prompt = ${text(tx`v.prompt`)}, explanation = ${text(tx`v.explanation`)}, body = ${text(tx`v.body::text`)}::jsonb
     where v.tenant_id = ${tenant_id} and v.question_id in (
             select q.id from learning.questions q
               join learning.tests t on t.tenant_id = q.tenant_id and t.id = q.test_id
              where q.tenant_id = ${tenant_id} and t.episode_id in (${episodes}))`
}
