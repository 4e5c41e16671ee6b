import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { aCollection, call, join } from '#testing/collections.ts'
import { aColleague, anAdmin, aUser, type Person } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'

const { collections, sso, db } = await world()

type Row = Record<string, unknown> & { user_id: string }
const members = (id: string) => `/api/collections/${id}/members`
const list = async (person: Person, id: string, query = '') => {
  const reply = await call('GET', `${members(id)}${query}`, person)
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json() as { items: Row[]; total: number }
}
const of = (items: Row[], { user_id }: Person) => items.find((row) => row.user_id === user_id)

describe('GET /api/collections/:id/members', () => {
  test('lists everybody with access once, with highest role and source', async () => {
    const [anna, ben, carl] = [await aUser(), await aUser(), await aUser()]
    const top = await aCollection(anna)
    const box = await aCollection(anna, { parent_id: top })
    await join(anna, top, ben, 'editor')
    await join(anna, box, ben, 'viewer')
    await join(anna, box, carl, 'viewer')
    const { items, total } = await list(anna, box)
    assert.equal(total, 3)
    assert.deepEqual(
      items.map((row) => [
        row.user_id,
        row['role'],
        row['direct_role'],
        row['source'],
        row['source_collection_id'],
      ]),
      [
        [anna.user_id, 'admin', null, 'inherited', top],
        [ben.user_id, 'editor', 'viewer', 'direct', box],
        [carl.user_id, 'viewer', 'viewer', 'direct', box],
      ],
    )
    assert.deepEqual(
      items.map((row) => row['invited_by']),
      [null, anna.user_id, anna.user_id],
    )
  })

  test('omits people excluded by a cut', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const top = await aCollection(anna)
    const box = await aCollection(anna, { parent_id: top, inherit_members: false })
    await join(anna, top, ben, 'editor')
    const { items } = await list(anna, box)
    assert.deepEqual(
      items.map((row) => [row.user_id, row['direct_role']]),
      [[anna.user_id, 'admin']],
    )
  })

  test('shows addresses to admins only, and no hidden source', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const top = await aCollection(anna)
    const box = await aCollection(anna, { parent_id: top })
    await join(anna, box, ben, 'viewer')
    const seen = await list(anna, box)
    assert.deepEqual(
      [of(seen.items, anna)?.['email'], of(seen.items, ben)?.['email']],
      [anna.email, ben.email],
    )
    const { items } = await list(ben, box)
    assert.deepEqual([of(items, anna)?.['email'], of(items, ben)?.['email']], [null, ben.email])
    assert.deepEqual(
      [of(items, anna)?.['source'], of(items, anna)?.['source_collection_id']],
      ['inherited', null],
    )
  })

  test('shows an erased person as "Deleted user"', async () => {
    const anna = await aUser()
    const box = await aCollection(anna)
    const user_id = newId()
    await db.pool`insert into collections.members (collection_id, user_id, role) values (${box}, ${user_id}, 'viewer')`
    const { items } = await list(anna, box, '?role=viewer')
    assert.deepEqual(
      items.map((row) => [row.user_id, row['display_name'], row['email']]),
      [[user_id, 'Deleted user', null]],
    )
  })

  test('filters, sorts, pages and names fields', async () => {
    const anna = await aUser()
    const top = await aCollection(anna)
    const box = await aCollection(anna, { parent_id: top })
    const ids = Array.from({ length: 25 }, () => newId())
    await db.pool`
      insert into collections.members (collection_id, user_id, role, joined_at)
      select ${box}, user_id, (case when place <= 5 then 'editor' else 'viewer' end)::collections.role, '2026-01-01'
        from unnest(${ids}::uuid[]) with ordinality as given(user_id, place)`
    const seen: string[] = []
    for (const page of [1, 2, 3]) {
      const { items, total } = await list(anna, box, `?page=${page}&per_page=10`)
      assert.equal(total, 26)
      seen.push(...items.map(({ user_id }) => user_id))
    }
    assert.deepEqual(seen, [anna.user_id, ...ids.slice(0, 5), ...ids.slice(5)])
    assert.equal((await list(anna, box, '?role=editor,admin')).total, 6)
    assert.equal((await list(anna, box, '?source=inherited')).total, 1)
    assert.equal(
      (await list(anna, box, '?filter[role][gte]=editor&filter[joined_at][lt]=2026-02-01')).total,
      5,
    )
    assert.deepEqual(
      (await list(anna, box, '?sort=role,-joined_at&page=3&per_page=12')).items[1]?.user_id,
      anna.user_id,
    )
    assert.deepEqual((await list(anna, box, '?fields=role&per_page=1')).items, [
      { user_id: anna.user_id, role: 'admin' },
    ])
    const past = await list(anna, box, '?page=9')
    assert.deepEqual([past.items, past.total], [[], 26])
  })

  for (const query of [
    '?colour=red',
    '?role=owner',
    '?sort=name',
    '?q=anna',
    '?page=0',
    '?source=direct&source=direct',
  ])
    test(`${query} is 422`, async () => {
      const anna = await aUser()
      const reply = await call('GET', `${members(await aCollection(anna))}${query}`, anna)
      assert.equal(reply.statusCode, 422, reply.body)
      assert.equal(reply.json().errors.length, 1)
    })
})

