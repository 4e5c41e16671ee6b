import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { CLIENT_SCOPES } from '#foundation/security/powers.ts'
import { aWindowOf, phoneFaults } from '#testing/browser.ts'
import { sharedListeningWorld } from '#testing/enterprise.ts'
import { aColleague, anAdmin, aSite, aUser, type Headers, type Person } from '#testing/people.ts'

/** Sites at the console: who sees which, how they are set, and what may be done with them. */
const lyceum = await sharedListeningWorld()
const { address, db, firstRun } = lyceum
const host = new URL(address).host

type Account = Pick<Person, 'email' | 'password'>

async function openAs(person: Account, path: string, options: BrowserContextOptions = {}) {
  const { page, problems } = await aWindowOf(person, lyceum, options)
  await page.goto(`${address}/console/sites${path}`)
  await page.locator('#page[aria-busy=false]').waitFor()
  return { page, problems }
}

const rowOf = async (site_id: string) =>
  (
    await db.pool`
      select name, domain, callback_url, return_urls, require_mfa, session_max_days, version,
             deleted_at is not null as is_deleted
        from sso.sites where site_id = ${site_id}`
  )[0]
const statusWith = async (site_key: string) => {
  const headers = { host, 'x-sso-site-key': site_key }
  const payload = { email: 'nobody@example.org', password: 'wrong horse 27' }
  const url = '/api/v1/auth/login'
  const reply = await lyceum.sso.inject({ method: 'POST', url, headers, payload })
  return reply.json<{ code: string }>().code
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').last().getByRole('button', { name, exact: true })
const toast = (page: Page, text: string) => page.locator('.toast').getByText(text).waitFor()
const section = (page: Page, name: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) })

async function confirm(page: Page, act: string, typed: string, submit = act) {
  await button(page, act).click()
  assert.equal(await inDialog(page, submit).isDisabled(), true)
  await page.getByLabel(`Type ${typed}`).fill(typed)
  await inDialog(page, submit).click()
}

/** What it showed is nowhere in the page afterwards. */
async function closeSecret(page: Page) {
  await inDialog(page, 'Close').click()
  await page.locator('.secret').waitFor({ state: 'detached' })
}

