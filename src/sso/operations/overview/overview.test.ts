import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { noteBackup } from '#foundation/backup/dump.ts'
import { formOf } from '#testing/books.ts'
import { eventually } from '#testing/eventually.ts'
import { aColleague, anAdmin, anOperator, aUser, type Headers, signIn } from '#testing/people.ts'
import { aPartner, startEngine } from '#testing/webhooks.ts'
import { addTotp } from '#testing/mfa.ts'
import { buildWorld, type World } from '#testing/world.ts'

let lyceum: World
before(async () => {
  lyceum = await buildWorld()
})

type Hour = { hour: string; succeeded: number; failed: number }
const read = (headers: Headers, query = '') =>
  lyceum.sso.inject({ url: `/api/v1/console/figures${query}`, headers })

/** The counts of all hours together: a test may run across the full hour. */
const sums = (hours: readonly Hour[]) => ({
  succeeded: hours.reduce((sum, { succeeded }) => sum + succeeded, 0),
  failed: hours.reduce((sum, { failed }) => sum + failed, 0),
})

/** An ADMIN who has signed in at their site once. */
async function watched() {
  const admin = await anAdmin({ lyceum })
  const signIns = async (headers = admin.headers, query = `?site_code=${admin.site.site_code}`) => {
    const reply = await read(headers, query)
    assert.equal(reply.statusCode, 200, reply.body)
    return sums(reply.json().sign_ins)
  }
  return { ...admin, signIns }
}

const fail = async ({ email, site }: Awaited<ReturnType<typeof watched>>) => {
  const payload = { email, password: 'not this one' }
  const reply = await lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    headers: site.headers,
    payload,
  })
  assert.equal(reply.statusCode, 401, reply.body)
}

