import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { aWindowOf, phoneFaults } from '#testing/browser.ts'
import { sharedListeningWorld } from '#testing/enterprise.ts'
import { giveTotp } from '#testing/mfa.ts'
import { aColleague, anAdmin, aUser, type Person, signIn } from '#testing/people.ts'

/** The first page of the console: figures, charts, first steps and health, of all own sites or one. */
const lyceum = await sharedListeningWorld()
const { address, db, firstRun } = lyceum

const HOSTILE = '</script><img src=x onerror=document.title=1>'

async function openAs(
  person: Pick<Person, 'email' | 'password'>,
  query = '',
  options: BrowserContextOptions = {},
) {
  const { page, problems } = await aWindowOf(person, lyceum, options)
  await page.goto(`${address}/console${query}`)
  await page.locator('#page').waitFor()
  return { page, problems }
}

/** An ADMIN whose site had some sign-ins and failures in the last hours and days. */
async function aBusySite() {
  const admin = await anAdmin({ lyceum })
  const colleague = await aColleague(admin, lyceum)
  const { site } = admin
  await signIn(colleague, { at: site, lyceum })
  const pool = db.pool
  await pool`
    insert into sso.audit_log (audit_id, action, environment, site_id, actor_user_id, subject_user_id, occurred_at)
    select gen_random_uuid(), case when n % 7 = 0 then 'login.failed' else 'login.succeeded' end, ${site.environment},
           ${site.site_id}, null, ${admin.user_id}, clock_timestamp() - n * n * interval '30 seconds'
      from generate_series(1, 180) n`
  return { admin, colleague, site }
}

const tile = (page: Page, name: string) => page.locator('.tiles > div', { hasText: name }).locator('strong')
const tileIs = (page: Page, name: string, value: string) =>
  page.locator('.tiles > div', { hasText: name }).getByText(value, { exact: true }).waitFor()