describe('sites', () => {
  test('are listed for an operator, found by words and filtered by what the address says', async () => {
    const admin = await anAdmin({ lyceum })
    await aColleague(admin, lyceum)
    const { site_id, site_code } = admin.site
    const sandbox = await aSite({ environment: 'sandbox', lyceum })
    const { page, problems } = await openAs(firstRun.admin, '')
    await page.getByRole('searchbox').fill(site_code)
    await page.getByText('1 of 1').waitFor()
    assert.match(page.url(), /q=site-/)
    const cells = await page.locator('tbody tr').getByRole('cell').allInnerTexts()
    const [, environment = '', status, domain, members, used] = cells
    assert.deepEqual([environment.split(/\s+/), status, members], [['Production', 'starter'], 'active', '2'])
    assert.match(domain ?? '', /not verified/)
    assert.match(used ?? '', /ago|now/)
    await page.locator('select[name=environment]').selectOption('sandbox')
    await page.getByText('No site here.').waitFor()
    await page.goto(`${address}/console/sites?environment=sandbox&q=${sandbox.site_code}`)
    await page.getByText('1 of 1').waitFor()
    await page.goto(`${address}/console/sites?q=${site_code}`)
    await page.locator('tbody .link').first().click()
    await page.waitForURL(`${address}/console/sites/${site_id}`)
    assert.deepEqual(problems, [])
  })

  test('go on behind the first page, and a wrong filter is said with a way on', async () => {
    await Promise.all(Array.from({ length: 26 }, () => aSite({ lyceum })))
    const { page, problems } = await openAs(firstRun.admin, '?environment=production&status=active')
    await page.getByText(/^25 of \d+/).waitFor()
    await button(page, 'Show more').click()
    await page.locator('tbody tr').nth(25).waitFor()
    const names = await page.locator('tbody .link .quiet-text').allInnerTexts()
    assert.equal(new Set(names).size, names.length)
    await page.goto(`${address}/console/sites?status=nonsense`)
    await page.getByRole('alert').waitFor()
    await page.locator('select[name=status]').selectOption('active')
    await page.getByText(/^25 of \d+/).waitFor()
    assert.deepEqual(problems, [])
  })

  test('are shown to an ADMIN who is one there only', async () => {
    const [admin, stranger] = [await anAdmin({ lyceum }), await anAdmin({ lyceum })]
    const { page, problems } = await openAs(admin, '')
    await page.getByText('1 of 1').waitFor()
    assert.equal(await page.getByText(stranger.site.site_code).count(), 0)
    const statusAt = async (site_id: string) =>
      (await page.goto(`${address}/console/sites/${site_id}`))?.status()
    assert.equal(await statusAt(admin.site.site_id), 200)
    assert.deepEqual(problems, [])
    for (const site_id of [stranger.site.site_id, crypto.randomUUID()])
      assert.equal(await statusAt(site_id), 404)
    const newcomer = await openAs(await aUser({ lyceum }), '')
    await newcomer.page.getByText('No site here.').waitFor()
    await button(newcomer.page, 'New site').click()
    await newcomer.page.waitForURL(`${address}/console/sites/new`)
  })

  test('run no text of others and change nothing by a link', async () => {
    const admin = await anAdmin({ lyceum })
    const { site_id, site_code } = admin.site
    const hostile = `<img src=x onerror=alert(1)>"'</title></script>\u202e`
    await db.pool`
      update sso.sites set name = ${hostile}, domain = ${hostile}, callback_url = ${`javascript:alert(1)//${hostile}`},
             return_urls = ${[hostile]}
       where site_id = ${site_id}`
    const before = await rowOf(site_id)
    const { page, problems } = await openAs(firstRun.admin, `?q=${site_code}`)
    const text = encodeURIComponent(hostile)
    for (const path of [
      `?q=${site_code}`,
      `?q=${text}`,
      `/${site_id}?act=remove&typed=${site_code}`,
      `/${site_id}#${text}`,
    ]) {
      await page.goto(`${address}/console/sites${path}`)
      await page.locator('#page[aria-busy=false]').waitFor()
      assert.equal(await page.locator('main img, main a[href^=javascript]').count(), 0, path)
      assert.equal(await page.getByRole('dialog').count(), 0, path)
    }
    await button(page, 'Delete the site').click()
    assert.equal(await page.locator('dialog img').count(), 0)
    assert.deepEqual(await rowOf(site_id), before)
    assert.deepEqual(problems, [])
  })
})

