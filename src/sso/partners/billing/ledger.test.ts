import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { anAdmin, anOperator, aSite, aUser, type Person, signIn, type TestSite } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'
import { closeMonths } from './close.ts'

const lyceum = await buildWorld()
const { db, sso } = lyceum

const anEmail = () => `billed-${randomBytes(6).toString('hex')}@example.org`
const PASSWORD = 'correct horse staple 9'

const register = (site: TestSite, email: string) =>
  sso.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    headers: site.headers,
    payload: { email, password: PASSWORD },
  })
async function registered(site: TestSite, email = anEmail()) {
  const reply = await register(site, email)
  assert.equal(reply.statusCode, 201, reply.body)
  return { email, password: PASSWORD, user_id: reply.json().user_id as string }
}
const create = (site: TestSite & { owner: Person }, email: string) =>
  sso.inject({
    method: 'POST',
    url: '/api/v1/users',
    headers: site.owner.headers,
    payload: { email, site_code: site.site_code },
  })
const remove = ({ user_id }: Pick<Person, 'user_id'>, { owner: { headers } }: { owner: Person }) =>
  sso.inject({ method: 'DELETE', url: `/api/v1/users/${user_id}`, headers })

type Usage = {
  registrations: number
  amount: number
  period_start: string
  period_end: string
  status: string
}
/** The usage orders of a site as its ADMIN reads them, the oldest first. */
async function usageOf(site: TestSite & { owner: Person }): Promise<Usage[]> {
  const reply = await sso.inject({
    url: `/api/v1/payments/orders?kind=registration_usage&site_code=${site.site_code}&per_page=100`,
    headers: site.owner.headers,
  })
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json().items.toSorted((a: Usage, b: Usage) => (a.period_start < b.period_start ? -1 : 1))
}
const amountsOf = async (site: TestSite & { owner: Person }) =>
  (await usageOf(site)).map(({ registrations, amount }) => [registrations, amount])

/** The clock of billing moves on by a month: everything that was billed lies a month further back. */
async function nextMonth() {
  await db.transaction(async (tx) => {
    // The oldest first, as each of them takes the place of the one before.
    const months = await tx<{ month: string }[]>`select distinct month from sso.billing_ledger order by month`
    for (const { month } of months) {
      await tx`
        update sso.orders set period_start = ${month}::timestamptz - interval '1 month', period_end = ${month}
         where period_start = ${month}`
      await tx`
        update sso.billing_ledger set month = ${month}::timestamptz - interval '1 month' where month = ${month}`
    }
  })
}

/** So many registrations of this month as if they had come in one by one. */
async function billed(site: TestSite, count: number) {
  await db.pool`
    insert into sso.billing_ledger (user_id, site_id, month, email_hmac)
    select gen_random_uuid(), ${site.site_id}, date_trunc('month', clock_timestamp(), 'UTC'),
           sha256(convert_to(n::text, 'UTF8'))
      from generate_series(1, ${count}) as n`
  await db.pool`
    insert into sso.orders (order_id, site_id, kind, amount, period_start, period_end, registrations)
    select ${newId()}, ${site.site_id}, 'registration_usage', least(5 * ${count}::int, 49900), month,
           month + interval '1 month', ${count}
      from (select date_trunc('month', clock_timestamp(), 'UTC') as month) as this`
}

