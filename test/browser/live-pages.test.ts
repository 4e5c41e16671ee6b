import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { aWindow, aWindowOf, phoneFaults } from '#testing/browser.ts'
import { listeningWorld } from '#testing/enterprise.ts'
import { eventually } from '#testing/eventually.ts'
import type { Person } from '#testing/people.ts'
import { answers } from '#testing/receiver.ts'
import { aPartner, startEngine } from '#testing/webhooks.ts'

/** Pages of the console that live on the kit: modules, a token in memory, and the first data in the HTML. */
const lyceum = await listeningWorld()
const { address, db } = lyceum
const origin = new URL(address).origin
await startEngine(lyceum)

async function openAs(
  person: Pick<Person, 'email' | 'password'>,
  options: BrowserContextOptions = {},
  query = '',
) {
  const { page, problems } = await aWindowOf(person, lyceum, options)
  await page.goto(`${address}/console/webhooks${query}`)
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  return { page, problems }
}

/** A site with an endpoint that answers so, and one delivery to it. */
async function aSiteWithDelivery(status = 204) {
  const partner = await aPartner(lyceum, { behave: answers(status) })
  const { site, owner, receiver } = partner
  const { items } = await ask(`/webhooks?site_code=${site.site_code}`, owner)
  const { webhook_id = '' } = (items as { webhook_id: string }[])[0] ?? {}
  await ask(`/webhooks/${webhook_id}/test`, owner, 'POST')
  await eventually(() => receiver.requests.length > 0)
  return { ...partner, webhook_id, query: `?site_code=${site.site_code}` }
}

async function ask(path: string, { headers }: Person, method: 'GET' | 'POST' = 'GET') {
  const host = new URL(address).host
  return (await lyceum.sso.inject({ method, url: `/api/v1${path}`, headers: { ...headers, host } })).json()
}