describe('the settings of a site', () => {
  /** An ADMIN who has the form open, and what the page sends. */
  async function anEdit() {
    const admin = await anAdmin({ lyceum })
    const { site_id } = admin.site
    const { page, problems } = await openAs(admin, `/${site_id}`)
    await section(page, 'Settings').getByRole('button', { name: 'Edit' }).click()
    const patches: [body: string, version: string | undefined][] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH')
        patches.push([request.postData() ?? '', request.headers()['if-match']])
    })
    return { ...admin.site, page, problems, patches }
  }

  test('are saved, with only what was changed and the version that was read', async () => {
    const { page, site_id, patches, problems } = await anEdit()
    await page.getByLabel('Name').fill('Night School')
    await page.getByLabel('Further addresses').fill('https://a.example.org/x\n\nhttps://b.example.org/')
    await page.getByLabel('A session ends after').fill('7')
    await inDialog(page, 'Save').click()
    await page.getByRole('heading', { level: 1, name: 'Night School' }).waitFor()
    await page.getByText('7 days').waitFor()
    const { name, return_urls, session_max_days } = (await rowOf(site_id)) ?? {}
    assert.deepEqual(
      [name, return_urls, session_max_days],
      ['Night School', ['https://a.example.org/x', 'https://b.example.org/'], 7],
    )
    assert.deepEqual(
      patches.map(([body, version]) => [Object.keys(JSON.parse(body)).toSorted(), version]),
      [[['name', 'return_urls', 'session_max_days'], '"1"']],
    )
    await section(page, 'Settings').getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('A session ends after').fill('')
    await inDialog(page, 'Save').click()
    await page.getByText('7 days').waitFor({ state: 'detached' })
    assert.equal(patches[1]?.[0], '{"session_max_days":null}')
    assert.deepEqual(problems, [])
  })

  test('that somebody else changed meanwhile are shown side by side, and theirs stay', async () => {
    const { page, site_id, patches, problems } = await anEdit()
    await page.getByLabel('Name').fill('Night School')
    await db.pool`
      update sso.sites set name = 'Day School', return_urls = ${['https://theirs.example.org/']}, version = version + 1
       where site_id = ${site_id}`
    await inDialog(page, 'Save').click()
    await page.getByText('Somebody else changed this meanwhile').waitFor()
    const cells = await page.locator('dialog.wide tbody tr').allInnerTexts()
    assert.equal(cells.length, 2)
    assert.match(cells[0] ?? '', /^Name both.*Day School.*Night School$/s)
    assert.match(cells[1] ?? '', /empty.*https:\/\/theirs\.example\.org\//s)
    await inDialog(page, 'Save mine').click()
    await page.getByRole('heading', { level: 1, name: 'Night School' }).waitFor()
    const { name, return_urls } = (await rowOf(site_id)) ?? {}
    assert.deepEqual([name, return_urls], ['Night School', ['https://theirs.example.org/']])
    assert.deepEqual([...new Set(patches.map(([body]) => body))], ['{"name":"Night School"}'])
    assert.deepEqual(problems, [])
  })

  test('that are wrong are said at their field', async () => {
    const { page, site_id, problems } = await anEdit()
    await page.getByLabel('Address that people return to').fill('javascript:alert(1)')
    await inDialog(page, 'Save').click()
    await page.locator('#callback_url-fault').waitFor()
    await page.getByLabel('Address that people return to').fill('')
    await page.getByLabel('Domain').fill('no host name')
    await inDialog(page, 'Save').click()
    await page.locator('#domain-fault').waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    assert.equal((await rowOf(site_id))?.['version'], 1)
    assert.equal(await page.getByLabel('May name the addresses').count(), 0)
    assert.deepEqual(problems, [])
  })

  test('hold the proof of the domain, which is checked at once', async () => {
    const admin = await anAdmin({ lyceum })
    const { page, problems } = await openAs(admin, `/${admin.site.site_id}`)
    await page.route('**/domain-proof', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 409, json: NO_PROOF }) : route.continue(),
    )
    await page.getByText('_lyceum.').waitFor()
    await button(page, 'Check the record now').click()
    await toast(page, 'The record is not there yet.')
    await button(page, 'Check the file now').click()
    await toast(page, 'The file is not there yet.')
    await page.unroute('**/domain-proof')
    await db.pool`
      update sso.sites set domain_verified_at = clock_timestamp() where site_id = ${admin.site.site_id}`
    await button(page, 'Check the record now').click()
    await toast(page, 'The domain is verified.')
    await button(page, 'Check the record now').waitFor({ state: 'detached' })
    assert.deepEqual(problems, [])
  })
})
const NO_PROOF = { detail: 'It does not hold it yet', code: 'domain_unverified' }

describe('the keys of a site', () => {
  test('are two at most: the second is shown once, the first is revoked with its end typed', async () => {
    const admin = await anAdmin({ lyceum })
    const { site_id, site_key } = admin.site
    const { page, problems } = await openAs(admin, `/${site_id}`)
    assert.equal(await page.getByRole('button', { name: /^Revoke/ }).count(), 0)
    await button(page, 'Add a second key').click()
    await inDialog(page, 'Add a second key').dblclick()
    const shown = page.getByRole('dialog').last().locator('.secret')
    const second = (await shown.textContent()) ?? ''
    assert.match(second, /^sso_live_/)
    await closeSecret(page)
    assert.equal(await statusWith(second), 'invalid_credentials')
    assert.ok(!(await page.content()).includes(second))
    await button(page, 'Add a second key').waitFor({ state: 'detached' })
    const hint = site_key.slice(-4)
    await confirm(page, `Revoke ${hint}`, hint, 'Revoke')
    await toast(page, 'is refused from now on')
    await button(page, 'Add a second key').waitFor()
    assert.notEqual(await statusWith(site_key), 'invalid_credentials')
    assert.equal(await statusWith(second), 'invalid_credentials')
    const acts = await db.pool`
      select action from sso.audit_log where site_id = ${site_id} and action like 'site_key.%' order by occurred_at`
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['site_key.created', 'site_key.deleted'],
    )
    await page.reload()
    await page.getByText(second.slice(-4)).first().waitFor()
    assert.ok(!(await page.content()).includes(second))
    assert.deepEqual(problems, [])
  })

  test('have a secret of tokens beside them, renewed with the code typed', async () => {
    const admin = await anAdmin({ lyceum })
    const { page, problems } = await openAs(admin, `/${admin.site.site_id}`)
    await confirm(page, 'Renew the secret of tokens', admin.site.site_code)
    const secret = await page.getByRole('dialog').last().locator('.secret').textContent()
    assert.ok((secret ?? '').length >= 32)
    await closeSecret(page)
    const [site] = await db.pool`
      select hs_generation from sso.sites where site_id = ${admin.site.site_id}`
    assert.equal(site?.['hs_generation'], 2)
    assert.deepEqual(problems, [])
  })
})

