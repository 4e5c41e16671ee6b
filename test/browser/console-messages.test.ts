import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { aWindowOf, phoneFaults } from '#testing/browser.ts'
import { sharedListeningWorld } from '#testing/enterprise.ts'
import { mailsTo } from '#testing/mail.ts'
import { aColleague, anAdmin, aSite, aUser, type Person } from '#testing/people.ts'

/** What was sent to people, at a page of the console. */
const lyceum = await sharedListeningWorld()
const { address, db, firstRun } = lyceum

async function openAs(
  person: Pick<Person, 'email' | 'password'>,
  query: string,
  options: BrowserContextOptions = {},
) {
  const { page, problems } = await aWindowOf(person, lyceum, options)
  await page.goto(`${address}/console/messages${query}`)
  await page.locator('#page table').waitFor()
  return { page, problems }
}

/** An ADMIN with two members: the letter to the first failed, that to the second waits. */
async function aSiteWithMail(failure = 'smtp_550') {
  const admin = await anAdmin({ lyceum })
  const [anna, ben] = [await aColleague(admin, lyceum), await aColleague(admin, lyceum)]
  const [failed] = await db.pool<{ message_id: string }[]>`
    update sso.messages
       set status = 'failed', failure = ${failure}, body_enc = null, finished_at = clock_timestamp()
     where recipient = ${anna.email} returning message_id`
  return { admin, anna, ben, message_id: failed?.message_id ?? assert.fail(), site_code: admin.site_code }
}

describe('messages', () => {
  test('that failed say why and are sent again, once for a double click', async () => {
    const { anna, site_code } = await aSiteWithMail()
    const { page, problems } = await openAs(firstRun.admin, `?site_code=${site_code}`)
    await page.locator('select[name=status]').selectOption('failed')
    await page.getByText('1 of 1').waitFor()
    await page.getByRole('button', { name: 'Confirm an address' }).click()
    const panel = page.locator('.panel')
    await panel.getByText('does not know this mailbox or takes no mail for it (550)').waitFor()
    await panel.getByText(anna.email).waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    await panel.getByRole('button', { name: 'Send again' }).dblclick()
    await page.getByText('A new message is on its way.').first().waitFor()
    await panel.getByText('waiting').waitFor()
    const mails = await mailsTo(anna.email, lyceum)
    assert.deepEqual([mails.length, mails[0]?.kind], [1, 'email_verification'])
    const text = panel.getByRole('link', { name: 'Read the text of this mail' })
    assert.equal(await text.getAttribute('href'), '/console/settings?mail=email_verification')
    const html = await page.content()
    assert.ok(mails[0] && !html.includes(mails[0].token))
    await page.locator('select[name=status]').selectOption('')
    await page.getByText('3 of 3').waitFor()
    assert.deepEqual(problems, [])
  })

  test('that wait are sent now, and say so', async () => {
    const { admin, ben } = await aSiteWithMail()
    await db.pool`
      update foundation.jobs set run_at = now() + interval '1 hour', attempts = 1
       where job_id in (select job_id from sso.messages where recipient = ${ben.email})`
    const { page, problems } = await openAs(admin, '?status=queued')
    await page.getByRole('button', { name: 'Confirm an address' }).click()
    const panel = page.locator('.panel')
    await panel.getByRole('button', { name: 'Send now' }).click()
    await page.getByText('The next attempt is made now.').waitFor()
    await panel.getByRole('button', { name: 'Send now' }).waitFor({ state: 'detached' })
    assert.deepEqual(problems, [])
  })

  test('are found by recipient, and the filter survives a reload and goes with one click', async () => {
    const { admin, ben } = await aSiteWithMail()
    const { page } = await openAs(admin, '')
    await page.getByText('2 of 2').waitFor()
    await page.getByLabel('Recipient').fill(` ${ben.email.toUpperCase()} `)
    await page.keyboard.press('Enter')
    await page.getByText('1 of 1').waitFor()
    await page.reload()
    await page.getByText('1 of 1').waitFor()
    assert.equal(await page.getByLabel('Recipient').inputValue(), ben.email.toUpperCase())
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('2 of 2').waitFor()
    await page.goto(`${address}/console/messages?kind=mfa_code`)
    await page.getByText('No messages match.').waitFor()
  })

  test('of another site are neither listed nor opened nor sent by a link', async () => {
    const [own, other] = [await aSiteWithMail(), await aSiteWithMail()]
    const { page } = await openAs(own.admin, `?open=${other.message_id}&resend=${other.message_id}`)
    await page.getByText('There is no such message, or you may not see it.').waitFor()
    await page.getByText('2 of 2').waitFor()
    assert.ok(!(await page.content()).includes(other.anna.email))
    await page.goto(`${address}/console/messages?site_code=${other.site_code}`)
    await page.locator('.fault').waitFor()
    assert.equal((await mailsTo(other.anna.email, lyceum)).length, 0)
  })

  test('of the sandbox are read where they would have been sent', async () => {
    const { owner, ...site } = await aSite({ environment: 'sandbox', lyceum })
    const anna = await aUser({ at: site, lyceum })
    const { page, problems } = await openAs(owner, `?site_code=${site.site_code}`)
    await page.getByRole('button', { name: 'Confirm an address' }).click()
    const [{ token } = assert.fail()] = await mailsTo(anna.email, lyceum)
    const letter = page.locator('.letter')
    await letter.getByText(`#token=${token}`).waitFor()
    assert.equal(await letter.locator('a').count(), 0)
    assert.deepEqual(problems, [])
  })

  test('show what others wrote as text', async () => {
    const { admin, message_id } = await aSiteWithMail('<img src=x onerror=alert(1)>')
    const hostile = '<b>\u202Ebad</b>'
    await db.pool`update sso.messages set kind = ${hostile} where message_id = ${message_id}`
    const { page, problems } = await openAs(admin, `?open=${message_id}`)
    await page.locator('.panel').getByRole('heading', { name: hostile }).waitFor()
    assert.equal(await page.locator('#page img, #page b').count(), 0)
    assert.deepEqual(problems, [])
  })

  test('are walked by keyboard', async () => {
    const { admin } = await aSiteWithMail()
    const { page } = await openAs(admin, '')
    await page.locator('tbody button.link').first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator('.panel').getByRole('button', { name: 'Send again' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.panel').waitFor({ state: 'detached' })
    assert.ok(!page.url().includes('open='))
  })

  for (const [locale, heading, button] of [
    ['de-DE', 'Nachrichten', 'Erneut senden'],
    ['es-ES', 'Mensajes', 'Enviar de nuevo'],
  ] as const)
    test(`speak ${locale}`, async () => {
      const { admin, message_id } = await aSiteWithMail()
      const { page, problems } = await openAs(admin, `?open=${message_id}`, { locale })
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await page.getByRole('button', { name: button }).waitFor()
      assert.deepEqual(problems, [])
    })
})
