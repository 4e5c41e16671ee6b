import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindowOf, phoneFaults } from '#testing/browser.ts'
import { sharedListeningWorld } from '#testing/enterprise.ts'
import { aUser, type Person } from '#testing/people.ts'

/** Operators decide in the list of sites about those that wait. */
const lyceum = await sharedListeningWorld()
const { address, db, firstRun } = lyceum

type Pending = { site_id: string; site_code: string; owner: Person }

async function aPendingSite(name: string): Promise<Pending> {
  const owner = await aUser({ lyceum })
  const reply = await lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/sites',
    headers: { ...owner.headers, host: new URL(address).host },
    payload: { name, environment: 'production' },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  const { site_id, site_code } = reply.json()
  await db.pool`update sso.sites set status = 'pending' where site_id = ${site_id}`
  return { site_id, site_code, owner }
}

const stateOf = async (site_id: string) =>
  (
    await db.pool`
      select status, deleted_at is not null as is_deleted from sso.sites where site_id = ${site_id}`
  )[0]
const actsOn = async (site_id: string) =>
  (
    await db.pool<{ action: string }[]>`
      select action from sso.audit_log where site_id = ${site_id} and action <> 'site.created' order by occurred_at`
  ).map(({ action }) => action)

async function openAs(person: { email: string; password: string }, path = '/console/approvals') {
  const { page, problems } = await aWindowOf(person, lyceum)
  await page.goto(`${address}${path}`)
  await page.locator('#page[aria-busy=false]').waitFor()
  return { page, problems }
}
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name })

describe('sites that wait', () => {
  test('are approved by an operator, who is led to them from the list', async () => {
    const { site_id, owner } = await aPendingSite('Night School')
    const { page, problems } = await openAs(firstRun.admin, '/console/sites')
    await page.getByRole('link', { name: 'Show' }).click()
    await page.waitForURL(`${address}/console/sites?status=pending`)
    await page.getByText(owner.email).waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    await page.getByRole('button', { name: 'Approve Night School' }).click()
    await inDialog(page, 'Approve').click()
    await page.locator('.toast').getByText('Night School is approved.').waitFor()
    await page.getByText(owner.email).waitFor({ state: 'detached' })
    assert.deepEqual(await stateOf(site_id), { status: 'active', is_deleted: false })
    assert.deepEqual(await actsOn(site_id), ['site.approved'])
    assert.deepEqual(problems, [])
  })

  test('are refused with their code typed, which deletes them', async () => {
    const { site_id, site_code } = await aPendingSite('Spam School')
    const { page, problems } = await openAs(firstRun.admin)
    await page.getByRole('button', { name: 'Refuse Spam School' }).click()
    assert.equal(await inDialog(page, 'Refuse').isDisabled(), true)
    await page.getByLabel(`Type ${site_code}`).fill(site_code)
    await inDialog(page, 'Refuse').click()
    await page.locator('.toast').getByText('Spam School is refused').waitFor()
    assert.equal((await stateOf(site_id))?.['is_deleted'], true)
    assert.deepEqual(await actsOn(site_id), ['site.deleted'])
    assert.deepEqual(problems, [])
  })

  test('are decided about on their own page too, and wait again when the approval is withdrawn', async () => {
    const { site_id, site_code } = await aPendingSite('Day School')
    const { page, problems } = await openAs(firstRun.admin, `/console/sites/${site_id}`)
    await page.getByText('Nobody can sign in here until').waitFor()
    await page.getByRole('button', { name: 'Approve Day School' }).click()
    await inDialog(page, 'Approve').click()
    await page.getByRole('button', { name: 'Withdraw the approval' }).click()
    await page.getByLabel(`Type ${site_code}`).fill(site_code)
    await inDialog(page, 'Withdraw the approval').click()
    await page.getByText('Nobody can sign in here until').waitFor()
    assert.equal((await stateOf(site_id))?.['status'], 'pending')
    assert.deepEqual(await actsOn(site_id), ['site.approved', 'site.changed'])
    assert.deepEqual(problems, [])
  })

  test('are decided about by nobody else, their owner included', async () => {
    const { site_id, owner } = await aPendingSite('Hidden School')
    const stranger = await openAs(await aUser({ lyceum }))
    await stranger.page.getByText('No site here.').waitFor()
    assert.equal(await stranger.page.getByText('Hidden School').count(), 0)
    assert.equal((await stranger.page.goto(`${address}/console/sites/${site_id}`))?.status(), 404)
    const { page } = await openAs(owner)
    await page.getByRole('link', { name: 'Hidden School' }).click()
    await page.getByText('Nobody can sign in here until').waitFor()
    assert.equal(await page.getByRole('button', { name: /^(Approve|Refuse|Withdraw)/ }).count(), 0)
    assert.deepEqual(await stateOf(site_id), { status: 'pending', is_deleted: false })
  })
})
