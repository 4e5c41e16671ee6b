import assert from 'node:assert/strict'
import {
  aColleague,
  anOperator,
  aSite,
  aUser,
  homeSite,
  type Headers,
  type Person,
  signIn,
  type TestSite,
} from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { sso, firstRun, db } = await world()

/** Tokens of people with different relations to one site. `owner` created the site and is its ADMIN. */
export type Cast = {
  site: TestSite
  owner: Person
  /** A plain member of the site. */
  member: Person
  /** The headers of each column of the matrix. */
  headers: Record<
    | 'own'
    | 'other'
    | 'console'
    | 'operator'
    | 'learning'
    | 'member'
    | 'stranger'
    | 'key'
    | 'client'
    | 'nobody',
    Headers
  >
}

export async function openCast(): Promise<Cast> {
  const { owner: anna, ...site } = await aSite()
  const other = await register(anna)
  const owner = await signIn(anna, { at: site })
  const member = await aColleague({ site })
  const stranger = await aSite()
  // Sets what an operator grants (the plan) and what DNS would prove (the domain), so that routes of the plan answer.
  await db.pool`
    update sso.sites set plan = 'business', domain_verified_at = clock_timestamp() where site_id = ${site.site_id}`
  const at = async (place: TestSite) => (await signIn(anna, { at: place })).headers
  return {
    site,
    owner,
    member,
    headers: {
      own: owner.headers,
      other: await at(other),
      console: await at(await consoleSite()),
      operator: (await anOperator()).headers,
      learning: (await signIn(anna)).headers,
      member: member.headers,
      stranger: (await signIn(stranger.owner, { at: stranger })).headers,
      key: site.headers,
      client: await ofBackEnd(site, owner),
      nobody: {},
    },
  }
}

const SCOPES = [
  'users:read',
  'users:write',
  'roles:assign',
  'sessions:revoke',
  'webhooks:manage',
  'bulk:import',
  'payments:read',
  'site:manage',
  'audit:read',
]
export const CLIENT = { redirect_uris: ['https://partner.example.org/back'], scopes: SCOPES }

/** A token of the site's own back end, with all powers of an ADMIN. */
async function ofBackEnd({ site_id, site_code }: TestSite, { headers }: Person): Promise<Headers> {
  const url = `/api/v1/sites/${site_id}/openid-client`
  const client = await sso.inject({ method: 'PUT', url, headers, payload: CLIENT })
  assert.equal(client.statusCode, 201, client.body)
  const basic = Buffer.from(`${site_code}:${client.json().client_secret}`).toString('base64')
  const reply = await sso.inject({
    method: 'POST',
    url: '/openid/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${basic}` },
    payload: 'grant_type=client_credentials',
  })
  assert.equal(reply.statusCode, 200, reply.body)
  return { authorization: `Bearer ${reply.json().access_token}` }
}

async function consoleSite(): Promise<TestSite> {
  const site = firstRun.sites['console']
  assert.ok(site)
  return {
    ...(await homeSite()),
    ...site,
    site_code: 'console',
    headers: { 'x-sso-site-key': site.site_key },
  }
}

/** A token of the site's ADMIN at another site of the tenant, made by somebody else; there they are a plain member. */
export async function atTwin({ site, owner }: Pick<Cast, 'site' | 'owner'>): Promise<Headers> {
  const carl = await aUser()
  const { user_id } = await signIn(carl, { at: site })
  const granted = await sso.inject({
    method: 'POST',
    url: `/api/v1/users/${user_id}/roles`,
    headers: owner.headers,
    payload: { role: 'ADMIN' },
  })
  assert.equal(granted.statusCode, 201, granted.body)
  return (await signIn(owner, { at: await register(carl, site.tenant_id) })).headers
}

/** Creates a site for a person signed in at `learning`. Without `tenant_id` it also creates a tenant. */
async function register({ headers }: Person, tenant_id?: string): Promise<TestSite> {
  const made = await sso.inject({
    method: 'POST',
    url: '/api/v1/sites',
    headers,
    payload: { name: 'Site', environment: 'production', ...(tenant_id !== undefined && { tenant_id }) },
  })
  assert.equal(made.statusCode, 201, made.body)
  const site = made.json()
  if (tenant_id !== undefined) assert.equal(site.tenant_id, tenant_id)
  return { ...site, headers: { 'x-sso-site-key': site.site_key } }
}