describe('a registration', () => {
  test('costs five cents in production, by anybody', async () => {
    const site = await aSite({ lyceum })
    await registered(site)
    assert.equal((await create(site, anEmail())).statusCode, 201)
    const [usage, ...more] = await usageOf(site)
    assert.deepEqual(more, [])
    assert.deepEqual([usage?.registrations, usage?.amount, usage?.status], [2, 10, 'pending'])
    assert.match(usage?.period_start ?? '', /^\d{4}-\d\d-01T00:00:00\.000Z$/)
    assert.match(usage?.period_end ?? '', /^\d{4}-\d\d-01T00:00:00\.000Z$/)
  })

  test('costs 49895 cents as 9979th, 49900 from the 9980th on', async () => {
    const site = await aSite({ lyceum })
    await billed(site, 9_978)
    const amounts = []
    for (let n = 0; n < 3; n++) {
      await registered(site)
      amounts.push(...(await amountsOf(site)))
    }
    assert.deepEqual(amounts, [
      [9_979, 49_895],
      [9_980, 49_900],
      [9_981, 49_900],
    ])
  })

  test('costs as usual when its address was billed to another', async () => {
    const site = await aSite({ lyceum })
    const email = anEmail()
    const first = await signIn(await registered(site, email), { at: site, lyceum })
    const renamed = await sso.inject({
      method: 'PATCH',
      url: `/api/v1/users/${first.user_id}`,
      headers: site.owner.headers,
      payload: { email: anEmail() },
    })
    assert.equal(renamed.statusCode, 200, renamed.body)
    const second = await signIn(await registered(site, email), { at: site, lyceum })
    assert.deepEqual(await amountsOf(site), [[2, 10]])
    assert.equal((await remove(second, site)).statusCode, 204)
    await registered(site, email)
    assert.deepEqual(await amountsOf(site), [[2, 10]])
  })

  test('counts fifty different addresses as fifty, equal ones as one', async () => {
    const [site, other] = [await aSite({ lyceum }), await aSite({ lyceum })]
    await Promise.all(Array.from({ length: 50 }, () => registered(site)))
    const email = anEmail()
    const replies = await Promise.all(Array.from({ length: 50 }, () => register(other, email)))
    assert.equal(replies.filter(({ statusCode }) => statusCode === 201).length, 1)
    assert.deepEqual([await amountsOf(site), await amountsOf(other)], [[[50, 250]], [[1, 5]]])
  })

  test('is free in the sandbox, as are further memberships', async () => {
    const [sandbox, site, second] = [
      await aSite({ environment: 'sandbox', lyceum }),
      await aSite({ lyceum }),
      await aSite({ lyceum }),
    ]
    await registered(sandbox)
    await signIn(await registered(site), { at: second, lyceum })
    assert.deepEqual([await amountsOf(sandbox), await amountsOf(second)], [[], []])
    assert.deepEqual(await amountsOf(site), [[1, 5]])
  })

  test('bills a deleted address again only in another month', async () => {
    const site = await aSite({ lyceum })
    const email = anEmail()
    for (let n = 0; n < 3; n++) {
      const account = await registered(site, n === 1 ? email.toUpperCase() : email)
      const gone = await remove(account, site)
      assert.equal(gone.statusCode, 204)
    }
    assert.deepEqual(await amountsOf(site), [[1, 5]])
    await nextMonth()
    await registered(site, email)
    assert.deepEqual(await amountsOf(site), [
      [1, 5],
      [1, 5],
    ])
  })

  test('bills nothing when rolled back', async () => {
    const site = await aSite({ lyceum })
    const { email } = await registered(site)
    assert.equal((await register(site, email)).statusCode, 409)
    assert.equal((await create(site, email)).statusCode, 409)
    assert.equal((await register(site, 'no address')).statusCode, 422)
    assert.deepEqual(await amountsOf(site), [[1, 5]])
  })

  test('stores no readable address', async () => {
    const site = await aSite({ lyceum })
    const { email, user_id } = await registered(site)
    const [row] = await db.pool<{ text: string; email_hmac: Buffer }[]>`
      select l::text as text, email_hmac from sso.billing_ledger l where user_id = ${user_id}`
    assert.ok(row && !row.text.includes(email))
    assert.ok(!row.text.includes(Buffer.from(email).toString('hex')))
    assert.equal(row.email_hmac.length, 32)
  })
})

describe('a month', () => {
  /** The end of the month of a site lies so many minutes back. */
  const endAt = (site: TestSite, minutes: number) => db.pool`
    update sso.orders set period_end = clock_timestamp() - make_interval(mins => ${minutes})
     where site_id = ${site.site_id} and kind = 'registration_usage'`

  const transition = async (site: TestSite & { owner: Person }, status: string) => {
    const [order] = await usageOf(site)
    const { order_id } = order as unknown as { order_id: string }
    const { headers } = await anOperator(lyceum)
    const url = `/api/v1/admin/orders/${order_id}/transition`
    return sso.inject({ method: 'POST', url, headers, payload: { status } })
  }

  test('closes an hour after its end, and is payable then', async () => {
    const site = await aSite({ lyceum })
    await registered(site)
    await endAt(site, 59)
    await closeMonths(db)
    const early = await transition(site, 'paid')
    assert.deepEqual([early.statusCode, early.json().code], [409, 'period_open'])
    await endAt(site, 60)
    await Promise.all([closeMonths(db), closeMonths(db), closeMonths(db)])
    assert.equal((await transition(site, 'paid')).statusCode, 200)
  })

  test('shows the closed ledger and refuses late registrations', async () => {
    const site = await aSite({ lyceum })
    await registered(site)
    await registered(site)
    await db.pool`update sso.orders set registrations = 7, amount = 35 where site_id = ${site.site_id}`
    await endAt(site, 61)
    await closeMonths(db)
    assert.deepEqual(await amountsOf(site), [[2, 10]])
    // As if the transaction had begun in the month and taken more than an hour.
    const late = await register(site, anEmail())
    assert.deepEqual([late.statusCode, late.json().code], [503, 'busy'])
    assert.deepEqual(await amountsOf(site), [[2, 10]])
  })

  test('begins and ends at midnight UTC', async () => {
    const [row] = await db.pool<{ before: string; after: string; next: string }[]>`
      select date_trunc('month', '2026-03-01T00:59:59+01'::timestamptz, 'UTC') as before,
             date_trunc('month', '2026-02-28T19:00:00-05'::timestamptz, 'UTC') as after,
             date_trunc('month', '2026-02-28T19:00:00-05'::timestamptz, 'UTC') + interval '1 month' as next`
    assert.deepEqual(
      { ...row },
      {
        before: '2026-02-01T00:00:00.000Z',
        after: '2026-03-01T00:00:00.000Z',
        next: '2026-04-01T00:00:00.000Z',
      },
    )
    const site = await aSite({ lyceum })
    await registered(site)
    const [usage] = await usageOf(site)
    const now = new Date()
    const month = (n: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + n)).toISOString()
    assert.deepEqual([usage?.period_start, usage?.period_end], [month(0), month(1)])
  })
})

