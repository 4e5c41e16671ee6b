import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { newId } from '#foundation/ids.ts'
import { eventually } from '#testing/eventually.ts'
import { challenge, giveTotp } from '#testing/mfa.ts'
import { aSite, aUser, type Headers, type Person, signIn, type TestSite } from '#testing/people.ts'
import { aPartner } from '#testing/webhooks.ts'
import { buildWorld } from '#testing/world.ts'

const lyceum = await buildWorld()
await lyceum.startJobs()
const { db } = lyceum

async function call(
  service: 'sso' | 'learning',
  [method, url]: ['GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', string],
  headers: Headers,
  payload?: object,
) {
  const reply = await lyceum[service].inject({ method, url, headers, ...(payload && { payload }) })
  assert.ok(reply.statusCode < 300, `${method} ${url}: ${reply.statusCode} ${reply.body}`)
  return reply.body === '' ? undefined : reply.json()
}

/** Every column of every schema of ours that holds this text, bytes read as text and arrays and JSON as they print. */
async function columnsWith(text: string): Promise<string[]> {
  const columns = await db.pool<{ schema: string; table: string; column: string; type: string }[]>`
    select c.table_schema as schema, c.table_name as table, c.column_name as column, c.data_type as type
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = any('{foundation,sso,learning,collections}') and t.table_type = 'BASE TABLE'
       and c.data_type = any('{text,character varying,json,jsonb,ARRAY,tsvector,bytea,name,xml}')
     order by 1, 2, 3`
  assert.ok(columns.length > 150, 'the scan sees the columns')
  const found: string[] = []
  for (const { schema, table, column, type } of columns) {
    const value =
      type === 'bytea' ? db.pool`encode(${db.pool(column)}, 'escape')` : db.pool`${db.pool(column)}::text`
    const rows = await db.pool`
      select from ${db.pool(schema)}.${db.pool(table)} where strpos(lower(${value}), ${text}) > 0 limit 1`
    if (rows.length > 0) found.push(`${schema}.${table}.${column}`)
  }
  return found
}

/** The files beside the database: the list of erasures, the first run, what uploads leave. */
function filesWith(text: string): string[] {
  return readdirSync(lyceum.dataDir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(lyceum.dataDir, name))
    .filter(
      (path) => statSync(path).isFile() && readFileSync(path).toString('latin1').toLowerCase().includes(text),
    )
}

type Site = TestSite & { owner: Person }

/** Somebody who wrote the canary wherever a person can: at the sso, in an import, in learning, on the way to partners. */
async function aCanary(site: Site) {
  const word = `canary${randomBytes(6).toString('hex')}`
  const account = { email: `${word}@${word}.example`, password: 'correct horse staple 9' }
  const headers = { ...site.headers, 'user-agent': `${word}/1.0` }
  const post = (path: string, payload: object, more: Headers = {}) =>
    call('sso', ['POST', `/api/v1${path}`], { ...headers, ...more }, payload)
  const names = { username: word, display_name: `${word} X`, given_name: word, family_name: word }
  await post('/auth/register', { ...account, ...names, metadata: { [word]: word } })
  const wrong = { email: account.email, password: 'wrong' }
  await lyceum.sso.inject({ method: 'POST', url: '/api/v1/auth/login', headers, payload: wrong })
  await post('/auth/password/forgot', { email: account.email })
  await upload(site, `email,display_name\n${account.email},${word}\n${word}-no-address,${word}\n`)

  const login = await post('/auth/login', { ...account, device_name: word })
  const { refresh_token, user } = login
  const { access_token } = await post('/auth/refresh', { refresh_token }, { 'idempotency-key': word })
  const bearer = { authorization: `Bearer ${access_token}`, 'user-agent': `${word}/1.0` }
  const { user_id } = user
  const member = `/api/v1/users/${user_id}?site_code=${site.site_code}`
  await call('sso', ['PATCH', member], site.owner.headers, { external_id: word })
  await learn(site, bearer, word)
  // From here on the first address stands in what was said before only.
  const email = `${word}2@${word}.example`
  await call('sso', ['PATCH', `/api/v1/users/${user_id}`], site.owner.headers, {
    email,
    time_zone: 'Europe/Berlin',
  })
  const anna = await signIn({ ...account, email }, { at: site, lyceum })
  await db.pool`update sso.users set email_verified = true, email_proven_at = clock_timestamp() where user_id = ${user_id}`
  // People of a sandbox have no token of the network itself, with which they could enrol factors.
  await db.pool`
    insert into sso.mfa_factors (factor_id, user_id, type, name, email, activated_at)
    values (gen_random_uuid(), ${user_id}, 'email', ${word}, ${email}, clock_timestamp())`
  await giveTotp(anna, lyceum)
  await challenge({ ...account, email }, headers, lyceum)
  return { word, user_id, headers: site.owner.headers }
}

