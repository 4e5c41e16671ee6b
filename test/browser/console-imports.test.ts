import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { aWindowOf, phoneFaults } from '#testing/browser.ts'
import { listeningWorld } from '#testing/enterprise.ts'
import { eventually } from '#testing/eventually.ts'
import { anAdmin, anOperator, type Person } from '#testing/people.ts'
import { COLUMNS } from '../../src/sso/lifecycle/bulk/csv.ts'

/** An ADMIN brings their people by a file, at a page of the console. */
const lyceum = await listeningWorld({ SSO_RATE_LIMIT_AUTH: '0' })
const { address, db } = lyceum
await lyceum.startJobs()

const HOSTILE = '<img src=x onerror=document.title=1>'
const unique = () => randomBytes(4).toString('hex')

/** Two good rows, and one whose address and language are wrong. */
const aFile = (tag = unique()) => ({
  name: 'people.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(
    `E-Mail,Display name,locale\nanna-${tag}@example.org,${HOSTILE},en\n"nobody, at all",Ben,en\nzoe-${tag}@example.org,Zoë,de\n`,
  ),
})

async function openAs(person: Person, query: string, options: BrowserContextOptions = {}) {
  const { page, problems } = await aWindowOf(person, lyceum, options)
  await page.goto(`${address}/console/imports${query}`)
  await page.getByRole('heading', { level: 1, name: 'Imports' }).waitFor()
  return { page, problems }
}

const jobsOf = (site_id: string) =>
  db.pool<{ job_id: string; dry_run: boolean; status: string }[]>`
    select job_id, dry_run, status from sso.bulk_jobs where site_id = ${site_id} order by created_at`
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function importFile(page: Page, file = aFile()) {
  await page.locator('input[type=file]').setInputFiles(file)
  await button(page, 'Import').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
  await page.getByText('3 of 3 rows').waitFor()
}

/** How long a page waits before it asks for a job again, while nothing of it moves. */
const JOB_WAITS = [400, 600, 900, 1_350, 2_025, 3_037.5, 4_556.25, 6_834.375, 10_000]
/** Keeps the delays of all timers of a page, and of those that are still to run. */
const WATCHED_TIMERS = `
  const [start, stop] = [setTimeout, clearTimeout]
  window.waits = []
  window.pending = new Map()
  window.setTimeout = (run, ms) => {
    waits.push(ms)
    const timer = start(() => (pending.delete(timer), run()), ms)
    pending.set(timer, ms)
    return timer
  }
  window.clearTimeout = (timer) => (pending.delete(timer), stop(timer))`

