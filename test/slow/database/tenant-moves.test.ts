import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asSuperuser, testDatabase } from '#testing/database.ts'
import { digestOf, moveTenant, removeTenant, type Step, stepsOf } from '#testing/tenants.ts'
import { world } from '#testing/world.ts'
import type { Cast } from '../../security/powers/cast.ts'
import { collectionsMatrix } from '../../security/powers/collections.ts'
import { learningMatrix } from '../../security/powers/learning.ts'
import type { Matrix } from '../../security/powers/matrix.ts'

const { db, url } = await world()

describe('a tenant moved to another database by the commands of docs/scaling.md', () => {
  test('takes every table of learning and collections that has rows of tenants', async () => {
    const tables = await db.pool<{ name: string }[]>`
      select c.oid::regclass::text as name from pg_class c
       where c.relnamespace = any(array['learning', 'collections']::regnamespace[]) and c.relkind in ('r', 'p') and not c.relispartition
         and c.relname !~ '^(jobs|job_.*|staged_.*|sessions|idempotency_keys)$' order by 1`
    const steps = await stepsOf(db, '')
    assert.deepEqual(
      steps.map(({ table }) => table).toSorted(),
      tables.map(({ name }) => name),
    )
  })

  test('has the same rows of learning there, and none left here', () => moves(learningMatrix, 14))
  test('has the same rows of collections there, and none left here', () => moves(collectionsMatrix, 5))
})

async function moves<Scene extends Cast>(matrix: Matrix<Scene>, tables: number) {
  const { db: other, url: address } = await testDatabase()
  const here = await asSuperuser(url)
  const [moved, stays] = [await aTenant(matrix), await aTenant(matrix)]
  const digests = (steps: Step[]) => Promise.all(steps.map((step) => digestOf(db, step)))
  const [rows, others] = [await digests(moved), await digests(stays)]
  const filled = moved.filter((_, index) => !rows[index]?.startsWith('0 '))
  assert.ok(filled.length >= tables, filled.map(({ table }) => table).join())
  await moveTenant(here, await asSuperuser(address), moved)
  for (const [index, step] of moved.entries()) {
    assert.equal(await digestOf(other, step), rows[index], step.table)
    assert.equal(await digestOf(other, { ...step, rows: 'true' }), rows[index], `${step.table}, all rows`)
  }
  await removeTenant(here, moved)
  for (const digest of await digests(moved)) assert.equal(digest, '0 ')
  assert.deepEqual(await digests(stays), others)
}

/** A tenant with one object of every kind. */
async function aTenant<Scene extends Cast>({ open, rows }: Matrix<Scene>): Promise<Step[]> {
  const scene = await open()
  for (const [, , object] of rows) await object(scene)
  const [site] = await db.pool<{ tenant_id: string }[]>`
    select tenant_id from sso.sites where site_id = ${scene.site.site_id}`
  return stepsOf(db, site?.tenant_id ?? '')
}