describe('GET /api/v1/console/figures', () => {
  test('counts sign-ins and failures of the own site only', async () => {
    const [admin, other] = [await watched(), await watched()]
    const [before, elsewhere] = [await admin.signIns(), await other.signIns()]
    for (let i = 0; i < 3; i++) await signIn(admin, { at: admin.site, lyceum })
    await fail(admin)
    const after = await admin.signIns()
    assert.deepEqual(after, { succeeded: before.succeeded + 3, failed: before.failed + 1 })
    assert.deepEqual(await other.signIns(), elsewhere)
    const refused = await read(other.headers, `?site_code=${admin.site.site_code}`)
    assert.equal(refused.statusCode, 404, refused.body)
  })

  test('shows an operator all sites, and everybody 24 hours in order', async () => {
    const operator = await anOperator(lyceum)
    const admin = await watched()
    const before = await admin.signIns(operator.headers, '')
    await signIn(admin, { at: admin.site, lyceum })
    await fail(admin)
    const reply = await read(operator.headers)
    const hours: Hour[] = reply.json().sign_ins
    assert.deepEqual(sums(hours), { succeeded: before.succeeded + 1, failed: before.failed + 1 })
    const times = hours.map(({ hour }) => Date.parse(hour))
    assert.equal(times.length, 24)
    assert.deepEqual(new Set(times.slice(1).map((time, i) => time - (times[i] ?? 0))), new Set([3_600_000]))
  })

  test('leaves out what is older than a day', async () => {
    const admin = await watched()
    await signIn(admin, { at: admin.site, lyceum })
    await lyceum.db.pool`
      update sso.audit_log set occurred_at = occurred_at - interval '25 h' where site_id = ${admin.site.site_id}`
    assert.deepEqual(await admin.signIns(), { succeeded: 0, failed: 0 })
  })

  test('counts each person once a day, for fourteen days', async () => {
    const admin = await watched()
    const colleague = await aColleague(admin, lyceum)
    const people = async () => {
      const reply = await read(admin.headers, `?site_code=${admin.site.site_code}`)
      return (reply.json().active_people as { day: string; people: number }[]).map((one) => one.people)
    }
    for (const person of [admin, admin, colleague]) await signIn(person, { at: admin.site, lyceum })
    const days = await people()
    assert.equal(days.length, 14)
    assert.equal(
      days.reduce((sum, one) => sum + one),
      2,
    )
    await lyceum.db.pool`
      update sso.audit_log set occurred_at = occurred_at - interval '3 days' where site_id = ${admin.site.site_id}`
    const later = await people()
    assert.deepEqual([later.at(-1), later.at(-2), later.at(-4)], [0, 0, 2])
  })

  test('says nothing of days before more sign-ins than it looks at', async () => {
    const admin = await watched()
    for (const day of [0, 1])
      await lyceum.db.pool`
        insert into sso.audit_log (audit_id, action, environment, site_id, subject_user_id, occurred_at)
        select gen_random_uuid(), 'login.succeeded', 'production', ${admin.site.site_id}, gen_random_uuid(),
               clock_timestamp() - interval '1 hour' - ${day} * interval '1 day'
          from generate_series(1, 30000)`
    const reply = await read(admin.headers, `?site_code=${admin.site.site_code}`)
    const people = (reply.json().active_people as { people: number | null }[]).map((one) => one.people)
    const known = people.findIndex((one) => one !== null)
    assert.ok(known >= 12, 'the day on which the look back ends is not known whole')
    assert.ok(people.slice(0, known).every((one) => one === null))
    assert.ok(people.includes(30_000) || people.includes(30_001), String(people))
  })

  test('counts all own sites of an ADMIN who names none', async () => {
    const [admin, other] = [await watched(), await watched()]
    const [before, elsewhere] = [await admin.signIns(), await other.signIns()]
    await lyceum.db.pool`
      insert into sso.memberships (user_id, site_id, role, environment, user_created_at)
      select u.user_id, ${other.site.site_id}, 'ADMIN', u.environment, u.created_at
        from sso.users u where u.user_id = ${admin.user_id}`
    const sites = lyceum.firstRun.sites['console']
    assert.ok(sites)
    const at = {
      ...sites,
      site_code: 'console',
      tenant_id: '',
      headers: { 'x-sso-site-key': sites.site_key },
    }
    const { headers } = await signIn(admin, { at, lyceum })
    const sum = await admin.signIns(headers, '')
    assert.deepEqual(sum, { succeeded: before.succeeded + elsewhere.succeeded, failed: 0 })
  })

  test('says how webhooks of the last day arrived and how long they took', async () => {
    await startEngine(lyceum)
    const { owner, site, webhook_id, receiver } = await aPartner(lyceum)
    const other = await watched()
    const url = `/api/v1/webhooks/${webhook_id}/test`
    await lyceum.sso.inject({ method: 'POST', url, headers: owner.headers })
    const webhooks = async ({ headers }: { headers: Headers }, site_code: string) =>
      (await read(headers, `?site_code=${site_code}`)).json().webhooks
    await eventually(async () => {
      const found = await webhooks(owner, site.site_code)
      return receiver.requests.length > 0 && found.waiting === 0 && found.delivered > 0
    })
    const { failed, lag_ms } = await webhooks(owner, site.site_code)
    assert.equal(failed, 0)
    assert.ok(lag_ms > 0 && lag_ms < 60_000, String(lag_ms))
    const none = { delivered: 0, failed: 0, waiting: 0, lag_ms: null }
    assert.deepEqual(await webhooks(other, other.site.site_code), none)
    await lyceum.db.pool`
      update sso.webhook_deliveries set created_at = created_at - interval '25 h' where site_id = ${site.site_id}`
    assert.deepEqual(await webhooks(owner, site.site_code), none)
  })

  test('counts open orders and jobs under way of the site', async () => {
    const [operator, admin, other] = [await anOperator(lyceum), await watched(), await watched()]
    const { site_code } = admin.site
    const ask = (url: string, { headers }: { headers: Headers }, payload: object) =>
      lyceum.sso.inject({ method: 'POST', url, headers, payload })
    const ordered = await ask('/api/v1/admin/orders', operator, { site_code, plan: 'business', amount: 100 })
    const paid = await ask('/api/v1/admin/orders', operator, { site_code, plan: 'starter', amount: 100 })
    assert.deepEqual([ordered.statusCode, paid.statusCode], [201, 201], paid.body)
    const transition = `/api/v1/admin/orders/${paid.json().order_id}/transition`
    assert.equal((await ask(transition, operator, { status: 'paid' })).statusCode, 200)
    const { payload, headers } = formOf(Buffer.from('email\nnew@example.org\n'), { site_code }, 'people.csv')
    const imported = await ask(
      '/api/v1/bulk/register',
      { headers: { ...admin.headers, ...headers } },
      payload,
    )
    assert.equal(imported.statusCode, 202, imported.body)

    const waiting = async (person: typeof admin) => {
      const reply = await read(person.headers, `?site_code=${person.site.site_code}`)
      const { open_orders, jobs_under_way } = reply.json()
      return { open_orders, jobs_under_way }
    }
    assert.deepEqual(await waiting(admin), { open_orders: 1, jobs_under_way: 1 })
    assert.deepEqual(await waiting(other), { open_orders: 0, jobs_under_way: 0 })
  })

  test('refuses a person who is no ADMIN', async () => {
    const person = await aUser({ lyceum })
    assert.equal((await read(person.headers)).statusCode, 403)
    assert.equal((await read({})).statusCode, 401)
  })
})