describe('the imports of a site', () => {
  test('show the first rows, try them, and import them with the refused row to repair', async () => {
    const admin = await anAdmin({ lyceum })
    const { page, problems } = await openAs(admin, `?site_code=${admin.site.site_code}`)
    await page.locator('input[type=file]').setInputFiles(aFile())
    await page.getByRole('cell', { name: HOSTILE }).waitFor()
    assert.equal(await page.getByLabel('Column of E-Mail').inputValue(), 'email')
    await button(page, 'Dry run').click()
    await page.getByRole('cell', { name: 'nobody, at all' }).last().waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    await button(page, 'Import').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    await page
      .locator('.badge', { hasText: /^done, with errors$/ })
      .nth(2)
      .waitFor()
    const saving = page.waitForEvent('download')
    await button(page, 'Refused rows as CSV, to repair').click()
    const refused = await readFile(await (await saving).path(), 'utf8')
    assert.equal(refused, 'email,display_name,locale\r\n"nobody, at all",Ben,en\r\n')
    const people =
      await db.pool`select from sso.memberships where site_id = ${admin.site.site_id} and role = 'USER'`
    assert.equal(people.length, 2)
    assert.equal(await page.title(), 'Imports · Lyceum')
    await page.reload()
    await page.getByText('3 of 3 rows').waitFor()
    assert.deepEqual(problems, [])
  })

  test('are the same import when a file is sent again, unless told otherwise', async () => {
    const admin = await anAdmin({ lyceum })
    const { page } = await openAs(admin, `?site_code=${admin.site.site_code}`)
    const file = aFile()
    await importFile(page, file)
    await page.reload()
    await importFile(page, file)
    await page.getByText('was sent before').waitFor()
    assert.equal((await jobsOf(admin.site.site_id)).length, 1)
    await button(page, 'Run it again').click()
    await page.getByText('was sent before').waitFor({ state: 'detached' })
    assert.equal((await jobsOf(admin.site.site_id)).length, 2)
  })

  test('are asked to name a column that nobody knows', async () => {
    const admin = await anAdmin({ lyceum })
    const { page } = await openAs(admin, `?site_code=${admin.site.site_code}`)
    const buffer = Buffer.from(`post\nanna-${unique()}@example.org\n`)
    await page.locator('input[type=file]').setInputFiles({ ...aFile(), buffer })
    await page.getByText('Choose a column').waitFor()
    assert.equal(await button(page, 'Import').isDisabled(), true)
    await page.getByLabel('Column of post').selectOption('email')
    await button(page, 'Dry run').click()
    await page.getByText('1 of 1 rows').waitFor()
  })

  test('are cut where their header is known, or at the separator that is chosen', async () => {
    const admin = await anAdmin({ lyceum })
    const { page, problems } = await openAs(admin, `?site_code=${admin.site.site_code}`)
    const [anna, ben] = [`anna-${unique()}@example.org`, `ben-${unique()}@example.org`]
    const choose = (text: string) =>
      page.locator('input[type=file]').setInputFiles({ ...aFile(), buffer: Buffer.from(text) })
    await choose(`sep=;\r\rE-Mail;Display name;\r${anna};Bell, Anna;\r;;\r`)
    await page.getByRole('cell', { name: 'Bell, Anna', exact: true }).waitFor()
    assert.equal(await page.getByLabel('Separator').inputValue(), 'semicolon')
    await choose(`Mail;Name, given, family\n${ben};Ben\n`)
    await page.getByLabel('Separator').selectOption('semicolon')
    await page.getByLabel('Column of Mail').selectOption('email')
    await page.getByLabel('Column of Name, given, family').selectOption('display_name')
    await button(page, 'Import').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    await page.getByText('1 of 1 rows').waitFor()
    const [person] = await db.pool`select display_name from sso.users where email = ${ben}`
    assert.equal(person?.['display_name'], 'Ben')
    assert.deepEqual(problems, [])
  })

  test('show their pace while they run, also after a reload, and can be stopped', async () => {
    const admin = await anAdmin({ lyceum })
    const { page, problems } = await openAs(admin, `?site_code=${admin.site.site_code}`)
    await page.addInitScript(WATCHED_TIMERS)
    await importFile(page)
    const { job_id = '' } = (await jobsOf(admin.site.site_id))[0] ?? {}
    const runs = (processed: number) => db.pool`
      update sso.bulk_jobs
         set status = 'processing', finished_at = null, is_due = false, total_rows = 1000, processed_rows = ${processed},
             success_count = ${processed}, error_count = 0, started_at = clock_timestamp() - interval '10 seconds'
       where job_id = ${job_id}`
    await runs(100)
    await page.reload()
    await page.getByText(/^100 of 1,000 rows · (9\.\d|10) per second · (9\d sec|2 min)/).waitFor()
    const waits = () => page.evaluate<number[]>('waits')
    await eventually(waits, (seen) => seen.includes(1_350))
    const still = (await waits()).filter((ms) => JOB_WAITS.includes(ms))
    assert.deepEqual(still.slice(0, 4), JOB_WAITS.slice(0, 4), 'it asks ever less while nothing moves')
    await runs(500)
    await page.getByText('500 of 1,000 rows').waitFor()
    assert.equal(await page.getByLabel('Progress', { exact: true }).last().getAttribute('value'), '500')
    await button(page, 'Cancel import').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel import' }).click()
    await page.getByText('It is being canceled.').waitFor()
    await db.pool`
      update sso.bulk_jobs set status = 'canceled', finished_at = clock_timestamp() where job_id = ${job_id}`
    await page.locator('section .badge', { hasText: 'canceled' }).first().waitFor()
    const due = await page.evaluate<number[]>('[...pending.values()]')
    assert.deepEqual(
      due.filter((ms) => JOB_WAITS.includes(ms)),
      [],
      'nobody asks for a job that has ended',
    )
    assert.deepEqual(problems, [])
  })

  test('stay hidden from the ADMIN of another site', async () => {
    const [admin, stranger] = await Promise.all([anAdmin({ lyceum }), anAdmin({ lyceum })])
    const own = await openAs(admin, `?site_code=${admin.site.site_code}`)
    await importFile(own.page)
    const [job] = await jobsOf(admin.site.site_id)
    const { page } = await openAs(stranger, `?site_code=${admin.site.site_code}&open=${job?.job_id}`)
    await page.locator('.fault').waitFor()
    assert.equal(await page.getByText('of 3 rows').count(), 0)
  })

  test('know the columns of the API', async () => {
    const admin = await anAdmin({ lyceum })
    const { page } = await openAs(admin, `?site_code=${admin.site.site_code}`)
    const saving = page.waitForEvent('download')
    await button(page, 'Download template').click()
    assert.equal(await readFile(await (await saving).path(), 'utf8'), `${COLUMNS.join(',')}\r\n`)
  })

  test('bring 5,000 people, of whom 31 rows are mended and sent again', async () => {
    const [admin, operator] = await Promise.all([anAdmin({ lyceum }), anOperator(lyceum)])
    const { page, problems } = await openAs(admin, `?site_code=${admin.site.site_code}`)
    await page.getByText('Today 1,000 more people can be new').waitFor()
    const { statusCode } = await lyceum.sso.inject({
      method: 'PUT',
      url: `/api/v1/tenants/${admin.site.tenant_id}/import-quota`,
      headers: operator.headers,
      payload: { people_per_day: 6_000 },
    })
    assert.equal(statusCode, 200)
    await page.reload()
    await page.getByText('Today 6,000 more people can be new').waitFor()
    const wrong = [
      ...Array.from({ length: 12 }, (_, i) => ['email', `nobody ${i}`] as const),
      ...Array.from({ length: 10 }, () => ['locale', 'of the sea'] as const),
      ...Array.from({ length: 9 }, () => ['time_zone', 'Mars/Base'] as const),
    ]
    const tag = unique()
    const rows = Array.from({ length: 5_000 }, (_, i) => {
      const row = {
        email: `p${i}-${tag}@example.org`,
        display_name: `Person ${i}`,
        locale: 'en',
        time_zone: 'UTC',
      }
      const [field, value] = (i % 160 === 7 ? wrong[(i - 7) / 160] : undefined) ?? ['email', row.email]
      return Object.values({ ...row, [field]: value }).join(',')
    })
    const fileOf = (text: string) => ({ ...aFile(), buffer: Buffer.from(text) })
    const whole = fileOf(['email,display_name,locale,time_zone', ...rows, ''].join('\n'))
    await page.locator('input[type=file]').setInputFiles(whole)
    await button(page, 'Dry run').click()
    await page.getByText('5,000 of 5,000 rows').waitFor({ timeout: 60_000 })
    await page.getByText('Mars/Base').first().waitFor()
    await button(page, 'Import').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    await page.locator('tbody tr', { hasText: '4,969' }).nth(1).waitFor({ timeout: 60_000 })
    const saving = page.waitForEvent('download')
    await button(page, 'Refused rows as CSV, to repair').click()
    const refused = await readFile(await (await saving).path(), 'utf8')
    assert.equal(refused.trimEnd().split('\r\n').length, 1 + 31)
    const mended = refused
      .replaceAll(/^nobody (\d+)/gm, `late-$1-${tag}@example.org`)
      .replaceAll('of the sea', 'de')
      .replaceAll('Mars/Base', 'Europe/Berlin')
    await page.locator('input[type=file]').setInputFiles(fileOf(mended))
    await button(page, 'Import').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
    await page.getByText('31 of 31 rows').waitFor({ timeout: 60_000 })
    const people = await db.pool`
      select from sso.memberships join sso.users using (user_id)
       where site_id = ${admin.site.site_id} and role = 'USER' and email like ${`%-${tag}@example.org`}`
    assert.equal(people.length, 5_000)
    await page.getByText('Today 1,000 more people can be new').waitFor()
    assert.deepEqual(problems, [])
  })
})
