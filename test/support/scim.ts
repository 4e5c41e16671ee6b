import assert from 'node:assert/strict'
import { aConnection, aPlannedSite, type PlannedSite, unique, verifiedDomain } from './enterprise.ts'
import type { Headers } from './people.ts'
import type { World } from './world.ts'

/** A customer's directory, as its SCIM client calls us. */
export type School = {
  site: PlannedSite
  connection_id: string
  domain: string
  token: string
  headers: Headers
  /** Sends a request below the base address of the connection, and reads the answer. */
  call: (method: Method, path: string, body?: object, headers?: Headers) => Promise<Answer>
}
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** Tests read answers of every shape, as they do of the other services. */
export type Body = ReturnType<typeof JSON.parse>
export type Answer = { status: number; body: Body; headers: Record<string, unknown> }

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

export const patch = (...Operations: object[]) => ({ schemas: [PATCH], Operations })

/** A site of the plan Business with one connection, a proven domain and a token. */
export async function aSchool(
  lyceum: World,
  { site: given, plan = 'business' }: { site?: PlannedSite; plan?: string } = {},
): Promise<School> {
  const site = given ?? (await aPlannedSite(lyceum, { plan }))
  const domain = `${unique()}.example.org`
  const source = {
    type: 'oidc',
    issuer: 'http://127.0.0.1:39997',
    client_id: 'lyceum',
    client_secret: 'secret',
  }
  const { connection_id } = await aConnection(lyceum, site, source)
  await verifiedDomain(lyceum, site, connection_id, domain)
  const made = await lyceum.sso.inject({
    method: 'POST',
    url: `/api/v1/sites/${site.site_id}/connections/${connection_id}/scim-tokens`,
    headers: site.owner.headers,
    payload: { name: 'Directory' },
  })
  assert.equal(made.statusCode, 201, made.body)
  const { token } = made.json()
  const headers = { authorization: `Bearer ${token}` }
  const call: School['call'] = async (method, path, body, more = {}) => {
    const reply = await lyceum.sso.inject({
      method,
      url: `/scim/v2/${connection_id}${path}`,
      headers: { ...headers, ...(body && { 'content-type': 'application/scim+json' }), ...more },
      ...(body && { payload: JSON.stringify(body) }),
    })
    return {
      status: reply.statusCode,
      body: reply.body === '' ? {} : (reply.json() as Body),
      headers: reply.headers,
    }
  }
  return { site, connection_id, domain, token, headers, call }
}

let made = 0
/** What a directory says about a new person of the school. */
export const aPerson = ({ domain }: School, more: object = {}): Body => ({
  schemas: [USER],
  userName: `person-${++made}-${unique()}@${domain}`,
  name: { givenName: 'Anna', familyName: 'Smith' },
  displayName: 'Anna Smith',
  active: true,
  ...more,
})
