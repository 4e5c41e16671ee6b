import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import { decodeJwt } from 'jose'
import { newId } from '#foundation/ids.ts'
import { migrate } from '#foundation/database/migrations.ts'
import { importCsv } from '#testing/bulk.ts'
import { testDatabase } from '#testing/database.ts'
import { eventually } from '#testing/eventually.ts'
import { tempFolder } from '#testing/temp-folder.ts'
import { anAdmin, anOperator, type Headers, type Person, signIn } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { buildWorld } from '#testing/world.ts'

const lyceum = await buildWorld()
const { sso, db } = lyceum
await lyceum.startJobs()

const unique = () => randomBytes(5).toString('hex')
const PASSWORD = 'battery staple 7'

/** Somebody of whom a tenant's file says that their address is proven, signed in at that tenant and at another. */
async function aClaimed({ domain = 'example.com' } = {}) {
  const [here, there] = [await anAdmin({ lyceum }), await anAdmin({ lyceum })]
  const email = `anna-${unique()}@${domain}`
  const hash = await hashBcrypt(PASSWORD, { cost: 4 })
  await importCsv(here.headers, `email,email_verified,password_hash\n${email},yes,${hash}\n`, { lyceum })
  const anna = await signIn({ email, password: PASSWORD }, { at: here.site, lyceum })
  const elsewhere = await signIn({ email, password: PASSWORD }, { at: there.site, lyceum })
  return { here, there, anna, elsewhere }
}

/** email_verified as this token's holder reads it. */
const seenBy = async ({ headers }: { headers: Headers }, { user_id }: Person) =>
  (await sso.inject({ url: `/api/v1/users/${user_id}`, headers })).json().email_verified
const userinfoOf = async ({ headers }: Person) =>
  (await sso.inject({ url: '/openid/userinfo', headers })).json().email_verified

async function proveDomain({ site_id }: { site_id: string }, domain: string) {
  const connection_id = newId()
  await db.pool`
    insert into sso.connections (connection_id, site_id, type, name, issuer, client_id)
    values (${connection_id}, ${site_id}, 'oidc', 'School', 'https://idp.example', 'x')`
  await db.pool`
    insert into sso.connection_domains (site_id, domain, connection_id, challenge, verified_at, verified_by)
    values (${site_id}, ${domain}, ${connection_id}, 'x', clock_timestamp(), 'dns')`
}

