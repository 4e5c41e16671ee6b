import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { aCollection, anItem, call } from '#testing/collections.ts'
import { eventually } from '#testing/eventually.ts'
import { bringIn } from '#testing/imports.ts'
import { aUser, type Person } from '#testing/people.ts'
import {
  aPartner,
  assertDescribed,
  type Described,
  type Partner,
  startEngine,
  type Told,
} from '#testing/webhooks.ts'
import { world, type World } from '#testing/world.ts'

let lyceum: World
let described: Described
before(async () => {
  lyceum = await world()
  await startEngine(lyceum)
  lyceum.startCollectionsJobs()
  const site = await aPartner(lyceum)
  described = (await lyceum.sso.inject({ url: '/api/v1/openapi.json', headers: site.site.headers })).json()
})

const curatorAt = ({ site }: Partner) => aUser({ at: site, lyceum })
const kindsOf = (told: readonly Told[]) => told.map(({ event_type }) => event_type).toSorted()

/** Waits for as many events, and checks each against its description. */
async function heard(partner: Partner, number: number): Promise<Told[]> {
  await eventually(() => partner.bodies().length >= number)
  for (const body of partner.bodies()) assertDescribed(described, body)
  assert.equal(partner.bodies().length, number, JSON.stringify(kindsOf(partner.bodies())))
  return partner.bodies()
}
const one = (told: readonly Told[], event_type: string) => {
  const [found, ...more] = told.filter((event) => event.event_type === event_type)
  assert.ok(found && more.length === 0, `${event_type} among ${kindsOf(told).join()}`)
  return found.data
}
const patch = async (by: Person, path: string, body: object) =>
  assert.equal((await call('PATCH', path, by, body)).statusCode, 200)

describe('a site that asks for collection.* and item.*', () => {
  test('hears of collections, members and items that change, once each and without names', async () => {
    const partner = await aPartner(lyceum, { events: ['collection.*', 'item.*'] })
    const [anna, ben] = [await curatorAt(partner), await curatorAt(partner)]
    const box = await aCollection(anna, { name: 'Secret box' })
    const item = await anItem(anna, box, { name: 'Secret vase' })
    const first = await heard(partner, 2)
    assert.deepEqual(one(first, 'collection.created'), { collection_id: box, version: 1, parent_id: null })
    assert.deepEqual(one(first, 'item.created'), { item_id: item, version: 1, collection_ids: [box] })

    await patch(anna, `/api/collections/${box}`, { description: 'Secret words' })
    await patch(anna, `/api/items/${item}`, { name: 'Secret bowl' })
    await call('POST', `/api/collections/${box}/members`, anna, { user_id: ben.user_id, role: 'viewer' })
    const second = (await heard(partner, 5)).slice(2)
    const person = { collection_id: box, user_id: ben.user_id, sso_subject_id: ben.user_id }
    assert.deepEqual(one(second, 'collection.updated'), { collection_id: box, version: 2, parent_id: null })
    assert.deepEqual(one(second, 'item.updated'), { item_id: item, version: 2 })
    assert.deepEqual(one(second, 'collection.member_added'), { ...person, role: 'viewer' })

    await patch(anna, `/api/collections/${box}/members/${ben.user_id}`, { role: 'editor' })
    assert.deepEqual(one((await heard(partner, 6)).slice(5), 'collection.member_changed'), {
      ...person,
      role: 'editor',
    })
    await call('DELETE', `/api/collections/${box}/members/${ben.user_id}`, anna)
    assert.deepEqual(one((await heard(partner, 7)).slice(6), 'collection.member_removed'), person)

    const other = await aCollection(anna, { parent_id: box })
    await call('POST', `/api/collections/${other}/items`, anna, { item_id: item })
    const third = (await heard(partner, 9)).slice(7)
    assert.deepEqual(one(third, 'collection.created')['parent_id'], box)
    assert.deepEqual(one(third, 'item.added'), { item_id: item, collection_ids: [other] })

    await call('DELETE', `/api/collections/${other}/items/${item}`, anna)
    await heard(partner, 10)
    await call('DELETE', `/api/collections/${box}?cascade=true`, anna)
    const last = (await heard(partner, 13)).slice(10)
    assert.deepEqual(kindsOf(last), ['collection.deleted', 'collection.deleted', 'item.deleted'])
    assert.ok(!partner.receiver.requests.some(({ body }) => body.includes('Secret')))
  })

  test('hears the numbers of an import and no event for each of its rows', async () => {
    const partner = await aPartner(lyceum, { events: ['collection.imported', 'item.*'] })
    const anna = await curatorAt(partner)
    const box = await aCollection(anna)
    const rows = Array.from({ length: 2_500 }, (_, n) => [`k${n}`, `Vase ${n}`])
    const job = await bringIn(
      anna,
      { Items: [['item_key', 'name'], ...rows] },
      { options: { parent_id: box } },
    )
    assert.equal(job.state, 'completed', JSON.stringify(job))
    const numbers = () =>
      partner
        .bodies()
        .filter(({ event_type }) => event_type === 'item.bulk_changed')
        .reduce((sum, { data }) => sum + Number(data['created']), 0)
    await eventually(() => numbers() === 2_500 && partner.bodies().length > 1)
    const told = partner.bodies()
    for (const body of told) assertDescribed(described, body)
    assert.ok(told.length <= 4, kindsOf(told).join())
    assert.deepEqual(one(told, 'collection.imported'), {
      job_id: job.job_id,
      state: 'completed',
      collections_created: 0,
      collections_updated: 0,
      collections_deleted: 0,
      items_created: 2_500,
      items_updated: 0,
      items_deleted: 0,
      links_added: 2_500,
      links_removed: 0,
    })
  })
})

describe('a site that does not ask', () => {
  test('hears nothing with `*`, nor of another tenant, nor of another family', async () => {
    const [everything, asking, other] = [
      await aPartner(lyceum, { events: ['*'] }),
      await aPartner(lyceum, { events: ['item.*'] }),
      await aPartner(lyceum, { events: ['collection.*', 'item.*'] }),
    ]
    for (const partner of [everything, asking]) {
      const anna = await curatorAt(partner)
      const box = await aCollection(anna)
      await anItem(anna, box)
    }
    await heard(asking, 1)
    assert.deepEqual(kindsOf(asking.bodies()), ['item.created'])
    const collections = (told: Told[]) =>
      told.filter(({ event_type }) => /^(collection|item)\./.test(event_type))
    assert.deepEqual(collections(everything.bodies()), [])
    assert.deepEqual(other.bodies(), [])
  })
})