describe('POST /api/collections/:id/members', () => {
  const invite = (by: Person, id: string, body: object, key?: string) =>
    call('POST', members(id), by, body, key ? { 'idempotency-key': key } : {})

  test('gives a role, and answers 200 when it exists', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const box = await aCollection(anna)
    const first = await invite(anna, box, { user_id: ben.user_id, role: 'editor' })
    assert.equal(first.statusCode, 201, first.body)
    const { joined_at, ...rest } = first.json()
    assert.match(joined_at, /Z$/)
    assert.deepEqual(rest, {
      user_id: ben.user_id,
      display_name: null,
      email: ben.email,
      role: 'editor',
      direct_role: 'editor',
      source: 'direct',
      source_collection_id: box,
      invited_by: anna.user_id,
    })
    const again = await invite(anna, box, { user_id: ben.user_id, role: 'editor' })
    assert.deepEqual([again.statusCode, again.json()], [200, first.json()])
    const other = await invite(anna, box, { user_id: ben.user_id, role: 'viewer' })
    assert.deepEqual([other.statusCode, other.json().code], [409, 'already_member'])
    assert.equal((await call('GET', `/api/collections/${box}/items`, ben)).statusCode, 200)
  })

  test('records a direct role beside a higher inherited one', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const top = await aCollection(anna)
    const box = await aCollection(anna, { parent_id: top })
    await join(anna, top, ben, 'editor')
    const reply = await invite(anna, box, { user_id: ben.user_id, role: 'viewer' })
    assert.equal(reply.statusCode, 201)
    assert.deepEqual([reply.json().role, reply.json().direct_role], ['editor', 'viewer'])
  })

  test('answers one 404 user_not_found for foreign and unknown people', async () => {
    const [anna, stranger] = [await aUser(), await aColleague(await anAdmin())]
    const box = await aCollection(anna)
    const replies = [stranger.user_id, newId()].map((user_id) =>
      invite(anna, box, { user_id, role: 'viewer' }),
    )
    for (const reply of await Promise.all(replies)) {
      assert.equal(reply.statusCode, 404, reply.body)
      assert.equal(reply.json().code, 'user_not_found')
    }
    const [{ count } = { count: -1 }] = await db.pool<{ count: number }[]>`
      select count(*) from collections.members where collection_id = ${box}`
    assert.equal(count, 1)
  })

  test('reveals nothing about the user to somebody without the right', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const box = await aCollection(anna)
    await join(anna, box, ben, 'editor')
    for (const user_id of [newId(), anna.user_id]) {
      const reply = await invite(ben, box, { user_id, role: 'viewer' })
      assert.deepEqual([reply.statusCode, reply.json().code], [403, 'insufficient_role'])
    }
  })

  for (const [name, body, field] of [
    ['without a role', { user_id: newId() }, 'role'],
    ['without a user', { role: 'viewer' }, 'user_id'],
    ['with an unknown role', { user_id: newId(), role: 'owner' }, 'role'],
    ['with a malformed id', { user_id: 'x', role: 'viewer' }, 'user_id'],
    ['with an unknown field', { user_id: newId(), role: 'viewer', email: 'a@b.c' }, 'email'],
  ] as const)
    test(`${name} is 422 and names ${field}`, async () => {
      const anna = await aUser()
      const reply = await invite(anna, await aCollection(anna), body)
      assert.equal(reply.statusCode, 422, reply.body)
      assert.equal(reply.json().errors[0].field, field)
    })

  test('replays the answer to the same key and creates one member', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const box = await aCollection(anna)
    const body = { user_id: ben.user_id, role: 'viewer' }
    const [first, again] = [await invite(anna, box, body, 'k'), await invite(anna, box, body, 'k')]
    assert.deepEqual([first.statusCode, again.statusCode], [201, 201])
    assert.deepEqual(again.json(), first.json())
    assert.equal(again.headers['idempotency-replayed'], 'true')
    const other = await invite(anna, box, { ...body, role: 'editor' }, 'k')
    assert.deepEqual([other.statusCode, other.json().code], [422, 'idempotency_mismatch'])
  })

  test('creates one member for 50 concurrent invitations', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const box = await aCollection(anna)
    const body = { user_id: ben.user_id, role: 'viewer' }
    const replies = await Promise.all(Array.from({ length: 50 }, () => invite(anna, box, body)))
    const statuses = replies.map(({ statusCode }) => statusCode)
    assert.equal(statuses.filter((status) => status === 201).length, 1)
    assert.equal(statuses.filter((status) => status === 200).length, 49)
  })

  test('stops at 5,000 direct members, also under concurrency', async () => {
    const anna = await aUser()
    const box = await aCollection(anna)
    const people: Person[] = []
    for (let i = 0; i < 20; i++) people.push(await aUser())
    const others = Array.from({ length: 4_989 }, () => newId())
    await db.pool`
      insert into collections.members (collection_id, user_id, role)
      select ${box}, user_id, 'viewer' from unnest(${others}::uuid[]) as given(user_id)`
    const replies = await Promise.all(
      people.map(({ user_id }) => invite(anna, box, { user_id, role: 'viewer' })),
    )
    const codes = replies.map((reply) => (reply.statusCode === 201 ? 'in' : reply.json().code))
    assert.equal(codes.filter((code) => code === 'in').length, 10)
    assert.equal(codes.filter((code) => code === 'too_many_members').length, 10)
    assert.equal((await list(anna, box, '?per_page=1')).total, 5_000)
  })

  test('lets editors invite up to their own role where allowed', async () => {
    const lyceum = await buildWorld({ env: { COLLECTIONS_INVITE_ROLE: 'editor' } })
    const [anna, ben, carl, dora] = await Promise.all([1, 2, 3, 4].map(() => aUser({ lyceum })))
    assert.ok(anna && ben && carl && dora)
    const post = (by: Person, url: string, payload: object) =>
      lyceum.collections.inject({ method: 'POST', url, headers: by.headers, payload })
    const { id } = (await post(anna, '/api/collections', { name: 'Box' })).json()
    const invited = async (by: Person, { user_id }: Person, role: string) =>
      (await post(by, members(id), { user_id, role })).statusCode
    assert.equal(await invited(anna, ben, 'editor'), 201)
    assert.equal(await invited(ben, carl, 'admin'), 403)
    assert.equal(await invited(ben, carl, 'viewer'), 201)
    assert.equal(await invited(carl, dora, 'viewer'), 403)
  })
})

