import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { aSite, signIn, type Headers } from '#testing/people.ts'
import { explainGeneric, nodesOf, statementsOf } from '#testing/plans.ts'
import { buildWorld, type World } from '#testing/world.ts'

const MEMBERS = 5_050
const OTHERS = 5_200

/** Members stand among the others by e-mail, and behind all of them by name. */
describe('the people of a large site', () => {
  let lyceum: World
  let headers: Headers
  let site_id: string
  before(async () => {
    lyceum = await buildWorld()
    const { owner, ...site } = await aSite({ lyceum })
    site_id = site.site_id
    headers = (await signIn(owner, { at: site, lyceum })).headers
    await lyceum.db.pool`
      with made as (
        insert into sso.users (user_id, environment, email, email_fold, display_name, registration_source)
        select gen_random_uuid(), 'production', address, address, case when n <= ${MEMBERS} then 'Z' else 'A' end || n / 2, 'register'
          from generate_series(1, ${MEMBERS + OTHERS}::int) as n, lateral (select md5(n::text) || '@example.org' as address) as mail
        returning user_id, display_name)
      insert into sso.memberships (user_id, site_id, role)
      select user_id, ${site_id}, 'USER' from made where display_name like 'Z%'`
    await lyceum.db.pool`analyze sso.users, sso.memberships`
  })

  const list = async (query: string) => {
    const reply = await lyceum.sso.inject({ url: `/api/v1/users?${query}`, headers })
    assert.equal(reply.statusCode, 200, reply.body)
    const { items, ...rest } = reply.json()
    return { ...rest, ids: items.map(({ user_id }: { user_id: string }) => user_id) }
  }
  /** Whether the list joined all members. */
  const isSorted = async (query: string) => {
    const statements = await statementsOf(lyceum.db, () => list(query))
    const plans = await Promise.all(statements.map((statement) => explainGeneric(lyceum.db, statement)))
    const nodes = plans.flatMap(({ Plan }) => nodesOf(Plan))
    const members = nodes.filter(
      (node) => node['Relation Name'] === 'memberships' && node.Alias?.startsWith('here'),
    )
    return members.some((node) => node['Actual Rows'] * node['Actual Loops'] > MEMBERS / 2)
  }

  for (const sort of ['email', '-email', 'display_name', '-display_name'])
    test(`are the same by page, by cursor and in SQL, sorted by ${sort}`, async () => {
      const { pool } = lyceum.db
      const key = sort.endsWith('email') ? pool`u.email_fold` : pool`u.display_name_fold`
      const direction = sort.startsWith('-') ? pool`desc` : pool`asc`
      const people = await pool<{ user_id: string }[]>`
        select u.user_id from sso.memberships here join sso.users u using (user_id) where here.site_id = ${site_id}
         order by ${key} ${direction}, u.user_id ${direction}`
      const expected = people.map(({ user_id }) => user_id)
      assert.equal(expected.length, MEMBERS + 1)
      const walked = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page = await list(`sort=${sort}&per_page=100${cursor && `&cursor=${cursor}`}`)
        assert.equal(page.total, expected.length)
        walked.push(...page.ids)
        cursor = page.next_cursor
      }
      assert.deepEqual(walked, expected)
      for (const page of [1, 2, 20, 21, 22])
        assert.deepEqual(
          (await list(`sort=${sort}&per_page=100&page=${page}`)).ids,
          expected.slice((page - 1) * 100, page * 100),
        )
    })

  test('are found in the order of an index, or sorted where too many others come first', async () => {
    assert.equal(await isSorted('sort=email'), false)
    assert.equal(await isSorted('sort=-display_name'), false)
    assert.equal(await isSorted('sort=display_name'), true)
    assert.equal(await isSorted('sort=email&page=300'), true)
  })

  test('are all listed where the account of one is of the sandbox', async () => {
    const [tester] = await lyceum.db.pool<{ user_id: string }[]>`
      with made as (
        insert into sso.users (user_id, environment, email, email_fold, registration_source)
        values (gen_random_uuid(), 'sandbox', '0', '0', 'register') returning user_id)
      insert into sso.memberships (user_id, site_id, role) select user_id, ${site_id}, 'USER' from made returning user_id`
    const { ids, total } = await list('sort=email')
    assert.deepEqual([ids[0], total], [tester?.user_id, MEMBERS + 2])
  })
})
