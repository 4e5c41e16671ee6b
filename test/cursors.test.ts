import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { aColleague, anAdmin, anOperator, type Headers } from '#testing/people.ts'
import { type World, world } from '#testing/world.ts'
import { generate } from '../scripts/generate-all.ts'
import { sealSecret } from '../src/sso/events/webhooks/secrets.ts'

type Caller = 'admin' | 'learner' | 'operator'
/** Every list that can be continued, and what names its rows. */
const LISTS: [caller: Caller, url: string, id: string][] = [
  ['learner', '/api/channels?', 'id'],
  ['admin', '/api/channels?', 'id'],
  ['learner', '/api/channels?mine=true', 'id'],
  ['learner', '/api/channels?q=cbb', 'id'],
  ['learner', '/api/channels?status=archived', 'id'],
  ['admin', '/api/channels?level=beginner', 'id'],
  ['learner', '/api/enrollments?', 'id'],
  ['admin', '/api/innovation/suggestions?status=rejected', 'id'],
  ['learner', '/api/innovation/suggestions?', 'id'],
  ['learner', '/api/v1/sessions?status=all', 'session_id'],
  ['admin', '/api/v1/webhooks/events?status=delivered', 'event_id'],
  ['admin', '/api/v1/users/erasures?', 'sso_subject_id'],
  ['admin', '/api/v1/bulk/jobs?', 'job_id'],
  ['admin', '/api/v1/audit?', 'audit_id'],
  ['admin', '/api/v1/users?', 'user_id'],
  ['operator', '/api/v1/admin/sites?', 'site_id'],
]

describe('next_cursor', () => {
  let lyceum: World
  let who: Record<Caller, Headers>
  before(async () => {
    lyceum = await world()
    const admin = await anAdmin()
    const learner = await aColleague(admin)
    who = { admin: admin.headers, learner: learner.headers, operator: (await anOperator()).headers }
    const filling = {
      rows: 400,
      seed: 5,
      site_id: admin.site.site_id,
      tenant_id: admin.tenant_id,
      user_id: learner.user_id,
    }
    await generate(lyceum.db, filling, (site) => sealSecret(lyceum.parts.keys, site, 'x'), [
      'sso',
      'learning',
    ])
  })

  const read = async (caller: Caller, url: string) => {
    const app = url.startsWith('/api/v1/') ? lyceum.sso : lyceum.learning
    const { statusCode, body } = await app.inject({ url, headers: who[caller] })
    return { statusCode, body: JSON.parse(body) }
  }

  for (const [caller, url, id] of LISTS) {
    test(`walks through ${url} as ${caller} once, like its pages`, async () => {
      const whole: string[] = []
      const { body: first } = await read(caller, `${url}&per_page=100`)
      for (let page = 1; page <= first.pages; page++) {
        const { items } = (await read(caller, `${url}&per_page=100&page=${page}`)).body
        whole.push(...items.map((item: Record<string, string>) => item[id]))
      }
      const walked: string[] = []
      for (let cursor = ''; ;) {
        const { statusCode, body } = await read(caller, `${url}&per_page=33${cursor}`)
        assert.equal(statusCode, 200, JSON.stringify(body))
        assert.equal(body.total, first.total)
        walked.push(...body.items.map((item: Record<string, string>) => item[id]))
        if (body.next_cursor === null) break
        cursor = `&cursor=${body.next_cursor}`
      }
      assert.ok(walked.length > 0)
      assert.deepEqual(walked, whole)
    })
    test(`${url} as ${caller} refuses a cursor of another list and one with a page`, async () => {
      const other = Buffer.from(
        JSON.stringify(['other', '2026-01-01T00:00:00.000Z', crypto.randomUUID()]),
      ).toString('base64url')
      const { body } = await read(caller, `${url}&per_page=1`)
      for (const query of [`cursor=${other}`, 'cursor=x', `cursor=${body.next_cursor}&page=2`])
        assert.equal((await read(caller, `${url}&${query}`)).statusCode, 422, query)
    })
  }
})
