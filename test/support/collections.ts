import assert from 'node:assert/strict'
import type { InjectOptions } from 'fastify'
import type { Headers, Person } from './people.ts'
import { world } from './world.ts'

type Somebody = { headers: Headers }
type Role = 'viewer' | 'editor' | 'admin'

export async function call(
  method: NonNullable<InjectOptions['method']>,
  url: string,
  { headers }: Somebody,
  payload?: object,
  more: Headers = {},
) {
  const { collections } = await world()
  return collections.inject({ method, url, headers: { ...headers, ...more }, ...(payload && { payload }) })
}

/** Creates a collection through the API. The creator of a root collection is its admin. */
export async function aCollection(
  owner: Somebody,
  fields: { name?: string; parent_id?: string; inherit_members?: boolean } = {},
): Promise<string> {
  const reply = await call('POST', '/api/collections', owner, { name: 'Box', ...fields })
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json().id as string
}

export async function anItem(owner: Somebody, collection_id: string, fields: object = {}): Promise<string> {
  const reply = await call('POST', `/api/collections/${collection_id}/items`, owner, {
    name: 'Vase',
    ...fields,
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json().id as string
}

/** Makes a person a direct member of the collection. */
export async function join(owner: Somebody, collection_id: string, { user_id }: Person, role: Role) {
  const reply = await call('POST', `/api/collections/${collection_id}/members`, owner, { user_id, role })
  assert.equal(reply.statusCode, 201, reply.body)
}