describe('the webhooks of a site', () => {
  test('show an endpoint with its figures and a delivery that is replayed', async () => {
    const { owner, query, receiver } = await aSiteWithDelivery()
    const { page, problems } = await openAs(owner, {}, query)
    await page.getByText('100%').waitFor()
    await page.getByRole('button', { name: 'ping' }).first().click()
    const panel = page.locator('.panel')
    await panel.getByRole('heading', { name: 'Payload' }).waitFor()
    assert.match((await panel.locator('pre').textContent()) ?? '', /"event_type": "ping"/)
    await panel.getByText('204').waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    const before = receiver.requests.length
    await panel.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('The event is sent again.').waitFor()
    await eventually(() => receiver.requests.length > before)
    assert.match(page.url(), /open=/)
    await page.keyboard.press('Escape')
    assert.deepEqual(problems, [])
  })

  test('are sent again for all deliveries that are selected, each once', async () => {
    const { owner, query, receiver, webhook_id } = await aSiteWithDelivery(500)
    await ask(`/webhooks/${webhook_id}/test`, owner, 'POST')
    await eventually(() => receiver.requests.length > 1)
    const { page, problems } = await openAs(owner, {}, query)
    await page.getByText('2 of 2').waitFor()
    const replays: string[] = []
    page.on('request', (request) => void (request.url().endsWith('/replay') && replays.push(request.url())))
    await page.getByLabel('Select all rows shown').click()
    await page.locator('.selected').getByRole('button', { name: 'Replay' }).dblclick()
    await page.getByText('2 events are sent again.').waitFor()
    assert.equal(new Set(replays).size, 2)
    assert.equal(replays.length, 2)
    await page.getByText('4 of 4').waitFor()
    assert.equal(await page.locator('.selected').isVisible(), false)
    assert.deepEqual(problems, [])
  })

  test('are filtered by the address, which survives a reload', async () => {
    const { owner, query } = await aSiteWithDelivery()
    const { page } = await openAs(owner, {}, query)
    await page.getByRole('button', { name: 'ping' }).first().waitFor()
    await page.locator('select[name=status]').selectOption('failed')
    await page.getByText('No deliveries match.').waitFor()
    assert.match(page.url(), /status=failed/)
    await page.reload()
    await page.getByText('No deliveries match.').waitFor()
    assert.equal(await page.locator('select[name=status]').inputValue(), 'failed')
  })

  test('gain an endpoint, with faults at their fields, and lose it by a typed name', async () => {
    const { owner, query, site } = await aSiteWithDelivery()
    const { page, problems } = await openAs(owner, {}, query)
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('URL').fill('https://10.0.0.1/hook')
    await dialog.getByRole('button', { name: 'Add endpoint' }).click()
    await dialog.locator('#webhook_url-fault').waitFor()
    await dialog.getByLabel('URL').fill('http://127.0.0.1:39998/hook')
    await dialog.getByRole('button', { name: 'Add endpoint' }).click()
    await page.locator('.secret', { hasText: 'whsec_' }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    const card = page.locator('.card', { hasText: '39998' })
    await card.getByRole('button', { name: 'Remove' }).click()
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove' })
    assert.equal(await remove.isDisabled(), true)
    await page.getByLabel('Type 127.0.0.1:39998').fill('127.0.0.1:39998')
    await remove.click()
    await card.waitFor({ state: 'detached' })
    const { items } = await ask(`/webhooks?site_code=${site.site_code}`, owner)
    assert.equal((items as unknown[]).length, 1)
    assert.deepEqual(problems, [])
  })

  test('come with the page: no call is made before somebody acts', async () => {
    const { owner, query } = await aSiteWithDelivery()
    const { page } = await openAs(owner, {}, query)
    const calls: string[] = []
    page.on('request', (request) => void (request.url().includes('/api/') && calls.push(request.url())))
    await page.reload()
    await page.getByRole('button', { name: 'ping' }).first().waitFor()
    assert.deepEqual(calls, [])
  })

  test('are text, whatever a site calls itself', async () => {
    const { owner, query, site } = await aSiteWithDelivery()
    const hostile = '</script><script>document.title=1</script><img src=x onerror=alert(1)>'
    await db.pool`update sso.sites set name = ${hostile} where site_id = ${site.site_id}`
    const events = db.pool`
      update sso.webhook_events set body = convert_to(${JSON.stringify({ text: hostile })}, 'UTF8')
       where site_id = ${site.site_id}`
    await events
    const { page, problems } = await openAs(owner, {}, query)
    await page.getByRole('button', { name: 'ping' }).first().click()
    await page.locator('.panel pre', { hasText: hostile }).waitFor()
    assert.equal(await page.title(), 'Webhooks · Lyceum')
    assert.deepEqual(problems, [])
  })

  test('speak the language of the browser', async () => {
    const { owner, query } = await aSiteWithDelivery()
    for (const [locale, word] of [
      ['de-DE', 'Endpunkt hinzufügen'],
      ['es-ES', 'Añadir destino'],
    ] as const) {
      const { page } = await openAs(owner, { locale }, query)
      await page.getByRole('button', { name: word }).waitFor()
      assert.equal(await page.locator('html').getAttribute('lang'), locale.slice(0, 2))
    }
  })
})

describe('the token of a live page', () => {
  test('is given to a page of the same origin only', async () => {
    const { owner, query } = await aSiteWithDelivery()
    const { page } = await openAs(owner, {}, query)
    const post = async (headers: Record<string, string>, at = page) =>
      (await at.context().request.post(`${address}/console/token`, { headers })).status()
    assert.equal(await post({ origin, 'sec-fetch-site': 'same-origin' }), 200)
    assert.equal(await post({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }), 403)
    assert.equal(await post({ origin: 'https://evil.example' }), 403)
    assert.equal(await post({ origin, 'sec-fetch-site': 'same-site' }), 403)
    assert.equal(await post({ origin: 'null' }), 403)
    assert.equal(await post({}), 403)
    const { page: nobody } = await aWindow()
    assert.equal(await post({ origin }, nobody), 401)
  })

  test('of another site opens nothing, neither as cookie nor at the API', async () => {
    const [{ owner, site }, other] = await Promise.all([aSiteWithDelivery(), aSiteWithDelivery()])
    const { host } = new URL(address)
    const cookie = `access_token=${String(other.owner.headers['authorization']).slice('Bearer '.length)}`
    const reply = await lyceum.sso.inject({
      method: 'POST',
      url: '/console/token',
      headers: { host, origin, cookie },
    })
    assert.equal(reply.statusCode, 401)
    const foreign = await lyceum.sso.inject({
      url: `/api/v1/webhooks/figures?site_code=${site.site_code}`,
      headers: { ...other.owner.headers, host },
    })
    assert.equal(foreign.statusCode, 404)
    assert.equal((await ask(`/webhooks/figures?site_code=${site.site_code}`, owner)).items.length, 1)
  })

  test('is renewed once by two tabs, and never kept outside memory', async () => {
    const { owner, query } = await aSiteWithDelivery()
    const { page } = await openAs(owner, {}, query)
    const second = await page.context().newPage()
    await second.goto(page.url())
    let renewals = 0
    const count = (one: Page) =>
      one.on('request', (request) => void (request.url().includes('/sign-in/renew') && renewals++))
    for (const one of [page, second]) count(one)
    await page.context().clearCookies({ name: 'access_token' })
    const act = async (one: Page) => {
      await one.locator('select[name=status]').selectOption('delivered')
      await one.getByRole('button', { name: 'ping' }).first().waitFor()
    }
    await Promise.all([act(page), act(second)])
    assert.equal(renewals, 1)
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    assert.doesNotMatch(kept, /eyJ/)
  })
})
