import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import type { Tx } from '#foundation/database/database.ts'
import { endOf, liftImportQuota, uploadCsv } from '#testing/bulk.ts'
import { eventually } from '#testing/eventually.ts'
import { overtaken, untilSomebodyWaits } from '#testing/locks.ts'
import { anAdmin, anOperator, signIn } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'
import { sweep } from '../../operations/retention/retention.ts'

const lyceum = await buildWorld()
await lyceum.startJobs()
const { db } = lyceum

const TOTAL = 1_600
/** An import of four batches of which the second meets an address that somebody is registering at that moment. */
async function anImport(options: Record<string, string> = {}) {
  const admin = await anAdmin({ lyceum })
  await liftImportQuota(admin, lyceum)
  const tag = randomBytes(4).toString('hex')
  const emails = Array.from({ length: TOTAL }, (_, i) => `p${i}-${tag}@example.org`)
  const contested = emails[600] ?? ''
  const upload = async () => {
    const { status, body } = await uploadCsv(admin.headers, `email\n${emails.join('\n')}\n`, {
      lyceum,
      ...options,
    })
    assert.equal(status, 202)
    return body.job_id
  }
  const register = (tx: Tx) => tx`
    insert into sso.users (user_id, environment, email, email_fold, registration_source)
    values (${newId()}, 'production', ${contested}, ${contested}, 'register')`
  const people = async () => {
    const rows =
      await db.pool`select from sso.memberships where site_id = ${admin.site.site_id} and role = 'USER'`
    return rows.length
  }
  return { admin, upload, register, people, emails }
}

/** Runs `act` while the second batch waits; then the registration that it waits for is taken back. */
async function withinTheSecondBatch<T>(register: (tx: Tx) => Promise<unknown>, act: () => Promise<T>) {
  const taken_back = new Error('taken back')
  const { promise, resolve } = Promise.withResolvers<T>()
  await db.pool
    .begin(async (tx) => {
      await register(tx)
      resolve(act())
      await promise
      throw taken_back
    })
    .catch((error: unknown) => assert.equal(error, taken_back))
  return promise
}

async function untilRows(job_id: string, rows: number) {
  await eventually(
    () => db.pool<{ processed_rows: number; is_waiting: boolean }[]>`
      select processed_rows, exists (
               select from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock') as is_waiting
        from sso.bulk_jobs where job_id = ${job_id}`,
    ([job]) => job?.processed_rows === rows && job.is_waiting,
  )
}

async function untilWaiting(number: number) {
  await untilSomebodyWaits(db, number)
}

async function rowsOf(job_id: string) {
  const [job] = await db.pool<{ processed_rows: number }[]>`
    select processed_rows from sso.bulk_jobs where job_id = ${job_id}`
  return job?.processed_rows
}

