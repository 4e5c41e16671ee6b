import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { newId } from '#foundation/ids.ts'
import { aColleague, anAdmin, type Person } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import type { Role } from './access.ts'
import { createItems, linkItems } from './items/links.ts'
import { placeCollections } from './tree/place.ts'

const { collections, db } = await world()

/** The data of one case: a parent, a collection below it with an item and a member, and another tree of the actor. */
type Scene = {
  parent: string
  node: string
  item: string
  /** Another item to link, in a collection where the actor is an editor. */
  own_item: string
  member: Person
  stranger: Person
}
type Call = Pick<InjectOptions, 'method' | 'payload' | 'headers'> & { url: string }
/** The least role a route needs on its collection or item, and a call that is valid apart from the rights. */
type Rule = { needs: Role; call: (scene: Scene) => Partial<Call> }

/** Every route about a collection or an item. The test fails if a registered route is missing here. */
const RULES: Record<string, Rule> = {
  'GET /api/collections/:id': { needs: 'viewer', call: () => ({}) },
  'PATCH /api/collections/:id': { needs: 'editor', call: () => ({ payload: { name: 'New' } }) },
  'PUT /api/collections/:id': { needs: 'editor', call: () => ({ payload: { name: 'New' } }) },
  'DELETE /api/collections/:id': { needs: 'admin', call: () => ({}) },
  'GET /api/collections/:id/items': { needs: 'viewer', call: () => ({}) },
  'POST /api/collections/:id/items': { needs: 'editor', call: () => ({ payload: { name: 'Vase' } }) },
  'POST /api/collections/:id/items/batch': {
    needs: 'editor',
    call: ({ own_item }) => ({ payload: { item_ids: [own_item] } }),
  },
  'POST /api/collections/:id/items/batch-write': {
    needs: 'editor',
    call: ({ item }) => ({ payload: { operations: [{ action: 'remove', item_id: item }] } }),
  },
  'DELETE /api/collections/:id/items/:item_id': { needs: 'editor', call: () => ({}) },
  'GET /api/collections/:id/members': { needs: 'viewer', call: () => ({}) },
  'POST /api/collections/:id/members': {
    needs: 'admin',
    call: ({ stranger }) => ({ payload: { user_id: stranger.user_id, role: 'viewer' } }),
  },
  'PATCH /api/collections/:id/members/:user_id': {
    needs: 'admin',
    call: () => ({ payload: { role: 'editor' } }),
  },
  'PUT /api/collections/:id/members/:user_id': {
    needs: 'admin',
    call: () => ({ payload: { role: 'editor' } }),
  },
  'GET /api/collections/:id/invitees': {
    needs: 'admin',
    call: ({ node, stranger }) => ({ url: `/api/collections/${node}/invitees?name=${stranger.email}` }),
  },
  'DELETE /api/collections/:id/members/:user_id': { needs: 'admin', call: () => ({}) },
  'GET /api/collections/:id/views': { needs: 'viewer', call: () => ({}) },
  'PUT /api/collections/:id/views': {
    needs: 'editor',
    call: () => ({ payload: { name: 'Mine', query: '' } }),
  },
  'GET /api/collections/:id/export': { needs: 'viewer', call: () => ({}) },
  'GET /api/items/:item_id': { needs: 'viewer', call: () => ({}) },
  'PATCH /api/items/:item_id': { needs: 'editor', call: () => ({ payload: { name: 'New' } }) },
  'PUT /api/items/:item_id': { needs: 'editor', call: () => ({ payload: { name: 'New' } }) },
  'GET /api/items/:item_id/history': { needs: 'viewer', call: () => ({}) },
  // The collection is in the body or the query.
  'POST /api/collections': {
    needs: 'editor',
    call: ({ node }) => ({ payload: { name: 'Child', parent_id: node } }),
  },
  'GET /api/bulk/template': {
    needs: 'viewer',
    call: ({ node }) => ({ url: `/api/bulk/template?parent_id=${node}` }),
  },
}

/** Routes that name no collection, or whose rights are tested elsewhere. */
const ELSEWHERE = [
  'POST /api/collections/:id/leave',
  'DELETE /api/collections/:id/views/:view_id',
  'POST /api/items/:item_id/history/:change_id/put-back',
  'GET /api/collections',
  'GET /api/items',
  'GET /api/changes',
  'POST /api/bulk/upload',
  'POST /api/bulk/recognise',
  'GET /api/bulk/jobs',
  'GET /api/bulk/jobs/:job_id',
  'GET /api/bulk/jobs/:job_id/errors',
  'POST /api/bulk/jobs/:job_id/errors/mended',
  'POST /api/bulk/jobs/:job_id/cancel',
  'POST /api/auth/logout',
  'GET /api/auth/me',
]

/** What routes of ELSEWHERE need beside the id. */
const BODIES: Record<string, object> = {
  'POST /api/bulk/jobs/:job_id/errors/mended': { rows: [{ sheet: 'Items', row: 2, cells: { A: 'x' } }] },
}

const operationOf = ({ method, url }: { method: string; url: string }) => `${method} ${url}`
const guarded = collections.declaredRoutes.filter(({ config }) => config.auth !== 'public').map(operationOf)

/** Each kind of actor, how the membership reaches the collection, and whether it does. */
const WAYS = ['direct', 'inherited', 'cut'] as const
const PEOPLE = ['none', 'viewer', 'editor', 'admin', 'site admin', 'other tenant'] as const
const RANK: Record<string, number> = { viewer: 0, editor: 1, admin: 2 }

