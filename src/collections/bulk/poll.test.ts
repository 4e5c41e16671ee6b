import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '#testing/collections.ts'
import { bringIn } from '#testing/imports.ts'
import { aUser } from '#testing/people.ts'
import { rowsReadOf } from '#testing/plans.ts'
import { world } from '#testing/world.ts'

const lyceum = await world()
lyceum.startCollectionsJobs()

/** Whoever imports asks every second, so what an answer reads must not grow with the errors. */
test('asking for an import reads as many of its errors as it shows, however many there are', async () => {
  const anna = await aUser()
  const { job_id } = await bringIn(anna, Buffer.from('item_key,collection_keys,name\nA,Z,x\n'))
  await lyceum.db.pool`
    insert into collections.job_errors (job_id, level, origin, sheet, row, "column", header, code, message)
    select ${job_id}, level, 'reading', sheet, row, 'A', 'name', 'required', 'name is empty'
      from unnest(array['error', 'warning']) as level, unnest(array['Items', 'Collections', 'items']) as sheet,
           generate_series(1000, 2, -1) as row`
  for (const [path, most] of [
    [`/api/bulk/jobs/${job_id}`, 20],
    [`/api/bulk/jobs?per_page=1`, 20],
  ] as const)
    assert.equal(await rowsReadOf(lyceum.db, 'job_errors', () => call('GET', path, anna)), most, path)
  const { errors } = (await call('GET', `/api/bulk/jobs/${job_id}`, anna)).json()
  assert.deepEqual(
    (errors as { sheet: string; row: number }[]).map(({ sheet, row }) => [sheet, row]).slice(0, 3),
    [
      ['Collections', 2],
      ['Collections', 3],
      ['Collections', 4],
    ],
  )
})
