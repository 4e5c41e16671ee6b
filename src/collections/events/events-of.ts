import type { Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import type { TenantEvent } from '#foundation/security/session-gate.ts'
import type { Line } from './lines.ts'

/** More changed objects than this are told as one event with their numbers; receivers then read GET /api/changes. */
const SINGLE = 100

/** What lines of one tenant are told as: each object once for each thing that happened to it, or all as numbers. */
export async function eventsOf(tx: Tx, tenant_id: string, lines: readonly Line[]): Promise<TenantEvent[]> {
  const items = latest(lines.filter(({ type }) => type === 'item'))
  const collections = latest(lines.filter(({ type }) => type === 'collection'))
  return [
    ...(objectsOf(collections) > SINGLE
      ? [inNumbers('collection', collections)]
      : await collectionEvents(tx, tenant_id, collections)),
    ...(objectsOf(items) > SINGLE ? [inNumbers('item', items)] : itemEvents(items)),
  ]
}

/**
 * The last line of each kind and object. What follows from another line is left out: the places that a deleted item
 * left, the members of a deleted collection, and the first member of a new one.
 */
function latest(lines: readonly Line[]): Line[] {
  const has = (kind: string) => new Set(lines.flatMap((line) => (line.kind === kind ? keyOf(line) : [])))
  const keyOf = ({ id, xid }: Line) => `${id} ${xid}`
  const [created, deleted] = [has('created'), has('deleted')]
  const follows = (line: Line) =>
    line.kind === null ||
    (deleted.has(keyOf(line)) && line.kind !== 'deleted') ||
    (created.has(keyOf(line)) && line.kind === 'member_added')
  const told = lines.filter((line) => !follows(line))
  return [...new Map(told.map((line) => [`${line.kind} ${line.id} ${line.user_id}`, line])).values()]
}

const objectsOf = (lines: readonly Line[]) => new Set(lines.map(({ id }) => id)).size

const KINDS = {
  item: ['created', 'updated', 'added', 'removed', 'deleted'],
  collection: ['created', 'updated', 'deleted', 'member_added', 'member_changed', 'member_removed'],
}

function inNumbers(type: Line['type'], lines: readonly Line[]): TenantEvent {
  const numberOf = (kind: string) => lines.filter((line) => line.kind === kind).length
  return {
    ...eventAt(lines),
    event_type: `${type}.bulk_changed`,
    data: Object.fromEntries(KINDS[type].map((kind) => [kind, numberOf(kind)])),
  }
}

const itemEvents = (lines: readonly Line[]): TenantEvent[] =>
  lines.map((line) => {
    const { kind, id, version, collection_ids } = line
    const data = {
      created: { version, collection_ids },
      updated: { version },
      added: { collection_ids },
      removed: { collection_ids },
    }[String(kind)]
    return { ...eventAt([line]), event_type: `item.${kind}`, data: { item_id: id, ...data } }
  })

type Node = { id: string; version: number; parent_id: string | null }
type Membership = { collection_id: string; user_id: string; role: string }

/** As the collection and the membership are now; where they are gone again, a later line says so. */
async function collectionEvents(tx: Tx, tenant_id: string, lines: readonly Line[]): Promise<TenantEvent[]> {
  if (lines.length === 0) return []
  const ids = lines.map(({ id }) => id)
  const nodes = await tx<Node[]>`
    select node.id, node.version, node.parent_id from collections.collections as node
     where node.tenant_id = ${tenant_id} and node.id = any(${ids}::uuid[])`
  const members = await tx<Membership[]>`
    select membership.collection_id, membership.user_id, membership.role from collections.members as membership
     where membership.tenant_id = ${tenant_id} and membership.collection_id = any(${ids}::uuid[])
       and membership.user_id = any(${lines.flatMap(({ user_id }) => user_id ?? [])}::uuid[])`
  return lines.flatMap((line) => {
    const data = dataOf(
      line,
      nodes.find(({ id }) => id === line.id),
      members.find((one) => one.collection_id === line.id && one.user_id === line.user_id),
    )
    const event_type = `collection.${line.kind}`
    return data ? [{ ...eventAt([line]), event_type, data: { collection_id: line.id, ...data } }] : []
  })
}

function dataOf({ kind, user_id }: Line, node: Node | undefined, membership: Membership | undefined) {
  const person = { user_id, sso_subject_id: user_id }
  if (kind === 'deleted') return {}
  if (kind === 'member_removed') return person
  if (user_id !== null) return membership && { ...person, role: membership.role }
  return node && { version: node.version, parent_id: node.parent_id }
}

/** Its id is new: the job that tells it keeps it, so that it is told once. */
const eventAt = (lines: readonly Line[]) => {
  const last = lines.at(-1)
  return {
    fact_id: newId(),
    occurred_at: last?.changed_at ?? new Date().toISOString(),
    subject_user_id: lines.length === 1 ? (last?.user_id ?? null) : null,
  }
}