describe('the overview of an ADMIN', () => {
  test('shows figures of all own sites, and of one when it is chosen', async () => {
    const [{ admin, site }, other] = [await aBusySite(), await aBusySite()]
    await db.pool`
      insert into sso.memberships (user_id, site_id, role, environment, user_created_at)
      select user_id, ${other.site.site_id}, 'ADMIN', environment, created_at from sso.users
       where user_id = ${admin.user_id}`
    const { page, problems } = await openAs(admin)
    await page.locator('select[name=site_code] option').nth(2).waitFor({ state: 'attached' })
    const all = Number(await tile(page, 'in the last 24 hours').textContent())
    await page.locator('select[name=site_code]').selectOption(other.site.site_code)
    await page.waitForURL(/site_code=/)
    await page.locator('.chart svg[aria-busy=false]').first().waitFor()
    const one = Number(await tile(page, 'in the last 24 hours').textContent())
    assert.ok(one > 0 && one < all, `${one} of ${all}`)
    await page.reload()
    await tileIs(page, 'in the last 24 hours', String(one))
    assert.equal(await page.locator('select[name=site_code]').inputValue(), other.site.site_code)
    assert.equal(await page.getByRole('heading', { name: 'Health' }).count(), 0)
    assert.equal(await page.getByRole('heading', { name: 'First steps' }).count(), 0)
    assert.ok(site.site_code !== other.site.site_code)
    assert.deepEqual(problems, [])
  })

  test('comes with its figures: no call is made before somebody acts', async () => {
    const { admin } = await aBusySite()
    const { page } = await openAs(admin)
    const calls: string[] = []
    page.on('request', (request) => void (request.url().includes('/api/') && calls.push(request.url())))
    await page.reload()
    await page.locator('.chart svg[aria-busy=false]').first().waitFor()
    assert.deepEqual(calls, [])
  })

  test('reads a chart by arrow keys and pointer, and shows its numbers as a table', async () => {
    const { admin, site } = await aBusySite()
    const { page, problems } = await openAs(admin, `?site_code=${site.site_code}`)
    const chart = page.locator('.chart').first()
    const drawing = chart.locator(':scope > svg')
    await drawing.focus()
    await page.keyboard.press('End')
    await chart.getByText('Show the numbers').click()
    assert.deepEqual(await phoneFaults(page), [])
    const rows = chart.locator('tbody tr')
    assert.equal(await rows.count(), 24)
    const last = await rows.last().locator('td').allTextContents()
    await drawing.focus()
    await page.keyboard.press('End')
    const told = (await chart.locator('.chart-key').innerText()).replaceAll(/\s+/g, ' ')
    assert.equal(told.trim(), `${last[0]} Succeeded ${last[1]} Failed ${last[2]}`)
    await page.keyboard.press('ArrowLeft')
    const before = await rows.nth(22).locator('td').first().textContent()
    assert.equal(await chart.locator('.chart-key strong').textContent(), before)
    await page.keyboard.press('Escape')
    assert.equal(await chart.locator('.chart-key strong').count(), 0)
    const box = await drawing.boundingBox()
    assert.ok(box)
    await page.mouse.move(box.x + box.width - 10, box.y + 60)
    assert.equal(await chart.locator('.chart-key strong').textContent(), last[0])
    await page.mouse.move(box.x + 46, box.y + 60)
    assert.equal(
      await chart.locator('.chart-key strong').textContent(),
      await rows.first().locator('td').first().textContent(),
    )
    assert.deepEqual(problems, [])
  })

  test('tells a site of others from none in nothing', async () => {
    const [{ admin }, stranger] = [await aBusySite(), await anAdmin({ lyceum })]
    const faultAt = async (site_code: string) => {
      const { page } = await openAs(admin, `?site_code=${site_code}`)
      return page.locator('.fault').textContent()
    }
    assert.equal(await faultAt(stranger.site.site_code), await faultAt('no-such-site'))
  })

  test('offers to try again when an answer is lost', async () => {
    const [{ admin, site }, other] = [await aBusySite(), await anAdmin({ lyceum })]
    await db.pool`
      insert into sso.memberships (user_id, site_id, role, environment, user_created_at)
      select user_id, ${other.site.site_id}, 'ADMIN', environment, created_at from sso.users
       where user_id = ${admin.user_id}`
    const { page } = await openAs(admin)
    await page.route('**/console/figures**', (route) => route.abort())
    await page.locator('select[name=site_code]').selectOption(site.site_code)
    await page.getByText('The service cannot be reached.').waitFor()
    assert.equal(await page.locator('.tiles').count(), 0)
    await page.unroute('**/console/figures**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('.chart svg[aria-busy=false]').first().waitFor()
    assert.equal(await page.locator('.fault').count(), 0)
    assert.ok(Number(await tile(page, 'in the last 24 hours').textContent()) > 0)
  })

  test('is text, whatever sites call themselves', async () => {
    const { admin, site } = await aBusySite()
    await db.pool`update sso.sites set name = ${HOSTILE} where site_id = ${site.site_id}`
    await db.pool`
      insert into sso.memberships (user_id, site_id, role, environment, user_created_at)
      select user_id, ${(await anAdmin({ lyceum })).site.site_id}, 'ADMIN', environment, created_at from sso.users
       where user_id = ${admin.user_id}`
    const { page, problems } = await openAs(admin)
    await page.getByRole('option', { name: HOSTILE }).waitFor({ state: 'attached' })
    assert.equal(await page.title(), 'Overview · Lyceum')
    assert.deepEqual(problems, [])
  })
})

describe('the palette', () => {
  const openPalette = async (page: Page) => {
    await page.keyboard.press('Control+k')
    return page.getByRole('dialog').getByRole('textbox')
  }

  test('finds a site by a part of its name, with Enter before the answer is there', async () => {
    const { site } = await aBusySite()
    const name = `Abendschule ${HOSTILE} ${site.site_code}`
    await db.pool`update sso.sites set name = ${name} where site_id = ${site.site_id}`
    const { page, problems } = await openAs(firstRun.admin)
    const field = await openPalette(page)
    await field.fill(`ABENDSCHULE </script><img src=x onerror=document.title=1> ${site.site_code}`)
    await page.getByRole('dialog').getByRole('link', { name: site.site_code }).waitFor()
    assert.equal(await page.title(), 'Overview · Lyceum')
    await page.keyboard.press('Escape')
    await (await openPalette(page)).fill(site.site_code)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/console/sites/${site.site_id}`)
    assert.deepEqual(problems, [])
  })

  test('finds no site of others', async () => {
    const [{ admin }, { site }] = [await aBusySite(), await aBusySite()]
    const { page } = await openAs(admin)
    await (await openPalette(page)).fill(site.site_code)
    await page.getByText('Nothing found.').waitFor()
  })

  test('leads from every live page to every place, by keys alone', async () => {
    const { page, problems } = await openAs(firstRun.admin)
    const places = await page
      .locator('header nav a[href^="/console"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
    let live = 0
    for (const place of places) {
      await page.goto(`${address}${place}`)
      if ((await page.locator('#page').count()) === 0) continue
      live++
      await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
      const links = await page.locator('header nav a').allTextContents()
      await openPalette(page)
      assert.deepEqual(await page.getByRole('dialog').getByRole('link').allTextContents(), links, place)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      // From /console/people itself the address stays: only a new document tells that the press has led there.
      const arrived = page.waitForEvent('domcontentloaded')
      await page.keyboard.press('Enter')
      await arrived
      assert.equal(new URL(page.url()).pathname, '/console/people')
    }
    assert.ok(live >= 7, `${live} live pages`)
    assert.deepEqual(problems, [])
  })
})

describe('the overview of a person without a site', () => {
  test('leads to making one', async () => {
    const { page, problems } = await openAs(await aUser({ lyceum }))
    await page.getByText('You are ADMIN of no site yet').waitFor()
    await page.getByRole('link', { name: 'Make a site' }).click()
    await page.getByRole('heading', { level: 1, name: 'New site' }).waitFor()
    assert.deepEqual(
      problems.filter((one) => !one.includes('403')),
      [],
    )
  })
})

describe('the overview of an operator', () => {
  test('is where a sign-in at the console leads', async () => {
    const { page } = await aWindowOf(firstRun.admin, lyceum)
    await page.goto(`${address}/sign-in?site_code=console`)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    assert.equal(page.url(), `${address}/console`)
  })

  test('ticks the first steps, hides them and takes that back', async () => {
    // Somebody new: what they hide and how they sign in is theirs alone.
    const [operator] = [await aUser({ lyceum }), await anAdmin({ lyceum })]
    await db.pool`
      insert into sso.memberships (user_id, site_id, role, environment, user_created_at)
      select user_id, ${firstRun.sites['console']?.site_id ?? ''}, 'ADMIN', environment, created_at from sso.users
       where user_id = ${operator.user_id}`
    const { page, problems } = await openAs(operator)
    const step = (name: string) => page.locator('.steps li', { hasText: name })
    await step('Add a second factor').getByText('open', { exact: true }).waitFor()
    await step('Make the first site').getByText('done', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Show the first steps' }).waitFor()
    assert.equal(await page.getByRole('heading', { name: 'First steps' }).count(), 0)
    await giveTotp(operator, lyceum)
    await page.reload()
    await page.getByRole('button', { name: 'Show the first steps' }).click()
    await step('Add a second factor').getByText('done', { exact: true }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('says how each part of the service is', async () => {
    const { page } = await openAs(firstRun.admin)
    const part = (name: string) => page.locator('li', { has: page.getByText(name, { exact: true }) })
    await part('Database').getByText('works', { exact: true }).waitFor()
    await part('E-mail').getByText('SMTP_URL is not set').waitFor()
    await part('Signing keys').getByText('works', { exact: true }).waitFor()
  })

  for (const [locale, word] of [
    ['de-DE', 'Auf einen Blick'],
    ['es-ES', 'De un vistazo'],
  ] as const)
    test(`speaks ${locale.slice(0, 2)}`, async () => {
      const { page } = await openAs(firstRun.admin, '', { locale })
      await page.getByRole('heading', { name: word }).waitFor()
    })
})
