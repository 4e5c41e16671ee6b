import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { aColleague, anAdmin, anOperator, aSite, aUser, type Headers, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'

type Item = {
  user_id: string
  email: string
  roles: { site_code: string; role: string }[]
  [field: string]: unknown
}

const unique = () => randomBytes(4).toString('hex')

async function list(headers: Headers, query = '') {
  const { sso } = await world()
  return sso.inject({ url: `/api/v1/users?${query}`, headers })
}
const idsOf = (reply: Awaited<ReturnType<typeof list>>) => {
  assert.equal(reply.statusCode, 200, reply.body)
  return (reply.json().items as Item[]).map(({ user_id }) => user_id)
}

/** An ADMIN whose site has these members beside them, made in this order. */
async function aSchool(names: string[]) {
  const admin = await anAdmin()
  const { sso } = await world()
  const members: Item[] = []
  for (const display_name of names) {
    const reply = await sso.inject({
      method: 'POST',
      url: '/api/v1/users',
      headers: admin.headers,
      payload: { email: `${unique()}@example.org`, display_name },
    })
    assert.equal(reply.statusCode, 201, reply.body)
    members.push(reply.json())
  }
  return { admin, members }
}

describe('GET /api/v1/users', () => {
  test("lists members of the ADMIN's own site, newest first", async () => {
    const { admin, members } = await aSchool(['Anna', 'Ben'])
    const stranger = await aUser()
    const reply = await list(admin.headers)
    assert.deepEqual(idsOf(reply), [members[1]?.user_id, members[0]?.user_id, admin.user_id])
    assert.ok(!reply.body.includes(stranger.user_id))
    const { items, ...envelope } = reply.json()
    assert.deepEqual(envelope, { total: 3, page: 1, per_page: 20, pages: 1, next_cursor: null })
    assert.equal(items[0].member_status, 'active')
    assert.ok(!reply.body.includes('password'))
  })

  test("shows roles on the caller's sites only", async () => {
    const [admin, anna] = [await anAdmin(), await aUser()]
    await signIn(anna, { at: admin.site })
    const { items } = (await list(admin.headers, `email=${anna.email}`)).json()
    assert.deepEqual(
      items.map((user: Item) => user.roles),
      [[{ site_code: admin.site_code, role: 'USER' }]],
    )
  })

  test('shows other callers only themselves, with all roles', async () => {
    const admin = await anAdmin()
    const anna = await aColleague(admin)
    for (const query of ['', `site_code=${admin.site_code}`]) {
      const reply = await list(anna.headers, query)
      assert.deepEqual(idsOf(reply), [anna.user_id])
      assert.equal(reply.json().total, 1)
      assert.equal('member_status' in reply.json().items[0], false)
    }
    assert.deepEqual(idsOf(await list(anna.headers, `email=${admin.email}`)), [])
  })

  test('lists the named site for its ADMIN', async () => {
    const { admin, members } = await aSchool(['Anna'])
    const owner = await signIn(admin)
    assert.deepEqual(idsOf(await list(owner.headers)), [owner.user_id])
    assert.deepEqual(idsOf(await list(owner.headers, `site_code=${admin.site_code}`)), [
      members[0]?.user_id,
      owner.user_id,
    ])
  })

  test('answers foreign and unknown sites alike', async () => {
    const [admin, other] = [await anAdmin(), await aSite()]
    const withoutId = (body: string) => ({ ...JSON.parse(body), request_id: '' })
    const [foreign, unknown] = [
      await list(admin.headers, `site_code=${other.site_code}`),
      await list(admin.headers, 'site_code=no-such-site'),
    ]
    assert.deepEqual([foreign.statusCode, unknown.statusCode], [404, 404])
    assert.deepEqual(withoutId(foreign.body), withoutId(unknown.body))
  })

  test('lists all of production for operators, and sites by code', async () => {
    const [operator, { admin }, sandbox] = [
      await anOperator(),
      await aSchool(['Anna']),
      await aSite({ environment: 'sandbox' }),
    ]
    const tester = await aUser({ at: sandbox })
    const { db } = await world()
    const all = (await list(operator.headers, 'per_page=1')).json()
    const [counted] = await db.pool<{ people: number }[]>`
      select count(*)::int as people from sso.users where environment = 'production' and status <> 'deleted'`
    assert.equal(all.total, counted?.people)
    assert.deepEqual(idsOf(await list(operator.headers, `email=${admin.email}`)), [admin.user_id])
    assert.deepEqual(idsOf(await list(operator.headers, `email=${tester.email}`)), [])
    assert.ok(idsOf(await list(operator.headers, `site_code=${sandbox.site_code}`)).includes(tester.user_id))
  })

  test('hides production managers from a sandbox token, uncounted', async () => {
    const [sandbox, { db }] = [await aSite({ environment: 'sandbox' }), await world()]
    const tester = await aUser({ at: sandbox })
    await db.pool`
      update sso.memberships set role = 'ADMIN' where user_id = ${tester.user_id} and site_id = ${sandbox.site_id}`
    const manager = await signIn(tester, { at: sandbox })
    const reply = await list(manager.headers)
    assert.deepEqual(idsOf(reply), [tester.user_id])
    assert.equal(reply.json().total, 1)
    const fromAbove = await list(sandbox.owner.headers, `site_code=${sandbox.site_code}`)
    assert.deepEqual(idsOf(fromAbove).toSorted(), [tester.user_id, sandbox.owner.user_id].toSorted())
    assert.equal(fromAbove.json().total, 2)
  })

  describe('filters', async () => {
    const { admin, members } = await aSchool(['Anna Schmidt', 'Jörg Müller', '山田太郎'])
    const [anna, joerg, taro] = members
    for (const [query, found] of [
      ['q=anna', [anna]],
      ['q=SCHM%20ann', [anna]],
      ['q=muller', [joerg]],
      ['q=%E7%94%B0', [taro]],
      ['q=nna', []],
      ['q=...', []],
      ["q='%20or%20true--", []],
      ['status=active', [taro, joerg, anna, admin]],
      ['status=suspended', []],
      ['role=ADMIN', [admin]],
      ['role=USER', [taro, joerg, anna]],
      ['role=nobody', []],
      [`created_after=${String(anna?.['created_at'])}`, [taro, joerg]],
      [`email=${anna?.email.toUpperCase()}`, [anna]],
      [`role=USER&q=anna&email=${anna?.email}&status=active`, [anna]],
    ] as [string, (Item | undefined)[]][])
      test(`${query} finds ${found.length}`, async () => {
        const reply = await list(admin.headers, query)
        assert.deepEqual(
          idsOf(reply),
          found.map((user) => user?.user_id),
        )
        assert.equal(reply.json().total, found.length)
      })
  })

  describe('order', async () => {
    const { admin, members } = await aSchool(['Émile', 'emil', 'Zoe', 'anna'])
    const [emile, emil, zoe, anna] = members.map(({ user_id }) => user_id)
    const byEmail = [...members, admin].toSorted((a, b) => (a.email < b.email ? -1 : 1))
    for (const [sort, expected] of [
      ['created_at', [admin.user_id, emile, emil, zoe, anna]],
      ['-created_at', [anna, zoe, emil, emile, admin.user_id]],
      ['display_name', [admin.user_id, anna, emil, emile, zoe]],
      ['-display_name', [zoe, emile, emil, anna, admin.user_id]],
      ['email', byEmail.map(({ user_id }) => user_id)],
      ['-email', byEmail.map(({ user_id }) => user_id).toReversed()],
      ['last_login_at', [emile, emil, zoe, anna, admin.user_id]],
      ['-last_login_at', [admin.user_id, anna, zoe, emil, emile]],
    ] as [string, (string | undefined)[]][]) {
      test(`sort=${sort} sorts accordingly`, async () => {
        assert.deepEqual(idsOf(await list(admin.headers, `sort=${sort}`)), expected)
      })

      test(`sort=${sort} pages each person once, by number and cursor`, async () => {
        const paged: string[] = []
        for (const page of [1, 2, 3])
          paged.push(...idsOf(await list(admin.headers, `sort=${sort}&per_page=2&page=${page}`)))
        assert.deepEqual(paged, expected)
        const followed: string[] = []
        let cursor = ''
        do {
          const reply = await list(admin.headers, `sort=${sort}&per_page=2${cursor}`)
          followed.push(...idsOf(reply))
          const { next_cursor, total } = reply.json()
          assert.equal(total, 5)
          cursor = next_cursor === null ? '' : `&cursor=${next_cursor}`
        } while (cursor !== '')
        assert.deepEqual(followed, expected)
      })
    }

    test('accepts a cursor at the longest name', async () => {
      // Each of these is eighteen characters once it is folded.
      const { admin, members } = await aSchool(['Anna', '\uFDFA'.repeat(200), '\uFDFA'.repeat(200)])
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const reply = await list(
          admin.headers,
          `sort=-display_name&per_page=1${cursor && `&cursor=${cursor}`}`,
        )
        seen.push(...idsOf(reply))
        cursor = reply.json().next_cursor
      }
      assert.deepEqual(new Set(seen), new Set([admin.user_id, ...members.map(({ user_id }) => user_id)]))
      assert.equal(seen.length, 4)
    })

    test('keeps its cursor position while people join', async () => {
      const { admin: other, members: before } = await aSchool(['a', 'b', 'c'])
      const first = (await list(other.headers, 'per_page=2')).json()
      await aColleague(other)
      const second = await list(other.headers, `per_page=2&cursor=${first.next_cursor}`)
      assert.deepEqual(idsOf(second), [before[0]?.user_id, other.user_id])
      assert.equal(second.json().total, 5)
    })

    const asCursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    for (const [what, query] of [
      ['nonsense as cursor', 'cursor=nonsense'],
      ['no cursor at all', 'cursor='],
      [
        'the cursor of another order',
        `sort=email&cursor=${asCursor(['-created_at', '2026-01-01T00:00:00.000Z', randomUUID()])}`,
      ],
      [
        'a time that is none',
        `cursor=${asCursor(['-created_at', '2026-02-30T00:00:00.000Z', randomUUID()])}`,
      ],
      [
        'a time that no column holds',
        `cursor=${asCursor(['-created_at', '+010000-01-01T00:00:00.000Z', randomUUID()])}`,
      ],
      ['an id that is none', `cursor=${asCursor(['-created_at', '2026-01-01T00:00:00.000Z', 'x'])}`],
      ['a text that cannot be stored', `sort=email&cursor=${asCursor(['email', '\u0000', randomUUID()])}`],
      [
        'cursor and page together',
        `page=2&cursor=${asCursor(['-created_at', '2026-01-01T00:00:00.000Z', randomUUID()])}`,
      ],
      ['an unknown order', 'sort=password_hash'],
      ['an unknown status', 'status=deleted'],
      ['a time without a zone', 'created_after=2026-01-01'],
      ['an empty search', 'q='],
      ['page 0', 'page=0'],
      ['101 per page', 'per_page=101'],
      ['a parameter twice', 'role=a&role=b'],
    ])
      test(`answers 422 to ${what}`, async () => {
        assert.equal((await list(admin.headers, query)).statusCode, 422)
      })
  })

  test('counts fifty concurrent additions', async () => {
    const admin = await anAdmin()
    const { sso } = await world()
    const replies = await Promise.all(
      Array.from({ length: 50 }, () =>
        sso.inject({
          method: 'POST',
          url: '/api/v1/users',
          headers: admin.headers,
          payload: { email: `${unique()}@example.org` },
        }),
      ),
    )
    assert.ok(replies.every(({ statusCode }) => statusCode === 201))
    assert.equal((await list(admin.headers, 'per_page=1')).json().total, 51)
  })

  test('needs a token', async () => {
    assert.equal((await list({})).statusCode, 401)
  })
})