describe('a tenant’s claim that an address is proven', () => {
  test("counts everywhere while the tenant's domain is verified", async () => {
    const domain = `${unique()}.example`
    const { here, there, anna, elsewhere } = await aClaimed({ domain })
    const views = async () => [
      await seenBy(here, anna),
      await seenBy(there, anna),
      await userinfoOf(anna),
      await userinfoOf(elsewhere),
    ]
    assert.deepEqual(await views(), [true, false, false, false])
    await proveDomain(there.site, domain)
    assert.deepEqual(await views(), [true, false, false, false], 'the domain of another tenant')
    await proveDomain(here.site, domain)
    assert.deepEqual(await views(), [true, true, true, true])
    await db.pool`
      update sso.connection_domains set verified_at = null, verified_by = null where site_id = ${here.site.site_id}`
    assert.deepEqual(await views(), [true, false, false, false])
  })

  test('ends when the address changes', async () => {
    const { here, anna } = await aClaimed()
    const operator = await anOperator(lyceum)
    const payload = { email: `new-${unique()}@example.com` }
    const url = `/api/v1/users/${anna.user_id}`
    const moved = await sso.inject({ method: 'PATCH', url, headers: operator.headers, payload })
    assert.equal(moved.statusCode, 200, moved.body)
    assert.equal(await seenBy(here, anna), false)
  })

  test('never enters an ID token', async () => {
    const { here, anna } = await aClaimed()
    const redirect_uri = 'https://partner.example.org/cb'
    const client = await sso.inject({
      method: 'PUT',
      url: `/api/v1/sites/${here.site.site_id}/openid-client`,
      headers: here.headers,
      payload: { redirect_uris: [redirect_uri] },
    })
    assert.equal(client.statusCode, 201, client.body)
    const code_verifier = randomBytes(32).toString('base64url')
    const asked = new URLSearchParams({
      client_id: here.site.site_code,
      redirect_uri,
      response_type: 'code',
      scope: 'openid email',
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const visitor = aVisitor({ lyceum })
    const start = await visitor.get(`/openid/authorize?${asked.toString()}`)
    const done = await visitor.submit(String(start.headers.location), {
      name: anna.email,
      password: PASSWORD,
    })
    const code = new URL(String(done.headers.location)).searchParams.get('code') ?? ''
    const credentials = `${here.site.site_code}:${client.json().client_secret}`
    const reply = await sso.inject({
      method: 'POST',
      url: '/openid/token',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      },
      payload: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        code_verifier,
        redirect_uri,
      }).toString(),
    })
    assert.equal(reply.statusCode, 200, reply.body)
    const claims = decodeJwt(reply.json().id_token)
    assert.deepEqual([claims['email'], claims['email_verified']], [anna.email, false])
  })

  test('reaches sites of that tenant only', async () => {
    const { here, there, anna } = await aClaimed()
    for (const { headers } of [here, there]) {
      const payload = { webhook_url: 'https://hooks.example.org/x' }
      await sso.inject({ method: 'POST', url: '/api/v1/webhooks', headers, payload })
    }
    const url = `/api/v1/users/${anna.user_id}`
    await sso.inject({ method: 'PATCH', url, headers: anna.headers, payload: { display_name: 'Anna' } })
    type Told = { site_id: string; body: { data: { user: { email_verified: boolean } } } }
    let told: Told[] = []
    await eventually(async () => {
      told = await db.pool<Told[]>`
        select site_id, convert_from(body, 'UTF8')::json as body from sso.webhook_events
         where subject_user_id = ${anna.user_id} and event_type = 'user.updated'`
      return told.length === 2
    })
    const verifiedAt = ({ site }: typeof here) =>
      told.find(({ site_id }) => site_id === site.site_id)?.body.data.user.email_verified
    assert.deepEqual([verifiedAt(here), verifiedAt(there)], [true, false])
  })

  test('is hidden from an operator outside a site', async () => {
    const { anna, here } = await aClaimed()
    const console_key = lyceum.firstRun.sites['console']?.site_key ?? ''
    const login = await sso.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      headers: { 'x-sso-site-key': console_key },
      payload: lyceum.firstRun.admin,
    })
    const headers = { authorization: `Bearer ${login.json().access_token}` }
    assert.equal(await seenBy({ headers }, anna), false)
    const listed = async (query: string) => {
      const url = `/api/v1/users?email=${encodeURIComponent(anna.email)}${query}`
      const { items } = (await sso.inject({ url, headers })).json()
      return items[0].email_verified
    }
    assert.equal(await listed(''), false)
    assert.equal(await listed(`&site_code=${here.site.site_code}`), true)
  })
})

test('the migration converts verification by imports into claims', async () => {
  const [{ db: old, url }, folder] = [await testDatabase(), tempFolder('sso')]
  const source = join(import.meta.dirname, '../../migrations')
  const bring = async (isWanted: (file: string) => boolean) => {
    for (const file of readdirSync(source).filter(isWanted))
      copyFileSync(join(source, file), join(folder, file))
    return migrate(url, [{ name: 'sso', folder }])
  }
  await old.pool`drop schema sso cascade`
  await old.pool`delete from foundation.migrations where source = 'sso'`
  await bring((file) => file < '0019')
  const [tenant_id, site_id] = [newId(), newId()]
  await old.pool`insert into sso.tenants (tenant_id, name, environment) values (${tenant_id}, 'School', 'production')`
  await old.pool`
    insert into sso.sites (site_id, tenant_id, site_code, name, domain, environment, webhook_secret_enc)
    values (${site_id}, ${tenant_id}, 'school', 'School', 'school', 'production', '\\x00')`
  const add = async (name: string, row: Record<string, unknown>) => {
    const email = `${name}@example.org`
    const person = { user_id: newId(), environment: 'production', email, email_fold: email, ...row }
    await old.pool`insert into sso.users ${old.pool(person)}`
  }
  const [bulk, at] = [{ registration_source: 'bulk_import' }, { registration_site_id: site_id }]
  await add('claimed', { ...bulk, ...at, email_verified: true })
  await add('unsaid', { ...bulk, ...at })
  await add('proven', { ...bulk, ...at, email_verified: true, email_proven_at: new Date() })
  await add('registered', { ...at, registration_source: 'register' })
  await add('admin', { registration_source: 'admin' })
  await bring((file) => file.startsWith('0019'))
  const rows = await old.pool`
    select split_part(u.email, '@', 1) as name, u.email_verified, u.is_claimed, c.tenant_id = ${tenant_id} as has_claim,
           c.domain
      from sso.users u left join sso.email_claims c using (user_id) order by name`
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [
      ['admin', false, true, null, null],
      ['claimed', false, false, true, 'example.org'],
      ['proven', true, true, null, null],
      ['registered', false, true, null, null],
      ['unsaid', false, false, null, null],
    ],
  )
})
