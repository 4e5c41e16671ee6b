import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  aConnection,
  aPlannedSite,
  aWalker,
  exchange,
  HOME,
  listeningWorld,
  unique,
  verifiedDomain,
} from '#testing/enterprise.ts'
import { startOidcIdp } from '#testing/oidc-idp.ts'
import { aUser, type Person } from '#testing/people.ts'
import { createTold } from '../../core/told/told.ts'
import type { SsoParts } from '../../core/parts.ts'
import { disconnectSite } from '../connected-sites/connected-sites.ts'

const lyceum = await listeningWorld()
const { address, db } = lyceum

/** A school whose provider knows this person, who has an account of their own with the network. */
async function aSchoolFor(person: Person) {
  const site = await aPlannedSite(lyceum)
  const idp = await startOidcIdp()
  const client = { client_id: 'lyceum', client_secret: `secret-${unique()}` }
  const connection = await aConnection(lyceum, site, {
    type: 'oidc',
    issuer: idp.issuer,
    ...client,
    role_attribute: 'groups',
    role_mapping: [{ value: 'staff', role: 'ADMIN' }],
  })
  idp.serve({ ...client, ...connection })
  idp.state.person = { sub: `p-${unique()}`, email: person.email, email_verified: true, groups: ['staff'] }
  await verifiedDomain(lyceum, site, connection.connection_id, 'example.org')
  return { site, start: `${address}/sso/${connection.connection_id}/start` }
}

/** A person of the sandbox, where providers may be on this machine; they came by the site of another tenant. */
const somebody = async () => aUser({ lyceum, at: await aPlannedSite(lyceum) })

/** Somebody who proved their address to us, long before the school came. */
async function aPersonOfTheirOwn() {
  const person = await somebody()
  await db.pool`
    update sso.users set email_verified = true, email_proven_at = clock_timestamp() where user_id = ${person.user_id}`
  return person
}

const memberOf = async ({ user_id }: Person, { site_id }: { site_id: string }) =>
  (
    await db.pool<{ role: string }[]>`
    select role from sso.memberships where user_id = ${user_id} and site_id = ${site_id}`
  )[0]?.role

/** Presses Allow on the page the walk ended at. */
async function allow(walker: ReturnType<typeof aWalker>, url: URL, body: string) {
  const form_token = /name="form_token" value="([^"]+)"/.exec(body)?.[1] ?? ''
  const form = new URLSearchParams({ form_token, decision: 'allow' }).toString()
  const { response } = await walker.request(url, form)
  return new URL(response.headers.get('location') ?? '', address)
}

describe('a first visit through the provider of a school', () => {
  test('asks an existing account and gives the role after consent', async () => {
    const anna = await aPersonOfTheirOwn()
    const [school, walker] = [await aSchoolFor(anna), aWalker()]
    const { url, status, body } = await walker.walk(school.start)
    assert.deepEqual([url.pathname, status], ['/sign-in/consent', 200])
    assert.equal(await memberOf(anna, school.site), undefined)
    const back = await allow(walker, url, body)
    const { status: exchanged, body: tokens } = await exchange(lyceum, school.site, back)
    assert.deepEqual([exchanged, tokens.user.user_id], [200, anna.user_id])
    assert.equal(await memberOf(anna, school.site), 'ADMIN')
    assert.ok((await aWalker().walk(school.start)).url.href.startsWith(`${HOME}?code=`), 'not asked again')
  })

  for (const [whose, source, isAsked] of [
    ['the tenant of the school imported', 'bulk_import', false],
    ['the tenant of the school made', 'admin', false],
    ['came to a site of the school by themselves', 'register', true],
  ] as const)
    test(`${isAsked ? 'asks' : 'does not ask'} somebody who ${whose}`, async () => {
      const anna = await somebody()
      const school = await aSchoolFor(anna)
      await db.pool`
        update sso.users set registration_site_id = ${school.site.site_id}, registration_source = ${source}
         where user_id = ${anna.user_id}`
      await linked(anna, school)
      const { url } = await aWalker().walk(school.start)
      assert.equal(url.pathname === '/sign-in/consent', isAsked)
    })

  test('asks somebody imported by another tenant', async () => {
    const anna = await aPersonOfTheirOwn()
    const [school, other] = [await aSchoolFor(anna), await aPlannedSite(lyceum)]
    await db.pool`
      update sso.users set registration_site_id = ${other.site_id}, registration_source = 'bulk_import', email_verified = false,
             email_proven_at = null
       where user_id = ${anna.user_id}`
    await linked(anna, school)
    assert.equal((await aWalker().walk(school.start)).url.pathname, '/sign-in/consent')
  })

  test('asks again after a disconnect, also accounts the school made', async () => {
    const anna = await somebody()
    const school = await aSchoolFor(anna)
    await db.pool`
      update sso.users set registration_site_id = ${school.site.site_id}, registration_source = 'admin'
       where user_id = ${anna.user_id}`
    await linked(anna, school)
    assert.ok((await aWalker().walk(school.start)).url.href.startsWith(`${HOME}?code=`))
    const told = createTold(lyceum.parts, lyceum.parts.limits.limiter('sso'))
    const parts = { ...lyceum.parts, gate: lyceum.gate, told } as SsoParts
    await disconnectSite(parts, anna, school.site.site_id, { ip_address: '127.0.0.1', user_agent: '' })
    assert.equal((await aWalker().walk(school.start)).url.pathname, '/sign-in/consent')
  })
})

/** The identity is known already, so that no address has to be proven for it. */
async function linked(person: Person, { start }: { start: string }) {
  await db.pool`update sso.users set email_verified = true, email_proven_at = clock_timestamp() where user_id = ${person.user_id}`
  await aWalker().walk(start)
  await db.pool`update sso.users set email_verified = false, email_proven_at = null where user_id = ${person.user_id}`
}