describe('the OpenID client of a site', () => {
  const clientOf = async (site_id: string) =>
    (
      await db.pool`
        select redirect_uris, scopes, requires_pkce, version, encode(secret_hash, 'hex') as hash
          from sso.openid_clients where site_id = ${site_id}`
    )[0]

  test('is made, changed beside somebody else, gets a new secret and is removed', async () => {
    const admin = await anAdmin({ lyceum })
    const { site_id, site_code } = admin.site
    const { page, problems } = await openAs(admin, `/${site_id}`)
    await button(page, 'Make it a client').click()
    const scopes = await page
      .locator('dialog input[name=scopes]')
      .evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value))
    assert.deepEqual(scopes.toSorted(), [...CLIENT_SCOPES].toSorted())
    await inDialog(page, 'Make it a client').click()
    await page.locator('#redirect_uris-fault').waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    await page.getByLabel('Addresses after sign-in').fill('https://club.example.org/callback')
    await inDialog(page, 'Make it a client').click()
    const secret = (await page.getByRole('dialog').last().locator('.secret').textContent()) ?? ''
    assert.match(secret, /^oidc_/)
    await closeSecret(page)
    await button(page, 'Edit the client').click()
    await page.getByLabel('users:read').check()
    await db.pool`
      update sso.openid_clients set redirect_uris = ${['https://theirs.example.org/']}, version = version + 1
       where site_id = ${site_id}`
    await inDialog(page, 'Save').click()
    await inDialog(page, 'Save mine').click()
    await section(page, 'OpenID Connect').getByText('users:read').waitFor()
    const saved = await clientOf(site_id)
    assert.deepEqual(
      [saved?.['redirect_uris'], saved?.['scopes'], saved?.['requires_pkce']],
      [['https://theirs.example.org/'], ['users:read'], true],
    )
    await confirm(page, 'New secret', site_code)
    assert.notEqual(await page.getByRole('dialog').last().locator('.secret').textContent(), secret)
    await closeSecret(page)
    assert.notEqual((await clientOf(site_id))?.['hash'], saved?.['hash'])
    await confirm(page, 'Remove the client', site_code)
    await page.getByText('This site has no client yet.').waitFor()
    assert.equal(await clientOf(site_id), undefined)
    assert.deepEqual(problems, [])
  })

  test('that somebody else made meanwhile is not overwritten', async () => {
    const admin = await anAdmin({ lyceum })
    const { site_id } = admin.site
    const { page } = await openAs(admin, `/${site_id}`)
    await button(page, 'Make it a client').click()
    await page.getByLabel('Addresses after sign-in').fill('https://mine.example.org/')
    const headers: Headers = { ...admin.headers, host }
    const payload = { redirect_uris: ['https://theirs.example.org/'] }
    const url = `/api/v1/sites/${site_id}/openid-client`
    assert.equal((await lyceum.sso.inject({ method: 'PUT', url, headers, payload })).statusCode, 201)
    await inDialog(page, 'Make it a client').click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    assert.deepEqual((await clientOf(site_id))?.['redirect_uris'], ['https://theirs.example.org/'])
  })
})

