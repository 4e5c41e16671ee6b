import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { aWindowOf, phoneFaults } from '#testing/browser.ts'
import { sharedListeningWorld } from '#testing/enterprise.ts'
import { aColleague, anAdmin, aUser, type Person } from '#testing/people.ts'

/** Who did what, at a page of the console. */
const lyceum = await sharedListeningWorld()
const { address, db, firstRun } = lyceum

async function openAs(
  person: Pick<Person, 'email' | 'password'>,
  query = '',
  options: BrowserContextOptions = {},
) {
  const { page, problems } = await aWindowOf(person, lyceum, options)
  await page.goto(`${address}/console/audit${query}`)
  await page.locator('#page .bar, #page .empty').first().waitFor()
  return { page, problems }
}

const entry = (page: Page, action: string) => page.getByRole('button', { name: action, exact: true }).first()

async function write({ site_id }: { site_id: string }, action: string, details: object = {}) {
  const [line] = await db.pool<{ audit_id: string }[]>`
    insert into sso.audit_log (audit_id, action, environment, site_id, details)
    values (gen_random_uuid(), ${action}, 'production', ${site_id}, ${db.pool.json(details as never)})
    returning audit_id`
  return line?.audit_id ?? assert.fail()
}

describe('the audit log', () => {
  test('shows an ADMIN their own site, one entry in full, and keeps it in the address', async () => {
    const admin = await anAdmin({ lyceum })
    const colleague = await aColleague(admin, lyceum)
    const { page, problems } = await openAs(admin)
    await entry(page, 'user.registered').click()
    const panel = page.locator('.panel')
    await panel.getByRole('link', { name: colleague.user_id }).waitFor()
    assert.match((await panel.locator('pre').textContent()) ?? '', /"action": "user.registered"/)
    assert.deepEqual(await phoneFaults(page), [])
    await page.reload()
    await panel.getByRole('link', { name: colleague.user_id }).waitFor()
    await entry(page, 'login.succeeded').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await panel.getByRole('heading', { name: 'user.registered' }).waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    assert.ok(!page.url().includes('open='))
    assert.deepEqual(problems, [])
  })

  test('comes with the page for an operator: no call is made before somebody acts', async () => {
    const { page } = await openAs(firstRun.admin)
    const calls: string[] = []
    page.on('request', (request) => void (request.url().includes('/api/') && calls.push(request.url())))
    await page.reload()
    await page.locator('tbody button.link').first().waitFor()
    assert.deepEqual(calls, [])
  })

  test('is filtered by action, person and time, in the address', async () => {
    const admin = await anAdmin({ lyceum })
    const [anna, ben] = [await aColleague(admin, lyceum), await aColleague(admin, lyceum)]
    const { page } = await openAs(firstRun.admin, `?site_code=${admin.site_code}`)
    await page.getByLabel('Action').fill('user.registered')
    await page.keyboard.press('Enter')
    await page.getByText('2 of 2').waitFor()
    await page.getByLabel('Person concerned').fill(anna.email.toUpperCase())
    await page.keyboard.press('Enter')
    await page.getByText('1 of 1').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('subject'), anna.user_id)
    await page.reload()
    await page.getByText('1 of 1').waitFor()
    await page.getByLabel('Person concerned').fill(ben.user_id)
    await page.keyboard.press('Enter')
    await page.getByText('1 of 1').waitFor()
    await page.getByLabel('Until').fill('2020-01-01T00:00')
    await page.keyboard.press('Enter')
    await page.getByText('No entries match.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await entry(page, 'login.succeeded').waitFor()
    await page.getByLabel('Done by').fill('nobody@example.org')
    await page.keyboard.press('Enter')
    await page.getByText('No person has this address.').waitFor()
    await page.getByLabel('Done by').fill('not an id')
    await page.keyboard.press('Enter')
    await page.locator('.fault').waitFor()
  })

  test('follows what happens only while it is asked to', async () => {
    const admin = await anAdmin({ lyceum })
    const { page } = await openAs(admin)
    await page.clock.install()
    await page.reload()
    await entry(page, 'site.created').waitFor()
    await page.getByRole('button', { name: 'Follow' }).click()
    await write(admin.site, 'role.assigned')
    await entry(page, 'role.assigned').waitFor()
    assert.match(page.url(), /follow=1/)
    await page.getByRole('button', { name: 'Follow', pressed: true }).click()
    const calls: string[] = []
    page.on('request', (request) => void (request.url().includes('/api/') && calls.push(request.url())))
    await page.clock.runFor(60_000)
    assert.equal(await page.getByRole('button', { name: 'Follow', pressed: false }).count(), 1)
    assert.deepEqual(calls, [])
  })

  test('goes on behind a cursor and is saved whole, as CSV and JSON Lines', async () => {
    const admin = await anAdmin({ lyceum })
    for (let i = 0; i < 30; i++) await write(admin.site, 'login.failed')
    const { page } = await openAs(admin, '?action=login.failed')
    await page.getByText('25 of 30').waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('30 of 30').waitFor()
    for (const [name, lines] of [
      ['CSV', 31],
      ['JSON Lines', 30],
    ] as const) {
      const saving = page.waitForEvent('download')
      await page.getByRole('button', { name: `Save as ${name}` }).click()
      const text = await readFile(await (await saving).path(), 'utf8')
      assert.equal(text.trimEnd().split('\n').length, lines, name)
    }
  })

  test('of another site is neither listed nor opened by a link', async () => {
    const [admin, other] = [await anAdmin({ lyceum }), await anAdmin({ lyceum })]
    const audit_id = await write(other.site, 'secret.thing')
    const { page } = await openAs(admin, `?open=${audit_id}`)
    await page.getByText('There is no such entry, or you may not see it.').waitFor()
    await page.goto(`${address}/console/audit?site_code=${other.site_code}&open=${audit_id}`)
    await page.locator('.fault').waitFor()
    assert.ok(!(await page.content()).includes('secret.thing'))
    const { page: nobody } = await openAs(await aUser({ lyceum }))
    await nobody.getByText('You are ADMIN of no site yet.').waitFor()
  })

  test('shows what others wrote as text', async () => {
    const admin = await anAdmin({ lyceum })
    const hostile = '</script><img src=x onerror=alert(1)>\u202E'
    await write(admin.site, hostile, { [hostile]: hostile })
    const { page, problems } = await openAs(admin)
    await page.locator('tbody button.link', { hasText: '<img' }).click()
    await page.locator('.panel pre', { hasText: '<img' }).waitFor()
    assert.equal(await page.locator('#page img').count(), 0)
    assert.deepEqual(problems, [])
  })

  test('speaks the language of the browser', async () => {
    const admin = await anAdmin({ lyceum })
    for (const [locale, word] of [
      ['de-DE', 'Mitlaufen'],
      ['es-ES', 'Seguir'],
    ] as const) {
      const { page } = await openAs(admin, '', { locale })
      await page.getByRole('button', { name: word }).waitFor()
    }
  })
})
