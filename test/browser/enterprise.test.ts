import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { aWindow, phoneFaults } from '#testing/browser.ts'
import {
  aConnection,
  aPlannedSite,
  exchange,
  sharedListeningWorld,
  unique,
  verifiedDomain,
} from '#testing/enterprise.ts'
import { startOidcIdp } from '#testing/oidc-idp.ts'
import { startSamlIdp } from '#testing/saml-idp.ts'

const lyceum = await sharedListeningWorld()

/** The partner's own page. */
const partner = createServer((_, response) => {
  response.setHeader('content-type', 'text/html').end('<link rel="icon" href="data:,">Home')
}).listen(0, '127.0.0.1')
await once(partner, 'listening')
after(() => partner.close())
const home = `http://127.0.0.1:${(partner.address() as AddressInfo).port}/home`

async function aPartner() {
  const site = await aPlannedSite(lyceum)
  await lyceum.db.pool`update sso.sites set callback_url = ${home} where site_id = ${site.site_id}`
  return site
}
const signInPage = ({ site_code }: { site_code: string }) =>
  `${lyceum.address}/sign-in?site_code=${site_code}`

describe('in a real browser, with the provider on another site', () => {
  test('a link leads through an OpenID provider to the partner', async () => {
    const site = await aPartner()
    const idp = await startOidcIdp({ host: 'localhost' })
    const client = { client_id: 'lyceum', client_secret: 'secret' }
    const connection = await aConnection(lyceum, site, { type: 'oidc', issuer: idp.issuer, ...client })
    idp.serve({ ...client, ...connection })
    idp.state.person = { sub: unique(), email: `zoe-${unique()}@school.example` }
    const { page, problems } = await aWindow()
    await page.goto(signInPage(site))
    await page.getByRole('link', { name: 'Sign in with School' }).click()
    await page.waitForURL((url) => url.href.startsWith(`${home}?code=`))
    const { status, body } = await exchange(lyceum, site, new URL(page.url()))
    assert.deepEqual([status, body.user.email], [200, idp.state.person['email']])
    assert.deepEqual(problems, [])
  })

  test('an address without password leads through SAML to the partner', async () => {
    const site = await aPartner()
    const idp = await startSamlIdp({ host: 'localhost' })
    const connection = await aConnection(lyceum, site, { type: 'saml', metadata_url: idp.metadata_url })
    idp.state.acs_url = connection.acs_url
    idp.state.person = { id: unique(), email: `sam-${unique()}@school.example` }
    await verifiedDomain(lyceum, site, connection.connection_id, 'school.example')
    const { page } = await aWindow()
    await page.goto(signInPage(site))
    await page.getByLabel('E-mail address or username').fill(idp.state.person.email)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL((url) => url.href.startsWith(`${home}?code=`))
    const { status, body } = await exchange(lyceum, site, new URL(page.url()))
    assert.deepEqual([status, body.user.email], [200, idp.state.person.email])
  })

  test('an unreachable provider leads to a page to try again', async () => {
    const site = await aPartner()
    const idp = await startSamlIdp({ host: 'localhost' })
    await aConnection(lyceum, site, { type: 'saml', metadata_url: idp.metadata_url })
    await idp.close()
    const { page } = await aWindow()
    await page.goto(signInPage(site))
    await page.getByRole('link', { name: 'Sign in with School' }).click()
    await page.getByRole('alert').getByText('The identity provider cannot be reached').waitFor()
    assert.match(
      (await page.getByRole('link', { name: 'Try again' }).getAttribute('href')) ?? '',
      /^\/sso\/.+\/start/,
    )
    assert.deepEqual(await phoneFaults(page), [])
  })
})
