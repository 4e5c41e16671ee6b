import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, type Migration } from '#foundation/database/migrations.ts'
import { newId } from '#foundation/ids.ts'
import { emptyDatabase } from '#testing/database.ts'
import { MIGRATIONS } from '../../../src/cli/database.ts'

test('the search finds what was there before the upgrade, and what the release before writes', async () => {
  const isOlder = ({ source, number }: Migration) => source !== 'learning' || number < 110
  const { url, db: old } = await emptyDatabase()
  await migrate(url, MIGRATIONS, { isWanted: isOlder })
  const write = (title: string, id = newId()) => old.pool`
    with made as (
      insert into learning.channels (
        tenant_id, id, owner_id, instructor_ids, title, description, language, level, tags, status, enrollment, visibility,
        sequential, completion_threshold, passing_percent)
      values ('t', ${id}, 'o', '{}', ${title}, '', 'en', 'all', '{}', 'published', 'open', 'tenant', false, 0.9, 60))
    insert into learning.episodes (tenant_id, id, channel_id, position, title, description, status, season, authors)
    select 't', gen_random_uuid(), ${id}, n, ${title} || n, '', 'published', 1, '{}' from generate_series(1, 30) as n`
  for (let n = 0; n < 45; n++) await write('before')
  await migrate(url, MIGRATIONS)
  await write('after')
  const count = async () => {
    const [row] = await old.pool<
      { entries: number }[]
    >`select count(*)::int as entries from learning.search_entries where tenant_id = 't'`
    return row?.entries
  }
  assert.equal(await count(), 31)
  for (let batches = 0; batches < 4; batches++) await old.pool`select step from foundation.backfill(1000)`
  assert.equal(await count(), 46 * 31)
  const [step] =
    await old.pool`select finished_at from foundation.backfills where step = 'learning.fill_search'`
  assert.ok(step?.['finished_at'])
})