describe('an import under way', () => {
  test('rechecks an address taken during the insert, and counts once', async () => {
    for (const [on_conflict, counts] of [
      ['skip', [TOTAL - 1, 1, 0]],
      ['error', [TOTAL - 1, 0, 1]],
      ['update', [TOTAL - 1, 0, 1]],
    ] as const) {
      const { admin, upload, register, people } = await anImport({ on_conflict })
      const job_id = await overtaken(db, register, upload)
      const job = await endOf(admin.headers, job_id, lyceum)
      assert.deepEqual([job['success_count'], job['skipped_count'], job['error_count']], counts)
      assert.equal(job['processed_rows'], TOTAL)
      assert.equal(await people(), TOTAL - 1)
    }
  })

  test('applies no record after its cancellation was answered', async () => {
    const { admin, upload, register, people } = await anImport()
    const canceled = await withinTheSecondBatch(register, async () => {
      const job_id = await upload()
      await untilRows(job_id, 500)
      const reply = lyceum.sso.inject({
        method: 'POST',
        url: `/api/v1/bulk/jobs/${job_id}/cancel`,
        headers: admin.headers,
      })
      return { job_id, reply }
    })
    const reply = await canceled.reply
    assert.equal(reply.statusCode, 200)
    const asked = reply.json()
    assert.deepEqual([asked.status, asked.cancel_requested], ['processing', true])
    // The answer waits for the second batch; on a busy machine the third one may lock the row before it.
    const applied = asked.processed_rows
    assert.ok(applied >= 1_000 && applied < TOTAL, `${applied} rows`)
    const job = await endOf(admin.headers, canceled.job_id, lyceum)
    assert.deepEqual(
      [job['status'], job['processed_rows'], job['success_count'], job['total_rows']],
      ['canceled', applied, applied, TOTAL],
    )
    assert.equal(await people(), applied)
  })

  test('stops when the uploader is no longer ADMIN', async () => {
    const { admin, upload, register, people } = await anImport()
    const job_id = await withinTheSecondBatch(register, async () => {
      const uploaded = await upload()
      await untilRows(uploaded, 500)
      await db.pool`
        update sso.memberships set suspended_at = clock_timestamp()
         where user_id = ${admin.user_id} and site_id = ${admin.site.site_id}`
      return uploaded
    })
    const [job] = await eventually(
      () => db.pool`
        select status, failure, processed_rows from sso.bulk_jobs
         where job_id = ${job_id} and finished_at is not null`,
      (ended) => ended.length > 0,
    )
    assert.deepEqual({ ...job }, { status: 'failed', failure: 'not_admin', processed_rows: 1_000 })
    assert.equal(await people(), 1_000)
  })

  test('finishes its batch before its site closes or uploader is erased', async () => {
    for (const takeAway of ['site', 'uploader'] as const) {
      const { admin, upload, register } = await anImport()
      const operator = await anOperator(lyceum)
      const self = await signIn(admin, { lyceum })
      const { job_id, answered } = await withinTheSecondBatch(register, async () => {
        const uploaded = await upload()
        await untilRows(uploaded, 500)
        const answer = lyceum.sso
          .inject(
            takeAway === 'site'
              ? { method: 'DELETE', url: `/api/v1/sites/${admin.site.site_id}`, headers: operator.headers }
              : { method: 'DELETE', url: `/api/v1/users/${admin.user_id}`, headers: self.headers },
          )
          .then(async ({ statusCode }) => ({ statusCode, rows: await rowsOf(uploaded) }))
        await Promise.race([answer, untilWaiting(2)])
        return { job_id: uploaded, answered: answer }
      })
      const { statusCode, rows = 0 } = await answered
      assert.equal(statusCode, 204, takeAway)
      // The answer waits for the second batch; on a busy machine the third one may lock the row before it.
      assert.ok(rows >= 1_000 && rows < TOTAL, `${takeAway}: ${rows} rows`)
      const [job] = await eventually(
        () => db.pool`
          select status, failure, processed_rows from sso.bulk_jobs
           where job_id = ${job_id} and finished_at is not null`,
        (ended) => ended.length > 0,
      )
      assert.deepEqual({ ...job }, { status: 'failed', failure: 'not_admin', processed_rows: rows })
    }
  })

  test('never restores people erased since the upload', async () => {
    for (const [on_conflict, counts] of [
      ['skip', [TOTAL - 2, 2, 0]],
      ['error', [TOTAL - 2, 0, 2]],
      ['update', [TOTAL - 2, 0, 2]],
    ] as const) {
      const { admin, upload, emails } = await anImport({ on_conflict })
      const site = admin.site
      const [gone, back] = [emails[1_400] ?? '', emails[1_500] ?? '']
      const people = [gone, back].map((email) => ({ email, password: 'correct horse 1' }))
      for (const payload of people)
        await lyceum.sso.inject({
          method: 'POST',
          url: '/api/v1/auth/register',
          headers: site.headers,
          payload,
        })
      const accounts = await Promise.all(people.map((person) => signIn(person, { at: site, lyceum })))
      const job_id = await upload()
      await db.transaction(async (tx) => {
        // Every batch begins with this row, and holds nothing yet that an erasure wants.
        await tx`select from foundation.jobs where job_id = ${job_id} for update`
        for (const { user_id } of accounts) {
          const reply = await lyceum.sso.inject({
            method: 'DELETE',
            url: `/api/v1/users/${user_id}`,
            headers: admin.headers,
          })
          assert.equal(reply.statusCode, 204)
        }
        // One of them wants an account again, which is theirs alone and not the file's to change.
        const again = { method: 'POST', url: '/api/v1/auth/register', headers: site.headers } as const
        assert.equal((await lyceum.sso.inject({ ...again, payload: people[1] ?? {} })).statusCode, 201)
      })
      const job = await endOf(admin.headers, job_id, lyceum)
      assert.deepEqual([job['success_count'], job['skipped_count'], job['error_count']], counts, on_conflict)
      const known = await db.pool<{ email: string }[]>`
        select email from sso.users where email = any(${[gone, back]})`
      assert.deepEqual(
        known.map(({ email }) => email),
        [back],
      )
      await sweep({ database: db }, 'bulk_erased')
      assert.equal((await db.pool`select from sso.bulk_erased where job_id = ${job_id}`).length, 0)
    }
  })

  test('resumes after its lease passed on, without repeating rows', async () => {
    const { admin, upload, register, people } = await anImport()
    const job_id = await withinTheSecondBatch(register, async () => {
      const uploaded = await upload()
      await untilRows(uploaded, 500)
      return uploaded
    })
    // Whoever holds it now is told so by the next batch; the lease itself has run out.
    await db.pool`
      update foundation.jobs set lease_token = gen_random_uuid(), lease_until = clock_timestamp()
       where job_id = ${job_id} and state = 'pending'`
    const job = await endOf(admin.headers, job_id, lyceum)
    assert.deepEqual([job['status'], job['success_count']], ['completed', TOTAL])
    assert.equal(await people(), TOTAL)
  })
})
