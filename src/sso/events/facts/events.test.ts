import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { eventually } from '#testing/eventually.ts'
import { homeSite } from '#testing/people.ts'
import { aPartner, assertDescribed, type Described, startEngine } from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'
import { EVENT_TYPES, EVENTS, type EventType } from './events.ts'
import { recordFact } from './facts.ts'

let lyceum: World
let described: Described
before(async () => {
  lyceum = await buildWorld()
  await startEngine(lyceum)
  const { headers } = await homeSite(lyceum)
  described = (await lyceum.sso.inject({ url: '/api/v1/openapi.json', headers })).json()
})

type Schema = {
  type?: string | string[]
  format?: string
  items?: Schema
  properties?: Record<string, Schema>
}

/** Something that the schema allows. */
function sampleOf({ type, format, items, properties }: Schema): unknown {
  if (format === 'uuid') return newId()
  if (format === 'date-time') return '2026-01-02T03:04:05.678Z'
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(properties ?? {}).map(([name, schema]) => [name, sampleOf(schema)]),
    )
  if (type === 'array') return [sampleOf(items ?? {})]
  return type === 'boolean' ? true : type === 'integer' ? 1 : 'Zoë ✓'
}

describe('every event of the table', () => {
  for (const event_type of EVENT_TYPES)
    test(`${event_type} is delivered to its subscribers as it is described`, async () => {
      const partner = await aPartner(lyceum, { events: [event_type] })
      const data = sampleOf(EVENTS[event_type].data as Schema) as Record<string, unknown>
      const site_ids = [partner.site.site_id]
      await lyceum.db.transaction((tx) =>
        recordFact(tx, { event_type, environment: 'sandbox', subject_user_id: null, site_ids, data }),
      )
      await eventually(() => partner.bodies().length === 1)
      const [body = assert.fail()] = partner.bodies()
      const { logout_token: _, ...rest } = body.data
      const { logout_token: __, ...told } = data
      assert.deepEqual([body.event_type, rest], [event_type, told])
      assertDescribed(described, body)
    })

  test('holds the events of the API document, in its words', () => {
    const document = readFileSync(`${import.meta.dirname}/../../../../docs/api/sso.md`, 'utf8')
    const rows = [...document.matchAll(/^\| ([a-z._]+) \| ([A-Z][^|]*) \|$/gm)].map(([, name, when]) => [
      name,
      when,
    ])
    const events = rows.filter(
      ([name = '']) => name === 'back_channel_logout' || /^[a-z]+\.[a-z.]+$/.test(name),
    )
    assert.ok(events.length >= 8)
    for (const [name, when] of events) assert.equal(EVENTS[name as EventType]?.summary, when)
  })

  test('is described in OpenAPI, beside the ping', () => {
    assert.deepEqual(Object.keys(described.webhooks).toSorted(), [...EVENT_TYPES, 'ping'].toSorted())
  })
})