describe('the ledger', () => {
  /** Numbers from 0 to n-1 that are the same for the same seed. */
  const dice = (seed: number) => (n: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * n)
  }

  for (const seed of [1, 2, 3])
    test(`is min(5 cents per address, 499.00) monthly per site, seed ${seed}`, async () => {
      const roll = dice(seed)
      const sites = [
        await aSite({ lyceum }),
        await aSite({ lyceum }),
        await aSite({ environment: 'sandbox', lyceum }),
      ]
      const production = sites.slice(0, 2)
      // The second one begins just below its cap.
      if (production[1]) await billed(production[1], 9_970)
      const emails = Array.from({ length: 24 }, anEmail)
      const accounts = new Map<string, Person>()
      /** Addresses that were billed, by month and site. */
      const months: Set<string>[][] = [sites.map(() => new Set<string>())]
      const offset = (place: number, month: number) => (place === 1 && month === 0 ? 9_970 : 0)

      for (let round = 0; round < 14; round++) {
        const busy = new Set<string>()
        const acts = Array.from({ length: 5 }, async () => {
          const [place, email, kind] = [roll(sites.length), emails[roll(emails.length)], roll(5)]
          const site = sites[place]
          if (!site || !email || busy.has(email)) return
          busy.add(email)
          // One address is one person per environment.
          const name = `${site.environment} ${email}`
          const known = accounts.get(name)
          if (kind === 0 && known) {
            assert.equal(
              (await remove(known, sites.find(({ site_code }) => site_code === known.site_code) ?? site))
                .statusCode,
              204,
            )
            accounts.delete(name)
            return
          }
          // Some clients send the same thing again before they are answered.
          const replies = await Promise.all(
            Array.from({ length: 1 + roll(3) }, () =>
              kind === 1 ? create(site, email) : register(site, email),
            ),
          )
          const made = replies.find(({ statusCode }) => statusCode === 201)
          assert.equal(made === undefined, known !== undefined, replies.map(({ body }) => body).join())
          if (!made || known) return
          months.at(-1)?.[place]?.add(email)
          accounts.set(name, await personOf(site, email, made.json().user_id, kind === 1))
        })
        await Promise.all([...acts, closeMonths(db)])
        if (round % 5 === 4) {
          await nextMonth()
          months.push(sites.map(() => new Set<string>()))
          await Promise.all([closeMonths(db), closeMonths(db)])
        }
      }

      for (const [place, site] of sites.entries()) {
        const expected = months
          .map((month, number) => (month[place]?.size ?? 0) + offset(place, number))
          .filter((count) => count > 0 && site.environment === 'production')
          .map((count) => [count, Math.min(5 * count, 49_900)])
        assert.deepEqual(await amountsOf(site), expected)
      }
      assert.ok(months.flat().reduce((sum, { size }) => sum + size, 0) > 10)
    })

  /** Somebody who can delete the account: themselves, or the ADMIN who made it. */
  async function personOf(
    site: TestSite & { owner: Person },
    email: string,
    user_id: string,
    byAdmin: boolean,
  ) {
    if (byAdmin) return { ...site.owner, user_id }
    return signIn({ email, password: PASSWORD }, { at: site, lyceum })
  }

  test('is readable by the ADMIN of the site only', async () => {
    const [site, stranger] = [await aSite({ lyceum }), await anAdmin({ lyceum })]
    const anna = await aUser({ at: site, lyceum })
    for (const { headers } of [anna, stranger]) {
      const reply = await sso.inject({ url: '/api/v1/payments/orders', headers })
      assert.ok(!reply.body.includes(site.site_id))
    }
  })
})