describe('PATCH /api/collections/:id/members/:user_id', () => {
  const change = (by: Person, id: string, { user_id }: Person, role: string) =>
    call('PATCH', `${members(id)}/${user_id}`, by, { role })

  test('changes the role and keeps the date of joining', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const box = await aCollection(anna)
    await join(anna, box, ben, 'viewer')
    const before = of((await list(anna, box)).items, ben)
    const reply = await change(anna, box, ben, 'admin')
    assert.equal(reply.statusCode, 200, reply.body)
    assert.deepEqual(reply.json(), { ...before, role: 'admin', direct_role: 'admin' })
    assert.deepEqual((await change(anna, box, ben, 'admin')).json(), reply.json())
  })

  test('refuses to leave a collection without admin', async () => {
    const anna = await aUser()
    const box = await aCollection(anna)
    const reply = await change(anna, box, anna, 'viewer')
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'last_admin'])
    assert.equal(of((await list(anna, box)).items, anna)?.['role'], 'admin')
  })

  test('shows a former admin no address but their own', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const box = await aCollection(anna)
    await join(anna, box, ben, 'admin')
    const reply = await change(anna, box, anna, 'viewer')
    assert.deepEqual([reply.statusCode, reply.json().role, reply.json().email], [200, 'viewer', anna.email])
  })

  test('refuses to change an inherited role and names its source', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const top = await aCollection(anna)
    const box = await aCollection(anna, { parent_id: top })
    await join(anna, top, ben, 'viewer')
    const reply = await change(anna, box, ben, 'editor')
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'access_inherited'])
    const [{ field, code, value }] = reply.json().errors
    assert.deepEqual([field, code, value], ['user_id', 'access_inherited', top])
  })

  test('answers 404 for people without access and unknown ids', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const box = await aCollection(anna)
    assert.equal((await change(anna, box, ben, 'viewer')).statusCode, 404)
    assert.equal((await change(anna, box, { ...ben, user_id: 'x' }, 'viewer')).statusCode, 404)
  })

  for (const body of [{}, { role: 'owner' }, { role: 'viewer', user_id: newId() }])
    test(`with ${JSON.stringify(Object.keys(body))} it is 422`, async () => {
      const anna = await aUser()
      const reply = await call('PATCH', `${members(await aCollection(anna))}/${anna.user_id}`, anna, body)
      assert.equal(reply.statusCode, 422)
    })
})

