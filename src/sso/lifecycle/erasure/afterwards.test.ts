import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createSso } from '#sso'
import { newId } from '#foundation/ids.ts'
import { startRunner } from '#foundation/jobs/runner.ts'
import { createMetrics } from '#foundation/metrics.ts'
import { eventually } from '#testing/eventually.ts'
import { anAdmin, aSite, aUser, type Person, signIn } from '#testing/people.ts'
import { aPartner } from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'
import { openBody } from '../../core/messages/queue.ts'
import { erasureJobs } from './afterwards.ts'
import { eraseAgain } from './again.ts'
import { readErasures } from './list-file.ts'
import { measureErasures } from './metrics.ts'

const lyceum = await buildWorld()
const { db, sso, dataDir } = lyceum
const { parts } = lyceum
const listFile = join(dataDir, 'erasures.jsonl')

async function erase({ user_id, headers }: Person, at: World = lyceum, payload?: object) {
  const url = `/api/v1/users/${user_id}`
  const reply = await at.sso.inject({ method: 'DELETE', url, headers, ...(payload && { payload }) })
  assert.equal(reply.statusCode, 204, reply.body)
}

/** Runs what follows erasures until the function that is returned is called. */
function follow(...siblings: ((user_id: string) => Promise<void>)[]) {
  const handlers = erasureJobs({ config: lyceum.parts.config, siblings: () => siblings })
  const runner = startRunner({ db, log: lyceum.parts.log, handlers })
  running.add(runner)
  return () => runner.stop()
}
const running = new Set<ReturnType<typeof startRunner>>()
after(async () => {
  for (const runner of running) await runner.stop()
})

describe('the erasure list beside the database', () => {
  test('gets a private line per erasure with id and reason only', async () => {
    const anna = await aUser({ lyceum })
    const flags = { ccpa_drop_request: true, gdpr_erasure_request: false }
    await erase(anna, lyceum, { reason_code: 'asked_by_phone', compliance_flags: flags })
    const stop = follow()
    await eventually(async () => (await readErasures(dataDir)).erasures.has(anna.user_id))
    await stop()
    const noted = (await readErasures(dataDir)).erasures.get(anna.user_id)
    assert.deepEqual(noted, {
      user_id: anna.user_id,
      environment: 'production',
      reason_code: 'asked_by_phone',
      ...flags,
      erased_at: noted?.erased_at,
    })
    assert.ok(!readFileSync(listFile, 'utf8').includes(anna.email))
    assert.equal(statSync(listFile).mode & 0o777, 0o600)
  })

  test('survives a truncated line and counts duplicates once', async () => {
    const [anna, ben] = [await aUser({ lyceum }), await aUser({ lyceum })]
    const stop = follow()
    await erase(anna)
    await eventually(async () => (await readErasures(dataDir)).erasures.has(anna.user_id))
    appendFileSync(listFile, `{"user_id":"${newId()}","environ`)
    await erase(ben)
    await eventually(async () => (await readErasures(dataDir)).erasures.has(ben.user_id))
    await stop()
    const lines = readFileSync(listFile, 'utf8')
    writeFileSync(listFile, lines + lines)
    const { erasures, unreadable } = await readErasures(dataDir)
    assert.ok(erasures.has(anna.user_id) && erasures.has(ben.user_id))
    assert.equal(unreadable, 2)
  })
})

