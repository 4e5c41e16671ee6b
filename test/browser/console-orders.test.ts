import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { aWindowOf, phoneFaults } from '#testing/browser.ts'
import { sharedListeningWorld } from '#testing/enterprise.ts'
import { anAdmin, anOperator, type Person } from '#testing/people.ts'

/** What sites ordered, at a page of the console. */
const lyceum = await sharedListeningWorld()
const { address, db, firstRun } = lyceum

async function openAs(
  person: Pick<Person, 'email' | 'password'>,
  query: string,
  options: BrowserContextOptions = {},
) {
  const { page, problems } = await aWindowOf(person, lyceum, options)
  await page.goto(`${address}/console/orders${query}`)
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
  return { page, problems }
}

/** An ADMIN whose sandbox site has a pending order. */
async function anOrder() {
  const [admin, operator] = await Promise.all([anAdmin({ lyceum }), anOperator(lyceum)])
  const { site_code } = admin.site
  const made = await lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/admin/orders',
    headers: { ...operator.headers, host: new URL(address).host },
    payload: { site_code, plan: 'business', amount: 0 },
  })
  assert.equal(made.statusCode, 201, made.body)
  return { admin, site_code, order_id: String(made.json().order_id) }
}

const statusOf = async (order_id: string) =>
  (await db.pool<{ status: string }[]>`select status from sso.orders where order_id = ${order_id}`)[0]?.status

describe('orders', () => {
  test('are moved by an operator who types the code of the site', async () => {
    const { site_code, order_id } = await anOrder()
    const { page, problems } = await openAs(firstRun.admin, `?site_code=${site_code}&open=${order_id}`)
    assert.equal(await statusOf(order_id), 'pending')
    await page.getByRole('button', { name: 'Set to paid' }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Set to paid' })
    assert.equal(await confirm.isDisabled(), true)
    assert.deepEqual(await phoneFaults(page), [])
    await page.getByLabel(`Type ${site_code}`).fill(site_code)
    await confirm.click()
    await page.getByRole('button', { name: 'Set to fulfilled' }).waitFor()
    assert.equal(await statusOf(order_id), 'paid')
    const [line] = await db.pool`
      select from sso.audit_log where action = 'order.changed' and details->>'order_id' = ${order_id}`
    assert.ok(line)
    assert.deepEqual(problems, [])
  })

  test('are selected row by row, with Shift from one to another, or all, and saved', async () => {
    const { admin, site_code, order_id } = await anOrder()
    await db.pool`
      insert into sso.orders
      select (jsonb_populate_record(o, jsonb_build_object('order_id', gen_random_uuid(),
               'created_at', o.created_at - n * interval '1 hour'))).*
        from sso.orders o, generate_series(1, 4) n where o.order_id = ${order_id}`
    const { page, problems } = await openAs(admin, `?site_code=${site_code}`)
    await page.getByText('5 of 5').waitFor()
    const boxes = page.locator('tbody .pick input')
    const chosen = page.locator('.selected')
    assert.equal(await chosen.isVisible(), false)
    await boxes.nth(1).click()
    await chosen.getByText('1 selected').waitFor()
    await boxes.nth(3).click({ modifiers: ['Shift'] })
    await chosen.getByText('3 selected').waitFor()
    assert.equal(await page.locator('.panel').count(), 0)
    await boxes.nth(2).press('Space')
    await chosen.getByText('2 selected').waitFor()
    const saving = page.waitForEvent('download')
    await chosen.getByRole('button', { name: 'Download these as CSV' }).click()
    const lines = (await readFile(await (await saving).path(), 'utf8')).trim().split('\r\n')
    assert.equal(lines.length, 3)
    assert.ok(!lines.some((line) => line.includes(order_id)))
    await page.getByLabel('Select all rows shown').click()
    await chosen.getByText('5 selected').waitFor()
    await chosen.getByRole('button', { name: 'Clear' }).click()
    assert.equal(await page.locator('tbody .pick input:checked').count(), 0)
    assert.equal(await chosen.isVisible(), false)
    assert.deepEqual(problems, [])
  })

  test('have the columns that somebody chose, also the next time', async () => {
    const { admin, site_code } = await anOrder()
    const { page, problems } = await openAs(admin, `?site_code=${site_code}`)
    const titles = () => page.locator('thead th').allTextContents()
    await page.getByText('1 of 1').waitFor()
    assert.deepEqual(await titles(), ['Made', 'Site', 'What for', 'State', 'Amount'])
    await page.getByText('Columns', { exact: true }).first().click()
    await page.getByLabel('Site', { exact: true }).last().click()
    await page.getByLabel('People registered').click()
    const wanted = ['Made', 'What for', 'State', 'Amount', 'People registered']
    assert.deepEqual(await titles(), wanted)
    await page.keyboard.press('Escape')
    assert.equal(await page.getByLabel('People registered').isVisible(), false)
    await page.reload()
    await page.getByText('1 of 1').waitFor()
    assert.deepEqual(await titles(), wanted)
    await page.evaluate("localStorage.setItem('lyceum.table.orders', ',,x:1,site:0:0,<b>')")
    await page.reload()
    await page.getByText('1 of 1').waitFor()
    assert.deepEqual(await titles(), ['Made', 'What for', 'State', 'Amount'])
    assert.deepEqual(problems, [])
  })

  test('are for an ADMIN to read, not to move', async () => {
    const [{ admin, site_code }, other] = await Promise.all([anOrder(), anOrder()])
    const { page } = await openAs(admin, '')
    await page.getByText('1 of 1').waitFor()
    await page.getByRole('button', { name: 'ago' }).or(page.locator('button.link')).first().click()
    await page.locator('.panel').getByText(site_code).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Set to/ }).count(), 0)
    await page.goto(`${address}/console/orders?open=${other.order_id}`)
    await page.getByText('1 of 1').waitFor()
    assert.equal(await page.getByText(other.order_id).count(), 0)
    await page.locator('select[name=status]').selectOption('paid')
    await page.getByText('No orders match.').waitFor()
    assert.match(page.url(), /status=paid/)
  })

  test('are saved as CSV', async () => {
    const { admin, order_id } = await anOrder()
    const { page } = await openAs(admin, '')
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as CSV' }).click()
    const [header, ...rows] = (await readFile(await (await saving).path(), 'utf8')).trim().split('\r\n')
    assert.match(header ?? '', /^order_id,site_code,/)
    assert.deepEqual([rows.length, rows[0]?.slice(0, 36)], [1, order_id])
  })
})