describe('DELETE /api/collections/:id/members/:user_id', () => {
  const remove = (by: Person, id: string, { user_id }: Pick<Person, 'user_id'>) =>
    call('DELETE', `${members(id)}/${user_id}`, by)

  test('ends access to the collection and its descendants', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const top = await aCollection(anna)
    const box = await aCollection(anna, { parent_id: top })
    await join(anna, top, ben, 'editor')
    assert.equal((await call('GET', `/api/collections/${box}/items`, ben)).statusCode, 200)
    assert.equal((await remove(anna, top, ben)).statusCode, 204)
    for (const id of [top, box])
      assert.equal((await call('GET', `/api/collections/${id}/items`, ben)).statusCode, 404)
    assert.equal((await remove(anna, top, ben)).statusCode, 404)
  })

  test('keeps direct memberships in descendants', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const top = await aCollection(anna)
    const box = await aCollection(anna, { parent_id: top })
    await join(anna, top, ben, 'viewer')
    await join(anna, box, ben, 'viewer')
    assert.equal((await remove(anna, top, ben)).statusCode, 204)
    assert.equal((await call('GET', `/api/collections/${box}/items`, ben)).statusCode, 200)
  })

  test('inherited_access_blocks_204: refuses to remove somebody with inherited access', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const top = await aCollection(anna)
    const box = await aCollection(anna, { parent_id: top })
    await join(anna, top, ben, 'viewer')
    await join(anna, box, ben, 'editor')
    const reply = await remove(anna, box, ben)
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'access_inherited'])
    assert.equal(reply.json().errors[0].value, top)
    assert.equal(of((await list(anna, box)).items, ben)?.['direct_role'], 'editor')
  })

  test('does not name a source hidden from the admin', async () => {
    const [anna, ben, carl] = [await aUser(), await aUser(), await aUser()]
    const top = await aCollection(anna)
    const box = await aCollection(anna, { parent_id: top })
    await join(anna, top, ben, 'viewer')
    await join(anna, box, carl, 'admin')
    const reply = await remove(carl, box, ben)
    assert.equal(reply.statusCode, 409)
    assert.ok(!reply.body.includes(top))
  })

  test('keeps the last admin of a root or a cut collection', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const top = await aCollection(anna)
    const cut = await aCollection(anna, { parent_id: top, inherit_members: false })
    for (const id of [top, cut]) {
      const reply = await remove(anna, id, anna)
      assert.deepEqual([reply.statusCode, reply.json().code], [409, 'last_admin'], id)
    }
    const box = await aCollection(anna, { parent_id: top })
    await join(anna, box, ben, 'admin')
    assert.equal((await remove(anna, box, ben)).statusCode, 204)
  })
})

describe('POST /api/collections/:id/leave', () => {
  const leave = (by: Person, id: string) => call('POST', `/api/collections/${id}/leave`, by)

  test('ends the membership, and answers 404 when repeated', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const box = await aCollection(anna)
    await join(anna, box, ben, 'viewer')
    const reply = await call('POST', `/api/collections/${box}/leave`, ben, undefined, {
      'content-type': 'application/json',
    })
    assert.deepEqual([reply.statusCode, reply.body], [204, ''])
    assert.equal((await leave(ben, box)).statusCode, 404)
  })

  test('answers 409 for the last admin and for inherited access', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const top = await aCollection(anna)
    const box = await aCollection(anna, { parent_id: top })
    await join(anna, top, ben, 'viewer')
    assert.equal((await leave(anna, top)).json().code, 'last_admin')
    assert.equal((await leave(ben, box)).json().code, 'access_inherited')
    assert.equal((await leave(ben, top)).statusCode, 204)
  })

  test('answers 404 to strangers and to site admins without membership', async () => {
    const admin = await anAdmin()
    const [owner, stranger] = [await aColleague(admin), await aColleague(admin)]
    const box = await aCollection(owner)
    for (const person of [stranger, admin]) assert.equal((await leave(person, box)).statusCode, 404)
    assert.equal((await call('GET', `/api/collections/${box}/items`, admin)).statusCode, 200)
  })

  test('without a token is 401', async () => {
    assert.equal(
      (await collections.inject({ method: 'POST', url: `/api/collections/${newId()}/leave` })).statusCode,
      401,
    )
  })
})

describe('a session that ends', () => {
  test('session_revoked_in_sso: refuses the next request of that person, 50 times', async () => {
    const anna = await aUser()
    const box = await aCollection(anna)
    for (let round = 0; round < 50; round++) {
      const ben = await aUser()
      await join(anna, box, ben, 'viewer')
      assert.equal((await call('GET', members(box), ben)).statusCode, 200)
      const ended = await sso.inject({
        method: 'DELETE',
        url: `/api/v1/sessions/${ben.session_id}`,
        headers: ben.headers,
      })
      assert.equal(ended.statusCode, 204)
      const reply = await call('GET', members(box), ben)
      assert.deepEqual([reply.statusCode, reply.json().code], [401, 'token_revoked'])
    }
  })
})