let cast: Record<(typeof PEOPLE)[number] | 'owner' | 'member' | 'stranger', Person>
before(async () => {
  const [admin, stranger] = [await anAdmin(), await anAdmin()]
  const colleagues = [] as Person[]
  for (let i = 0; i < 7; i++) colleagues.push(await aColleague(admin))
  const [none, viewer, editor, manager, owner, member, outsider] = colleagues as [
    Person,
    Person,
    Person,
    Person,
    Person,
    Person,
    Person,
  ]
  cast = {
    none,
    viewer,
    editor,
    admin: manager,
    owner,
    member,
    stranger: outsider,
    'site admin': admin,
    'other tenant': stranger,
  }
})

async function build(who: (typeof PEOPLE)[number], way: (typeof WAYS)[number]): Promise<Scene> {
  const { owner, member } = cast
  const [parent, node, own, item, own_item] = [newId(), newId(), newId(), newId(), newId()]
  const fields = { name: 'Box', description: null, type: 'general', external_key: null, metadata: {} }
  const actor = cast[who]
  await db.transaction(async (tx) => {
    await placeCollections(tx, owner, [{ id: parent, parent_id: null, inherit_members: true, ...fields }])
    await placeCollections(tx, owner, [
      { id: node, parent_id: parent, inherit_members: way !== 'cut', ...fields },
    ])
    await placeCollections(tx, actor, [{ id: own, parent_id: null, inherit_members: true, ...fields }])
    const made = [item, own_item].map((id) => ({
      id,
      name: 'Vase',
      description: null,
      external_key: null,
      metadata: {},
    }))
    await createItems(tx, made, owner)
    // An item of the other tenant stays there, because it cannot be in a collection of this one.
    const holder = who === 'other tenant' ? parent : own
    await linkItems(
      tx,
      [
        { collection_id: node, item_id: item },
        { collection_id: holder, item_id: own_item },
      ],
      owner,
    )
    const at = way === 'direct' ? node : parent
    if (who in RANK)
      await tx`
        insert into collections.members (collection_id, user_id, role) values (${at}, ${actor.user_id}, ${who})`
    await tx`
      insert into collections.members (collection_id, user_id, role) values (${node}, ${member.user_id}, 'viewer')`
  })
  return { parent, node, item, own_item, member, stranger: cast.stranger }
}

function expected(who: (typeof PEOPLE)[number], way: (typeof WAYS)[number], needs: Role): string {
  if (who === 'site admin') return 'done'
  const rank = way === 'cut' ? undefined : RANK[who]
  if (rank === undefined) return '404'
  return rank >= (RANK[needs] ?? 0) ? 'done' : '403 insufficient_role'
}

describe('rights', () => {
  test('cover every route of the service', () => {
    const told = [...Object.keys(RULES), ...ELSEWHERE]
    assert.deepEqual(
      guarded.filter((operation) => !told.includes(operation)),
      [],
    )
  })

  for (const operation of guarded.filter((one) => one in RULES))
    for (const way of WAYS)
      test(`${operation} admits exactly the allowed roles, by ${way} membership`, async () => {
        const rule = RULES[operation]
        assert.ok(rule)
        const [method = '', path = ''] = operation.split(' ')
        for (const who of PEOPLE) {
          const scene = await build(who, way)
          const url = path
            .replace(':id', scene.node)
            .replace(':item_id', scene.item)
            .replace(':user_id', scene.member.user_id)
          const reply: LightMyRequestResponse = await collections.inject({
            method: method as 'GET',
            url,
            ...rule.call(scene),
            headers: cast[who].headers,
          })
          const outcome: string =
            reply.statusCode < 300
              ? 'done'
              : reply.statusCode === 404
                ? '404'
                : `${reply.statusCode} ${reply.json().code}`
          assert.equal(outcome, expected(who, way, rule.needs), `${who}: ${reply.body}`)
          // A refusal must not reveal anything about the data.
          if (reply.statusCode >= 400)
            for (const secret of ['Box', 'Vase', scene.parent])
              assert.ok(!reply.body.includes(secret), reply.body)
        }
      })

  test('answers 401 without a token on every route', async () => {
    for (const operation of guarded) {
      const [method = '', path = ''] = operation.split(' ')
      const url = path.replaceAll(/:\w+/g, newId())
      const reply = await collections.inject({ method: method as 'GET', url })
      assert.equal(reply.statusCode, 401, operation)
      assert.equal(reply.json().code, 'not_authenticated')
    }
  })

  test('answers unknown, foreign and malformed ids with the same bytes', async () => {
    const scene = await build('none', 'direct')
    const { none } = cast
    for (const operation of guarded.filter((one) => one.includes('/:'))) {
      const [method = '', path = ''] = operation.split(' ')
      const ask = async (id: string) => {
        const url = path
          .replace(':id', id)
          .replace(':item_id', id)
          .replace(':user_id', cast.member.user_id)
          .replace(':job_id', id)
        const { payload } = RULES[operation]?.call(scene) ?? { payload: BODIES[operation] }
        const reply = await collections.inject({
          method: method as 'GET',
          url,
          headers: none.headers,
          ...(payload && { payload }),
        })
        assert.equal(reply.statusCode, 404, `${operation} ${reply.body}`)
        const { request_id: _, ...rest } = reply.json()
        return JSON.stringify(rest)
      }
      const answers = new Set([
        await ask(newId()),
        await ask(scene.node),
        await ask(scene.item),
        await ask('x'),
      ])
      assert.equal(answers.size, 1, operation)
    }
  })
})