describe('GET /api/v1/console/sites', () => {
  const names = async (headers: Headers, q = '') => {
    const reply = await lyceum.sso.inject({
      url: `/api/v1/console/sites?q=${encodeURIComponent(q)}`,
      headers,
    })
    assert.equal(reply.statusCode, 200, reply.body)
    return (reply.json().items as { site_code: string }[]).map(({ site_code }) => site_code)
  }

  test('finds the own sites by a part of their name or code, and an operator all', async () => {
    const [admin, other, operator] = [await watched(), await watched(), await anOperator(lyceum)]
    const name = `Évora 100% Music_${admin.user_id.slice(-6)}`
    await lyceum.db.pool`update sso.sites set name = ${name} where site_id = ${admin.site.site_id}`
    const { site_code } = admin.site
    for (const q of ['', 'music_', '100%', site_code]) {
      assert.deepEqual(await names(admin.headers, q), [site_code], q)
      assert.equal((await names(operator.headers, q)).includes(site_code), true, q)
      assert.equal((await names(other.headers, q)).includes(site_code), false, q)
    }
    assert.deepEqual(await names(operator.headers, '100_ Music'), [])
  })

  test('finds none for a person who is no ADMIN, and refuses nobody', async () => {
    assert.deepEqual(await names((await aUser({ lyceum })).headers), [])
    assert.equal((await lyceum.sso.inject({ url: '/api/v1/console/sites' })).statusCode, 401)
  })
})

describe('GET /api/v1/console/checklist', () => {
  const ask = (headers: Headers, at = lyceum) => at.sso.inject({ url: '/api/v1/console/checklist', headers })

  test('ticks what is done', async () => {
    const fresh = await buildWorld()
    const operator = await anOperator(fresh)
    const none = { mail_server: false, public_address: true, backup: false }
    assert.deepEqual((await ask(operator.headers, fresh)).json(), {
      ...none,
      second_factor: false,
      first_site: false,
    })
    await anAdmin({ lyceum: fresh })
    await addTotp(operator, fresh)
    assert.deepEqual((await ask(operator.headers, fresh)).json(), {
      ...none,
      second_factor: true,
      first_site: true,
    })
    const settings = {
      SMTP_URL: 'smtp://127.0.0.1:9',
      SSO_URL: 'http://127.0.0.1:39998',
    }
    const set = await buildWorld({ env: settings })
    await noteBackup(set.url, new Date().toISOString())
    assert.deepEqual((await ask((await anOperator(set)).headers, set)).json(), {
      mail_server: true,
      public_address: true,
      backup: true,
      second_factor: false,
      first_site: false,
    })
  })

  test('is for operators', async () => {
    const admin = await anAdmin({ lyceum })
    assert.equal((await ask(admin.headers)).statusCode, 403)
    assert.equal((await ask({})).statusCode, 401)
  })
})
