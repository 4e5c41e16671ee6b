import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { aWindow, aWindowOf, phoneFaults } from '#testing/browser.ts'
import { sharedListeningWorld } from '#testing/enterprise.ts'
import { aSite, aUser, type Person, type TestSite } from '#testing/people.ts'

const lyceum = await sharedListeningWorld()
const { address, db } = lyceum

/** The attacker's page, on another site for browsers: it links to us, or it redirects to us by itself. */
const stranger = createServer((request, response) => {
  const [kind = '', target = ''] = (request.url ?? '').split(/\?(.*)/s)
  const step = kind === '/goes' ? `<meta http-equiv="refresh" content="0;url=${target}">` : ''
  response
    .setHeader('content-type', 'text/html')
    .end(`<link rel="icon" href="data:,">${step}<a href="${target}">Win</a>`)
}).listen(0)
await once(stranger, 'listening')
after(() => stranger.close())
const { port } = stranger.address() as AddressInfo
const elsewhere = `http://localhost:${port}`
const back = `${elsewhere}/back`

async function aPartner(name?: string): Promise<TestSite & { owner: Person }> {
  const site = await aSite({ lyceum })
  await db.pool`
    update sso.sites set callback_url = ${back}, name = coalesce(${name ?? null}, name), domain = 'club.example.org'
     where site_id = ${site.site_id}`
  return site
}
const signInAt = ({ site_code }: TestSite) => `${address}/sign-in?site_code=${site_code}`

async function aSignedIn(options: BrowserContextOptions = {}) {
  const anna = await aUser({ lyceum })
  const { page, problems } = await aWindowOf(anna, lyceum, { at: 'learning', ...options })
  await page.goto(`${address}/sign-in`)
  await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
  return { anna, page, problems }
}

/** The number of memberships, sessions and codes of people at a site. */
async function countOf({ site_id }: TestSite): Promise<number> {
  const [found] = await db.pool<{ rows: number }[]>`
    select ((select count(*) from sso.memberships m join sso.roles r using (site_id, role)
              where site_id = ${site_id} and not r.is_admin)
         + (select count(*) from sso.sessions where site_id = ${site_id})
         + (select count(*) from sso.sign_in_codes join sso.sessions using (session_id) where site_id = ${site_id}))::int as rows`
  return found?.rows ?? -1
}

const question = (page: Page) => page.getByRole('heading', { name: /^Sign in to .*\?$/ })

describe('a page of another site leads signed in people to its site', () => {
  for (const [how, go] of [
    ['by a link', (page: Page) => page.getByRole('link', { name: 'Win' }).click()],
    ['by itself', async () => {}],
  ] as const)
    test(`${how}: it asks, and creates nothing before the answer`, async () => {
      const [evil, { anna, page, problems }] = [await aPartner(), await aSignedIn()]
      await page.goto(`${elsewhere}/${how === 'by itself' ? 'goes' : 'link'}?${signInAt(evil)}`)
      await go(page)
      await question(page).waitFor()
      assert.equal(await page.getByText(anna.email).count(), 1)
      assert.equal(await countOf(evil), 0)
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.waitForURL(`${back}?error=access_denied`)
      assert.equal(await countOf(evil), 0)
      assert.deepEqual(problems, [])
    })

  test('also half an hour later, with only the sign-in cookies', async () => {
    const [evil, { page }] = [await aPartner(), await aSignedIn()]
    await page.context().clearCookies({ name: 'access_token' })
    await page.goto(`${elsewhere}/goes?${signInAt(evil)}`)
    await question(page).waitFor()
    assert.equal(await countOf(evil), 0)
  })

  test('without sso_known it shows the form and a link to continue', async () => {
    const [evil, { page }] = [await aPartner(), await aSignedIn()]
    await page.context().clearCookies({ name: 'sso_known' })
    await page.goto(`${elsewhere}/goes?${signInAt(evil)}`)
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    assert.equal(await countOf(evil), 0)
    await page.getByRole('link', { name: 'Go on as who is signed in in this browser' }).click()
    await question(page).waitFor()
    assert.equal(await countOf(evil), 0)
  })
})

