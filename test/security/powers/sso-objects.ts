import assert from 'node:assert/strict'
import { uploadCsv } from '#testing/bulk.ts'
import { aColleague, anOperator, type Headers, signIn } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import type { Cast } from './cast.ts'
import type { Ids } from './matrix.ts'

/** Objects for the rows of the sso: each function creates one object of the site and returns its ids. */
const { sso, db } = await world()

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

async function made(method: Method, url: string, headers: Headers, payload: object = {}) {
  const reply = await sso.inject({ method, url, headers, ...(method !== 'DELETE' && { payload }) })
  assert.ok(reply.statusCode < 300, `${method} ${url}: ${reply.body}`)
  return reply.json()
}

export const site = async ({ site: { site_id, site_code, tenant_id } }: Cast): Promise<Ids> => ({
  site_id,
  site_code,
  tenant_id,
})

/** A member of this site only, with a session. */
export async function person(cast: Cast): Promise<Ids> {
  const { user_id, session_id } = await aColleague(cast)
  return { ...(await site(cast)), user_id, session_id }
}

/** A second ADMIN. */
export async function admin(cast: Cast): Promise<Ids> {
  const ids = await person(cast)
  await made('POST', `/api/v1/users/${ids['user_id']}/roles`, cast.owner.headers, { role: 'ADMIN' })
  return { ...ids, role: 'ADMIN' }
}

/** The ADMIN of the site. */
export const oneself = async ({ owner }: Cast): Promise<Ids> => ({ user_id: owner.user_id })

/** A factor that another member has begun to enrol. */
export async function factor(cast: Cast): Promise<Ids> {
  const member = await signIn(await aColleague(cast))
  const { factor_id } = await made('POST', '/api/v1/mfa/factors', member.headers, {
    type: 'totp',
    name: 'Phone',
  })
  return { factor_id }
}

/** A second key of the site. */
export async function key(cast: Cast): Promise<Ids> {
  await oneKey(cast)
  const { hint } = await made('POST', `/api/v1/sites/${cast.site.site_id}/keys`, cast.owner.headers)
  return { site_id: cast.site.site_id, hint }
}

/** The site with one key, so that a second one can be added. */
export async function oneKey(cast: Cast): Promise<Ids> {
  const { site_id, site_key } = cast.site
  await db.pool`
    update sso.site_keys set revoked_at = clock_timestamp()
     where site_id = ${site_id} and hint <> ${site_key.slice(-4)} and revoked_at is null`
  return site(cast)
}

/** The site without `trust_client_ip`: the client addresses that it reports are ignored. */
export async function untrusted(cast: Cast): Promise<Ids> {
  await db.pool`update sso.sites set trust_client_ip = false where site_id = ${cast.site.site_id}`
  return site(cast)
}

export const CONNECTION = {
  type: 'oidc',
  name: 'School',
  issuer: 'https://1.1.1.1',
  client_id: 'lyceum',
  client_secret: 's3cret-of-the-client',
}

/** A connection with a verified domain. */
export async function connection(cast: Cast): Promise<Ids> {
  const { site_id } = cast.site
  await db.pool`delete from sso.connections where site_id = ${site_id}`
  const url = `/api/v1/sites/${site_id}/connections`
  const { connection_id } = await made('POST', url, cast.owner.headers, CONNECTION)
  // No test calls a foreign server: loopback is an address that is refused.
  await db.pool`
    update sso.connections set issuer = 'https://127.0.0.1' where connection_id = ${connection_id}`
  const domain = 'school.example.org'
  await made('POST', `${url}/${connection_id}/domains`, cast.owner.headers, { domain })
  await made('POST', `${url}/${connection_id}/domains/${domain}/verify`, (await anOperator()).headers, {
    is_override: true,
  })
  return { site_id, connection_id, domain }
}

/** A connection with a SCIM token. */
export async function scimToken(cast: Cast): Promise<Ids> {
  const ids = await connection(cast)
  const url = `/api/v1/sites/${ids['site_id']}/connections/${ids['connection_id']}/scim-tokens`
  const { token_id } = await made('POST', url, cast.owner.headers, { name: 'Directory' })
  return { ...ids, token_id }
}

/** A connection and the id of a resource of its directory. */
export const provisioned = async (cast: Cast): Promise<Ids> => ({
  ...(await connection(cast)),
  id: cast.member.user_id,
})

/** The site without connections, so that one can be added. */
export async function noConnection(cast: Cast): Promise<Ids> {
  await db.pool`delete from sso.connections where site_id = ${cast.site.site_id}`
  return site(cast)
}

let endpoints = 0
/** The only endpoint of the site; earlier ones are deleted. */
export async function endpoint(cast: Cast): Promise<Ids> {
  const { site_id } = cast.site
  await db.pool`update sso.webhook_endpoints set deleted_at = clock_timestamp() where site_id = ${site_id}`
  const webhook_url = `https://1.1.1.1/hook/${endpoints++}`
  const { webhook_id } = await made('POST', '/api/v1/webhooks', cast.owner.headers, { webhook_url })
  return { ...(await site(cast)), webhook_id }
}

/** An event with a pending delivery. */
export async function event(cast: Cast): Promise<Ids> {
  const ids = await endpoint(cast)
  const { event_id } = await made('POST', `/api/v1/webhooks/${ids['webhook_id']}/test`, cast.owner.headers)
  return { ...ids, event_id }
}

/** A letter to a member that did not arrive. */
export async function message(cast: Cast): Promise<Ids> {
  const { user_id = '' } = await person(cast)
  const [failed] = await db.pool<{ message_id: string }[]>`
    update sso.messages set status = 'failed', failure = 'smtp_550', body_enc = null where user_id = ${user_id}
    returning message_id`
  assert.ok(failed)
  return { ...(await site(cast)), ...failed }
}

/** A letter to a member that waits for its next attempt. */
export async function waiting(cast: Cast): Promise<Ids> {
  const { user_id = '' } = await person(cast)
  const [queued] = await db.pool<{ message_id: string }[]>`
    update foundation.jobs j set run_at = now() + interval '1 hour'
      from sso.messages m where m.job_id = j.job_id and m.user_id = ${user_id} returning m.message_id`
  assert.ok(queued)
  return { ...(await site(cast)), ...queued }
}

/** A queued import. */
export async function job(cast: Cast): Promise<Ids> {
  const { status, body } = await uploadCsv(cast.owner.headers, 'email\nnew@example.org\n', {
    dry_run: 'true',
  })
  assert.equal(status, 202, JSON.stringify(body))
  return { ...(await site(cast)), job_id: body.job_id }
}

export async function order(cast: Cast): Promise<Ids> {
  const { site_code } = cast.site
  const { headers } = await anOperator()
  const { order_id } = await made('POST', '/api/v1/admin/orders', headers, {
    site_code,
    plan: 'business',
    amount: 100,
  })
  return { ...(await site(cast)), order_id }
}

/** No object of the site, for paths that name none. */
export const nothing = async (): Promise<Ids> => ({ name: 'none', build: 'none' })