async function learn(site: Site, learner: Headers, word: string) {
  const { headers } = await aUser({ at: site, lyceum })
  const channel = await call('learning', ['POST', '/api/channels'], headers, {
    title: 'C',
    episodes: [{ title: 'One' }],
  })
  const url = `/api/episodes/${channel.episodes[0].id}/homework`
  const homework = await call('learning', ['POST', url], headers, { title: 'Essay' })
  await call('learning', ['POST', `/api/episodes/homework/${homework.id}/submit`], learner, {
    text: `I am ${word}`,
  })
}

async function upload(site: TestSite & { owner: Person }, csv: string) {
  const boundary = 'lyceum-boundary'
  const payload = [
    `--${boundary}\r\nContent-Disposition: form-data; name="site_code"\r\n\r\n${site.site_code}\r\n`,
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="people.csv"\r\nContent-Type: text/csv\r\n\r\n${csv}\r\n`,
    `--${boundary}--\r\n`,
  ].join('')
  const reply = await lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/bulk/register',
    headers: { ...site.owner.headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload,
  })
  assert.equal(reply.statusCode, 202, reply.body)
  const { job_id } = reply.json()
  await eventually(async () => {
    const job = await call('sso', ['GET', `/api/v1/bulk/jobs/${job_id}`], site.owner.headers)
    return job.finished_at !== null
  })
}

/** What waits for partners is tried until nothing does. */
async function deliverAll() {
  await eventually(async () => {
    const { count } = await db.pool`
      update sso.webhook_deliveries set next_attempt_at = statement_timestamp()
       where state = 'pending' and next_attempt_at > statement_timestamp()`
    const waiting = await db.pool`
      select from foundation.jobs where state = 'pending' and kind = 'webhook.fan_out'
       union all select from sso.webhook_deliveries where state = 'pending' limit 1`
    return count === 0 && waiting.length === 0
  })
}

describe('after an erasure', () => {
  test('no table and no file holds data of the person', async () => {
    const partner = await aPartner(lyceum)
    const sandbox = { ...partner.site, owner: partner.owner }
    const held = await aPartner(lyceum, { site: sandbox })
    await call('sso', ['PATCH', `/api/v1/webhooks/${held.webhook_id}`], sandbox.owner.headers, {
      status: 'disabled',
    })
    const production = await aSite({ environment: 'production', lyceum })
    // Nobody can be reached there, so that what is sent to it fails.
    await db.pool`
      insert into sso.webhook_endpoints (webhook_id, site_id, url, events, confirmed_at)
      values (${newId()}, ${production.site_id}, 'https://127.0.0.1:1/', '{*}', clock_timestamp())`
    const canaries = [await aCanary(sandbox), await aCanary(production)]

    // The scan sees what there is to be seen.
    const seen = new Set((await Promise.all(canaries.map(({ word }) => columnsWith(word)))).flat())
    for (const column of [
      'learning.enrollments.user_email',
      'learning.submissions.text',
      'learning.submissions.user_email',
      'sso.audit_log.user_agent',
      'sso.memberships.external_id',
      'sso.messages.recipient',
      'sso.mfa_factors.name',
      'sso.one_time_tokens.email_fold',
      'sso.sessions.device_name',
      'sso.sessions.user_agent',
      'sso.users.email',
      'sso.users.email_fold',
      'sso.users.metadata',
      'sso.users.search',
      'sso.users.username',
      'sso.webhook_events.body',
    ])
      assert.ok(seen.has(column), `${column} is not among ${[...seen].join()}`)

    for (const { user_id, headers } of canaries)
      await call('sso', ['DELETE', `/api/v1/users/${user_id}`], headers)
    await deliverAll()
    for (const { word } of canaries) await eventually(async () => (await columnsWith(word)).length === 0)
    for (const { word, user_id } of canaries) {
      assert.deepEqual(filesWith(word), [])
      const left = await columnsWith(user_id)
      assert.deepEqual(
        left.filter((column) => column.startsWith('learning.')),
        [],
      )
    }
    // What is kept says nothing but the id.
    const kept = await db.pool<{ count: number }[]>`
      select count(*)::int as count from sso.billing_ledger where user_id = ${canaries[1]?.user_id ?? ''}`
    assert.equal(kept[0]?.count, 1)
  })
})