describe('the page of consent', () => {
  test('leads to the site once allowed, and asks only once', async () => {
    const [site, { page, problems }] = [await aPartner(), await aSignedIn()]
    await page.goto(`${elsewhere}/link?${signInAt(site)}`)
    await page.getByRole('link', { name: 'Win' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL((url) => url.href.startsWith(`${back}?code=code_`))
    await page.goto(`${elsewhere}/link?${signInAt(site)}`)
    await page.getByRole('link', { name: 'Win' }).click()
    await page.waitForURL((url) => url.href.startsWith(`${back}?code=code_`))
    assert.deepEqual(problems, [])
  })

  test('works without JavaScript after the password, and by keyboard', async () => {
    const [site, anna] = [await aPartner(), await aUser({ lyceum })]
    const { page, problems } = await aWindow({ javaScriptEnabled: false })
    await page.goto(signInAt(site))
    await page.getByLabel('E-mail address or username').fill(anna.email)
    await page.getByLabel('Password').fill(anna.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await question(page).waitFor()
    assert.equal(await countOf(site), 0)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.href.startsWith(`${back}?code=code_`))
    assert.deepEqual(problems, [])
  })

  test('gives both answers equal size and colours', async () => {
    const [site, { page }] = [await aPartner(), await aSignedIn()]
    await page.goto(signInAt(site))
    const looks = []
    for (const name of ['Allow', 'Cancel']) {
      const button = page.getByRole('button', { name })
      const box = await button.boundingBox()
      const style = await button.evaluate(
        '(button) => { const { color, backgroundColor, borderColor, fontSize, fontWeight } = getComputedStyle(button); return [color, backgroundColor, borderColor, fontSize, fontWeight].join() }',
      )
      looks.push([Math.round(box?.width ?? 0), box?.height, style])
    }
    assert.deepEqual(looks[0], looks[1])
  })
})

test('connected sites are listed and disconnected without JavaScript', async () => {
  const [site, { page, problems }] = [
    await aPartner('Chess Club'),
    await aSignedIn({ javaScriptEnabled: false }),
  ]
  await page.goto(signInAt(site))
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL((url) => url.href.startsWith(`${back}?code=`))
  await page.goto(`${address}/account/sites`)
  await page.getByRole('heading', { name: 'Chess Club' }).waitFor()
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('status').getByText('Chess Club is disconnected').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Disconnect' }).count(), 0)
  // The access cookie died with the sessions; the hosted sign-in, which the browser still has, opens the page again.
  await page.goto(`${address}/account/sites`)
  await page.getByRole('heading', { name: 'Connected sites' }).waitFor()
  await page.goto(signInAt(site))
  await question(page).waitFor()
  assert.deepEqual(problems, [])
})

test('the pages of consent suit a phone, with many sites and none', async () => {
  const { anna, page, problems } = await aSignedIn()
  const sites = [await aPartner('Chess Club of the Gymnasium am Rotenberg'), await aPartner('Library')]
  await page.goto(signInAt(sites[0] ?? assert.fail()))
  await question(page).waitFor()
  assert.deepEqual(await phoneFaults(page), [], 'consent')
  for (const site of sites) {
    await page.goto(signInAt(site))
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL((url) => url.href.startsWith(back))
    await db.pool`update sso.sites set domain_verified_at = clock_timestamp() where site_id = ${site.site_id}`
  }
  const third = await aPartner('Sports')
  await db.pool`
    insert into sso.memberships (user_id, site_id, role) values (${anna.user_id}, ${third.site_id}, 'USER')`
  await page.goto(`${address}/account/sites`)
  await page.getByRole('button', { name: 'Disconnect' }).first().click()
  await page.getByRole('status').waitFor()
  assert.deepEqual(await phoneFaults(page), [], 'sites')
  assert.deepEqual(problems, [])
})
