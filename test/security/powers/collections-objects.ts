import assert from 'node:assert/strict'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { bookOf, upload } from '#testing/imports.ts'
import { aColleague, type Headers, type Person } from '#testing/people.ts'
import { atTwin, type Cast, openCast } from './cast.ts'
import type { Ids } from './matrix.ts'

/** The cast, plus plain members with each of the three roles on a collection. `member` has none. */
export type Museum = Cast & { twin: Headers; keeper: Person; editor: Person; viewer: Person }

export async function openMuseum(): Promise<Museum> {
  const cast = await openCast()
  const [keeper, editor, viewer] = [await aColleague(cast), await aColleague(cast), await aColleague(cast)]
  return { ...cast, twin: await atTwin(cast), keeper, editor, viewer }
}

/** Objects for the rows of collections: each function creates one object of the keeper and returns its ids. */
export async function collection({ keeper, editor, viewer }: Museum): Promise<Ids> {
  const id = await aCollection(keeper)
  await join(keeper, id, editor, 'editor')
  await join(keeper, id, viewer, 'viewer')
  return { id, parent_id: id }
}

export async function view(museum: Museum): Promise<Ids> {
  const ids = await collection(museum)
  const made = await call('PUT', `/api/collections/${ids['id']}/views`, museum.keeper, {
    name: 'One',
    query: '',
  })
  return { ...ids, view_id: made.json().id as string }
}

/** A child of the collection, with the same members. */
export async function child(museum: Museum): Promise<Ids> {
  const { id = '' } = await collection(museum)
  return { id: await aCollection(museum.keeper, { parent_id: id }), ancestor_id: id }
}

export async function item(museum: Museum): Promise<Ids> {
  const ids = await collection(museum)
  return { ...ids, item_id: await anItem(museum.keeper, ids['id'] ?? '') }
}

/** The renaming of an item, which stands until somebody puts it back. */
export async function change(museum: Museum): Promise<Ids> {
  const ids = await item(museum)
  const path = `/api/items/${ids['item_id']}`
  await call('PATCH', path, museum.keeper, { name: 'Jug' })
  const { items } = (await call('GET', `${path}/history`, museum.keeper)).json()
  return { ...ids, change_id: items[0].id }
}

/** A link to an item of another collection with the same viewers. */
export async function link(museum: Museum): Promise<Ids> {
  const ids = await collection(museum)
  const from = await collection(museum)
  return { ...ids, item_id: await anItem(museum.keeper, from['id'] ?? '') }
}

/** Another person, with the viewer role on the collection. */
export async function reader(museum: Museum): Promise<Ids> {
  const ids = await collection(museum)
  const person = await aColleague(museum)
  await join(museum.keeper, ids['id'] ?? '', person, 'viewer')
  return { ...ids, user_id: person.user_id }
}

/** A person of the tenant who is not a member of the collection. */
export async function guest(museum: Museum): Promise<Ids> {
  return { ...(await collection(museum)), user_id: (await aColleague(museum)).user_id }
}

let jobs = 0
/** The keeper's only queued import: the number per person is limited. */
export async function job({ keeper }: Museum): Promise<Ids> {
  const { items } = (await call('GET', '/api/bulk/jobs?state=queued', keeper)).json()
  for (const { job_id } of items) await call('POST', `/api/bulk/jobs/${job_id}/cancel`, keeper)
  const name = `Box ${jobs++}`
  const reply = await upload(
    keeper,
    bookOf({
      Collections: [
        ['collection_key', 'name'],
        ['box', name],
      ],
    }),
  )
  assert.equal(reply.statusCode, 202, reply.body)
  return { job_id: reply.json().job_id }
}

export const nothing = async (): Promise<Ids> => ({ build: 'none' })
