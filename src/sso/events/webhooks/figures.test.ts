import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { eventually } from '#testing/eventually.ts'
import { aUser, type Headers } from '#testing/people.ts'
import { answers } from '#testing/receiver.ts'
import { aPartner, startEngine } from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'

let lyceum: World
before(async () => {
  lyceum = await buildWorld()
  await startEngine(lyceum)
})

const read = (path: string, headers: Headers) =>
  lyceum.sso.inject({ url: `/api/v1/webhooks/${path}`, headers })

/** A partner whose endpoint has answered one test event so. */
async function aTestedPartner(status: number) {
  const partner = await aPartner(lyceum, { behave: answers(status) })
  const { owner, site, webhook_id } = partner
  const url = `/api/v1/webhooks/${webhook_id}/test`
  const { event_id } = (await lyceum.sso.inject({ method: 'POST', url, headers: owner.headers })).json()
  const figures = async () => (await read(`figures?site_code=${site.site_code}`, owner.headers)).json().items
  await eventually(async () => (await figures())[0]?.success_rate !== null)
  return { ...partner, event_id: String(event_id), figures }
}

describe('GET /api/v1/webhooks/figures', () => {
  test('says how many deliveries of a day arrived', async () => {
    for (const [status, success_rate] of [
      [204, 1],
      [500, 0],
    ] as const) {
      const { figures, webhook_id } = await aTestedPartner(status)
      const [one, ...others] = await figures()
      assert.deepEqual(others, [])
      assert.ok(Number.isInteger(one.p95_ms))
      const counts = { deliveries: 1, delivered: success_rate, failed: 1 - success_rate, success_rate }
      assert.deepEqual(one, { webhook_id, ...counts, p95_ms: one.p95_ms })
    }
  })

  test('leaves out what is older than a day', async () => {
    const { figures, webhook_id } = await aTestedPartner(204)
    await lyceum.db.pool`
      update sso.webhook_deliveries set created_at = created_at - interval '25 h' where webhook_id = ${webhook_id}`
    const none = { deliveries: 0, delivered: 0, failed: 0, success_rate: null, p95_ms: null }
    assert.deepEqual(await figures(), [{ webhook_id, ...none }])
  })
})

describe('GET /api/v1/webhooks/events/{event_id}', () => {
  test('shows the bytes that were sent to the ADMIN of the site only', async () => {
    const { event_id, owner, receiver } = await aTestedPartner(204)
    const { payload } = (await read(`events/${event_id}`, owner.headers)).json()
    assert.equal(payload, receiver.requests[0]?.body.toString())
    const stranger = await aUser({ lyceum })
    assert.equal((await read(`events/${event_id}`, stranger.headers)).statusCode, 404)
    assert.equal((await read(`events/${event_id}`, {})).statusCode, 401)
    assert.equal((await read('events/none', owner.headers)).statusCode, 404)
  })

  test('shows no payload once the person is erased', async () => {
    const { event_id, owner } = await aTestedPartner(204)
    await lyceum.db.pool`
      update sso.webhook_events set erased_at = now() where event_id = ${event_id}`
    assert.equal((await read(`events/${event_id}`, owner.headers)).json().payload, null)
  })
})