describe('a restored database', () => {
  /** The person is erased and comes back as a copy from before would bring them; the list knows better. */
  async function aRestored() {
    const site = await aSite({ lyceum })
    const anna = await aUser({ at: site, lyceum })
    const stop = follow()
    await erase({ ...anna, headers: site.owner.headers })
    await eventually(async () => (await readErasures(dataDir)).erasures.has(anna.user_id))
    await stop()
    await db.transaction(async (tx) => {
      await tx`delete from sso.erasures where user_id = ${anna.user_id}`
      await tx`delete from sso.audit_log where subject_user_id = ${anna.user_id} and action = 'user.erased'`
      await tx`
        update sso.users set status = 'active', email = ${anna.email}, email_fold = ${anna.email},
               password_hash = 'x' where user_id = ${anna.user_id}`
      await tx`
        insert into sso.memberships (user_id, site_id, role) values (${anna.user_id}, ${site.site_id}, 'USER')`
    })
    return { anna, site }
  }
  const personOf = async ({ user_id }: Person) => {
    const [row] = await db.pool<{ status: string; email: string | null }[]>`
      select status, email from sso.users where user_id = ${user_id}`
    return row && { ...row }
  }

  test('erases the people of the list again before serving', async () => {
    const { anna, site } = await aRestored()
    const { erasures } = await readErasures(dataDir)
    const second = await createSso(
      { ...lyceum.parts, metrics: createMetrics() },
      { passwords: lyceum.passwords },
    )
    assert.deepEqual(await personOf(anna), { status: 'deleted', email: null })
    await second.close()
    const told = await sso.inject({
      url: `/api/v1/users/erasures?site_code=${site.site_code}`,
      headers: site.owner.headers,
    })
    const [{ sso_subject_id, reason_code, erased_at }] = told.json().items
    assert.deepEqual(
      [sso_subject_id, reason_code, erased_at],
      [anna.user_id, 'admin_erasure', erasures.get(anna.user_id)?.erased_at],
    )
    const audit = await db.pool`
      select actor_user_id from sso.audit_log where subject_user_id = ${anna.user_id} and action = 'user.erased'`
    assert.deepEqual(
      audit.map((line) => line['actor_user_id']),
      [null],
    )
  })

  test('does so once, also under concurrency', async () => {
    const { anna } = await aRestored()
    const again = await Promise.all(Array.from({ length: 10 }, () => eraseAgain(parts)))
    assert.equal(
      again.reduce((sum, people) => sum + people, 0),
      1,
    )
    assert.deepEqual(await personOf(anna), { status: 'deleted', email: null })
    assert.equal(await eraseAgain(parts), 0)
  })

  test('leaves everybody else alone', async () => {
    const { anna } = await aRestored()
    const ben = await aUser({ lyceum })
    await eraseAgain(parts)
    assert.equal((await personOf(anna))?.status, 'deleted')
    assert.equal((await personOf(ben))?.status, 'active')
    await signIn(ben, { lyceum })
  })

  test('restores lost lines of the list', async () => {
    const anna = await aUser({ lyceum })
    await erase(anna)
    writeFileSync(listFile, '')
    await eraseAgain(parts)
    assert.ok((await readErasures(dataDir)).erasures.has(anna.user_id))
    const size = statSync(listFile).size
    await eraseAgain(parts)
    assert.equal(statSync(listFile).size, size)
  })
})

