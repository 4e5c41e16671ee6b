import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type World, world } from './world.ts'

export type Headers = Record<string, string>
export type Person = {
  user_id: string
  session_id: string
  tenant_id: string
  site_code: string
  email: string
  password: string
  access_token: string
  refresh_token: string
  headers: Headers
}
export type TestSite = {
  site_id: string
  site_code: string
  tenant_id: string
  site_key: string
  environment: string
  headers: Headers
}

const unique = () => randomBytes(5).toString('hex')

/** A caller without credentials. */
export const nobody = async () => ({ headers: {} as Headers })

/** The site `learning` of the first start, where people of the default tenant register. */
export async function homeSite(lyceum?: World): Promise<TestSite> {
  const { firstRun, db } = lyceum ?? (await world())
  const site = firstRun.sites['learning']
  assert.ok(site)
  const [row] = await db.fast<
    { tenant_id: string }[]
  >`select tenant_id from sso.sites where site_id = ${site.site_id}`
  return {
    ...site,
    site_code: 'learning',
    tenant_id: row?.tenant_id ?? '',
    headers: { 'x-sso-site-key': site.site_key },
  }
}

/** A person with an account and a live session, both made through the API. */
export async function aUser({ at, lyceum }: { at?: TestSite; lyceum?: World } = {}): Promise<Person> {
  const site = at ?? (await homeSite(lyceum))
  const email = `person-${unique()}@example.org`
  const password = `correct horse ${unique()}`
  const { sso } = lyceum ?? (await world())
  const registered = await sso.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    headers: site.headers,
    payload: { email, password },
  })
  assert.equal(registered.statusCode, 201, registered.body)
  return signIn({ email, password }, { at: site, ...(lyceum && { lyceum }) })
}

/** Opens a new session for the account. */
export async function signIn(
  account: { email: string; password: string },
  { at, lyceum }: { at?: TestSite; lyceum?: World } = {},
): Promise<Person> {
  const { sso } = lyceum ?? (await world())
  const site = at ?? (await homeSite(lyceum))
  const reply = await sso.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    headers: site.headers,
    payload: { email: account.email, password: account.password },
  })
  assert.equal(reply.statusCode, 200, reply.body)
  const { access_token, refresh_token, session_id, user } = reply.json()
  return {
    user_id: user.user_id,
    session_id,
    tenant_id: site.tenant_id,
    site_code: site.site_code,
    email: account.email,
    password: account.password,
    access_token,
    refresh_token,
    headers: { authorization: `Bearer ${access_token}` },
  }
}

/** A partner site in its own tenant, created through POST /sites; `owner` is its ADMIN. */
export async function aSite(
  options: { environment?: 'sandbox' | 'production'; lyceum?: World } = {},
): Promise<TestSite & { owner: Person }> {
  const { environment = 'production', lyceum } = options
  const creator = await aUser({ ...(lyceum && { lyceum }) })
  const { sso } = lyceum ?? (await world())
  const reply = await sso.inject({
    method: 'POST',
    url: '/api/v1/sites',
    headers: creator.headers,
    payload: { name: `Site ${unique()}`, environment },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  const { site_id, site_code, tenant_id, site_key } = reply.json()
  return {
    site_id,
    site_code,
    tenant_id,
    site_key,
    environment,
    headers: { 'x-sso-site-key': site_key },
    owner: creator,
  }
}

/** The ADMIN of a new tenant, signed in at its site. */
export async function anAdmin(options: { lyceum?: World } = {}): Promise<Person & { site: TestSite }> {
  const { owner, ...site } = await aSite(options)
  const person = await signIn(owner, { at: site, ...options })
  return { ...person, site }
}

/** A plain user in the tenant of that site. */
export const aColleague = (of: { site: TestSite }, lyceum?: World): Promise<Person> =>
  aUser({ at: of.site, ...(lyceum && { lyceum }) })

/** The admin of the first start, signed in at the console: ADMIN of every site in both environments. */
export async function anOperator(lyceum?: World): Promise<Person> {
  const { firstRun } = lyceum ?? (await world())
  const site = firstRun.sites['console']
  assert.ok(site)
  const headers = { 'x-sso-site-key': site.site_key }
  const at = { ...site, site_code: 'console', tenant_id: '', headers }
  return signIn(firstRun.admin, { at, ...(lyceum && { lyceum }) })
}