test('a site says what could not be read, and claims nothing about it', async () => {
  const admin = await anAdmin({ lyceum })
  const { site_id } = admin.site
  const { page } = await openAs(admin, `/${site_id}`)
  await page.getByText('This site has no client yet.').waitFor()
  const url = `/api/v1/sites/${site_id}/openid-client`
  const payload = { redirect_uris: ['https://club.example.org/'] }
  const headers = { ...admin.headers, host }
  assert.equal((await lyceum.sso.inject({ method: 'PUT', url, headers, payload })).statusCode, 201)
  await page.route('**/openid-client', (route) => route.abort())
  await page.reload()
  await page.getByRole('alert').getByText('cannot be reached').waitFor()
  assert.equal(await button(page, 'Make it a client').count(), 0)
  assert.equal(await page.getByText('This site has no client yet.').count(), 0)
  await button(page, 'Add a second key').waitFor()
})

describe('what only some may do with a site', () => {
  test('is for an operator: the limit of its organisation, and wiping a sandbox', async () => {
    const site = await aSite({ environment: 'sandbox', lyceum })
    const { site_id, site_code, tenant_id } = site
    const member = await aUser({ at: site, lyceum })
    const { page, problems } = await openAs(firstRun.admin, `/${site_id}`)
    await button(page, 'Change the limit').click()
    await page.getByLabel('New people a day').fill('1234')
    await inDialog(page, 'Save').click()
    await section(page, 'Limits').getByText('1,234').waitFor()
    const [quota] = await db.pool`
      select people_per_day from sso.import_quotas where tenant_id = ${tenant_id}`
    assert.equal(quota?.['people_per_day'], 1_234)
    await confirm(page, 'Wipe the sandbox', site_code)
    await toast(page, 'Wiped: 1 person is gone.')
    const left = await db.pool`
      select from sso.memberships where user_id = ${member.user_id} and site_id = ${site_id}`
    assert.equal(left.length, 0)
    const owner = await openAs(site.owner, `/${site_id}`)
    await owner.page.getByRole('link', { name: 'Read its messages' }).waitFor()
    await section(owner.page, 'Limits').getByText('1,234').waitFor()
    for (const act of ['Change the limit', 'Wipe the sandbox', 'Withdraw the approval'])
      assert.equal(await button(owner.page, act).count(), 0, act)
    assert.deepEqual([problems, owner.problems], [[], []])
  })

  test('is deleted by its ADMIN with its code typed; a site of the network is not', async () => {
    const admin = await anAdmin({ lyceum })
    const { site_id, site_code } = admin.site
    const { page, problems } = await openAs(admin, `/${site_id}`)
    await confirm(page, 'Delete the site', site_code)
    await page.waitForURL(`${address}/console/sites`)
    await page.getByText('No site here.').waitFor()
    assert.equal((await rowOf(site_id))?.['is_deleted'], true)
    assert.deepEqual(problems, [])
    const home = firstRun.sites['learning']?.site_id ?? ''
    const operator = await openAs(firstRun.admin, `/${home}`)
    await section(operator.page, 'Limits').getByText('Used today').waitFor()
    assert.equal(await operator.page.getByRole('button', { name: /Delete|Withdraw/ }).count(), 0)
  })

  test('is refused to whoever is ADMIN no longer, in a page that is still open', async () => {
    const admin = await anAdmin({ lyceum })
    const { page } = await openAs(admin, `/${admin.site.site_id}`)
    await button(page, 'Add a second key').click()
    await db.pool`
      update sso.memberships set role = 'USER' where user_id = ${admin.user_id} and site_id = ${admin.site.site_id}`
    await inDialog(page, 'Add a second key').click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    const keys = await db.pool`select from sso.site_keys where site_id = ${admin.site.site_id}`
    assert.equal(keys.length, 1)
  })
})

describe('the pages about sites', () => {
  for (const [locale, title, add, settings] of [
    ['de-DE', 'Websites', 'Neue Website', 'Einstellungen'],
    ['es-ES', 'Sitios', 'Nuevo sitio', 'Ajustes'],
  ] as const)
    test(`speak the language of the browser: ${locale}`, async () => {
      const { site_id } = await aSite({ lyceum })
      const { page } = await openAs(firstRun.admin, '', { locale })
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await button(page, add).waitFor()
      await page.goto(`${address}/console/sites/${site_id}`)
      await page.locator('main').getByRole('heading', { name: settings }).waitFor()
    })
})