describe('the sibling services', () => {
  test('are notified until done, and again two minutes later', async () => {
    const anna = await aUser({ lyceum })
    const told: string[] = []
    let failures = 1
    const stop = follow(
      async (user_id) => void told.push(`first ${user_id}`),
      async (user_id) => {
        if (user_id === anna.user_id && failures-- > 0) throw new Error('not now')
        told.push(`second ${user_id}`)
      },
    )
    await erase(anna)
    const [first, second] = [`first ${anna.user_id}`, `second ${anna.user_id}`]
    await eventually(() => told.includes(second))
    assert.deepEqual(
      told.filter((line) => line.includes(anna.user_id)),
      [first, first, second],
    )
    const [later] = await db.pool<{ job_id: string; seconds: number }[]>`
      select job_id, extract(epoch from run_at - created_at)::float8 as seconds from foundation.jobs
       where kind = 'erasure.tell_siblings' and payload->'user_ids' ? ${anna.user_id}
       order by run_at desc limit 1`
    assert.ok(later && later.seconds > 115 && later.seconds < 125, String(later?.seconds))
    await db.pool`update foundation.jobs set run_at = clock_timestamp() where job_id = ${later.job_id}`
    await eventually(() => told.filter((line) => line === second).length === 2)
    await stop()
  })

  test('show in the metrics by age while they keep failing', async () => {
    const own = await buildWorld()
    const metrics = createMetrics()
    measureErasures(metrics, own.db)
    const lagOf = async () =>
      Number(/^lyceum_erasure_lag_seconds\{step="tell_siblings"\} (\S+)$/m.exec(await metrics.text())?.[1])
    assert.equal(await lagOf(), 0)
    await erase(await aUser({ lyceum: own }), own)
    await own.db.pool`
      update foundation.jobs set created_at = clock_timestamp() - interval '2 days' where kind like 'erasure.%'`
    assert.ok((await lagOf()) >= 172_800)
  })

  test('learn nothing of an erasure that was rolled back', async () => {
    const admin = await anAdmin({ lyceum })
    const reply = await sso.inject({
      method: 'DELETE',
      url: `/api/v1/users/${admin.user_id}`,
      headers: (await aUser({ lyceum })).headers,
    })
    assert.equal(reply.statusCode, 404)
    const jobs = await db.pool`
      select from foundation.jobs where payload->'user_ids' ? ${admin.user_id} or payload->>'user_id' = ${admin.user_id}`
    assert.equal(jobs.length, 0)
  })
})

describe('a site that does not take user.account.deleted', () => {
  test('has its ADMINs mailed after the last attempt, hourly', async () => {
    const own = await buildWorld()
    await own.startJobs()
    const partner = await aPartner(own, { behave: (socket) => void socket.end('HTTP/1.1 500 No\r\n\r\n') })
    const production = await aSite({ lyceum: own })
    await own.db.pool`
      insert into sso.webhook_endpoints (webhook_id, site_id, url, events, confirmed_at)
      values (${newId()}, ${production.site_id}, 'https://127.0.0.1:1/', '{user.account.deleted}', clock_timestamp())`
    const people = [
      { ...(await aUser({ at: partner.site, lyceum: own })), headers: partner.owner.headers },
      { ...(await aUser({ at: production, lyceum: own })), headers: production.owner.headers },
      { ...(await aUser({ at: production, lyceum: own })), headers: production.owner.headers },
    ]
    for (const [number, person] of people.entries()) {
      await erase(person, own)
      await eventually(async () => {
        await own.db.pool`
          update sso.webhook_deliveries set next_attempt_at = statement_timestamp()
           where state = 'pending' and next_attempt_at > statement_timestamp()`
        const failed = await own.db.pool`
          select from sso.webhook_deliveries where event_type = 'user.account.deleted' and state = 'failed'`
        return failed.length === number + 1
      })
    }
    const letters = await own.db.pool<
      { site_id: string; user_id: string; status: string; recipient: string }[]
    >`
      select site_id, user_id, status, recipient from sso.messages where kind = 'deletion_untold_notice'
       order by status`
    assert.deepEqual(
      letters.map((letter) => ({ ...letter })),
      [
        {
          site_id: partner.site.site_id,
          user_id: partner.owner.user_id,
          status: 'logged',
          recipient: partner.owner.email,
        },
        {
          site_id: production.site_id,
          user_id: production.owner.user_id,
          status: 'queued',
          recipient: production.owner.email,
        },
      ],
    )
    const words = await own.db.pool<{ message_id: string; body_enc: Buffer }[]>`
      select message_id, body_enc from sso.messages
       where kind = 'deletion_untold_notice' and site_id = ${partner.site.site_id}`
    const [letter] = words.map(({ message_id, body_enc }) => openBody(own.parts.keys, message_id, body_enc))
    assert.ok(letter?.text.includes(partner.site.site_code))
    assert.ok(!letter?.text.includes(people[0]?.user_id ?? ''))
  })
})
