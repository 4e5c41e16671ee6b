import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { newRequestId } from '#foundation/ids.ts'
import { aWindowOf, phoneFaults } from '#testing/browser.ts'
import { sharedListeningWorld } from '#testing/enterprise.ts'
import { giveTotp } from '#testing/mfa.ts'
import { aColleague, anAdmin, aUser, type Person, signIn, type TestSite } from '#testing/people.ts'

/** People at the console: who is found, what is shown, and what may be done. */
const lyceum = await sharedListeningWorld()
const { address, db, firstRun } = lyceum

type Account = Pick<Person, 'email' | 'password'>

async function openAs(person: Account, path: string, options: BrowserContextOptions = {}) {
  const { page, problems } = await aWindowOf(person, lyceum, options)
  await page.goto(`${address}/console/people${path}`)
  await page.locator('#page[aria-busy=false]').waitFor()
  return { page, problems }
}

const aMember = async (admin: Awaited<ReturnType<typeof anAdmin>>) => aColleague(admin, lyceum)
const rowOf = async (user_id: string) =>
  (
    await db.pool`
    select email, status, display_name, given_name, family_name, version from sso.users where user_id = ${user_id}`
  )[0]
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').last().getByRole('button', { name, exact: true })
const toast = (page: Page, text: string) => page.locator('.toast').getByText(text).waitFor()

/** Opens the dialog of the act and confirms it, by the address where that is asked. */
async function confirm(page: Page, act: string, typed?: string, submit = act) {
  await button(page, act).first().click()
  if (typed !== undefined) {
    assert.equal(await inDialog(page, submit).isDisabled(), true)
    await page.getByLabel(`Type ${typed}`).fill(typed)
  }
  await inDialog(page, submit).click()
}

describe('people', () => {
  test('filters are kept under a name, for this person and list alone', async () => {
    const { page, problems } = await openAs(firstRun.admin, '?status=suspended&role=ADMIN')
    await page.getByText('Views', { exact: true }).click()
    await button(page, 'Save this view').click()
    await page.getByLabel('Name', { exact: true }).fill('Away <b>')
    await inDialog(page, 'Save').click()
    await page.goto(`${address}/console/audit`)
    await page.getByText('Views', { exact: true }).click()
    assert.equal(await button(page, 'Away <b>').count(), 0)
    await page.goto(`${address}/console/people`)
    await page.getByText('Views', { exact: true }).click()
    assert.deepEqual(await phoneFaults(page), [])
    await button(page, 'Away <b>').click()
    await page.waitForURL(/role=ADMIN&status=suspended/)
    await page.getByText('Views', { exact: true }).click()
    await page.getByRole('button', { name: 'Remove the view Away <b>' }).click()
    assert.equal(await button(page, 'Away <b>').count(), 0)
    assert.deepEqual(problems, [])
  })

  test('are found, suspended, signed out and erased by an operator', async () => {
    const person = await aUser({ lyceum })
    const { page, problems } = await openAs(firstRun.admin, '')
    await page.getByRole('searchbox').fill(person.email)
    await page.getByText('1 of 1').waitFor()
    assert.match(page.url(), /q=person-/)
    await page.getByRole('link', { name: person.email }).click()
    await page.getByRole('heading', { level: 1, name: person.email }).waitFor()
    await confirm(page, 'End all sessions')
    await toast(page, 'All sessions have ended.')
    const headers = { ...person.headers, host: new URL(address).host }
    const check = await lyceum.sso.inject({ url: `/api/v1/users/${person.user_id}`, headers })
    assert.equal(check.statusCode, 401)
    await page.getByText('Signed in nowhere.').waitFor()
    await confirm(page, 'Suspend the account', person.email)
    await button(page, 'Make the account active again').waitFor()
    assert.equal((await rowOf(person.user_id))?.['status'], 'suspended')
    await confirm(page, 'Make the account active again')
    await button(page, 'Suspend the account').waitFor()
    assert.equal((await rowOf(person.user_id))?.['status'], 'active')
    await page.getByRole('cell', { name: 'user.updated' }).first().waitFor()
    await confirm(page, 'Erase the person', person.email)
    await page.waitForURL(`${address}/console/people`)
    assert.equal((await rowOf(person.user_id))?.['status'], 'deleted')
    assert.deepEqual(problems, [])
  })

  test('are shown to an ADMIN of their own sites only', async () => {
    const [admin, stranger] = [await anAdmin({ lyceum }), await anAdmin({ lyceum })]
    const colleague = await aMember(admin)
    const { page } = await openAs(admin, '')
    await page.getByText(colleague.email).first().waitFor()
    assert.equal(await page.getByText(stranger.email).count(), 0)
    for (const user_id of [stranger.user_id, crypto.randomUUID()])
      assert.equal((await page.goto(`${address}/console/people/${user_id}`))?.status(), 404)
    await page.goto(`${address}/console/people?site_code=${stranger.site.site_code}`)
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByText(stranger.email).count(), 0)
    await page.goto(`${address}/console/people?q=${stranger.user_id}`)
    await page.getByText('Nothing of your sites has this id.').waitFor()
  })

  test('are filtered by what the address says', async () => {
    const admin = await anAdmin({ lyceum })
    const [member, safe] = [await aMember(admin), await aMember(admin)]
    await giveTotp(safe, lyceum)
    const { page, problems } = await openAs(admin, '')
    await page.getByText('3 of 3').waitFor()
    await page.locator('select[name=mfa_enabled]').selectOption('true')
    await page.getByText('1 of 1').waitFor()
    await page.getByText(safe.email).first().waitFor()
    assert.match(page.url(), /mfa_enabled=true/)
    await page.locator('select[name=mfa_enabled]').selectOption('')
    await page.locator('select[name=role]').selectOption('ADMIN')
    await page.getByText('1 of 1').waitFor()
    await page.locator('select[name=seen]').selectOption('never')
    await page.getByText('Nobody matches.').waitFor()
    await page.goto(`${address}/console/people?seen=day&role=USER&q=${member.email}`)
    await page.getByText('1 of 1').waitFor()
    await page.getByText(member.email).first().waitFor()
    assert.deepEqual(problems, [])
  })

  test('are sorted by a header, in the address and after a reload', async () => {
    const admin = await anAdmin({ lyceum })
    const names = ['Zoë', 'Anna', 'Ben']
    for (const name of names) {
      const { user_id } = await aMember(admin)
      await db.pool`update sso.users set display_name = ${name} where user_id = ${user_id}`
    }
    await db.pool`update sso.users set display_name = 'Carl' where user_id = ${admin.user_id}`
    const site = `site_code=${admin.site.site_code}`
    const { page, problems } = await openAs(admin, `?${site}`)
    const header = page.getByRole('columnheader', { name: 'Name' })
    const first = (name: string) => page.locator('tbody tr').first().getByText(name).waitFor()
    assert.equal(await header.getAttribute('aria-sort'), 'none')
    await header.getByRole('button').click()
    await first('Anna')
    assert.deepEqual(
      [new URL(page.url()).searchParams.get('sort'), await header.getAttribute('aria-sort')],
      ['display_name', 'ascending'],
    )
    await header.getByRole('button').press('Enter')
    await first('Zoë')
    await page.reload()
    await first('Zoë')
    assert.deepEqual(
      [new URL(page.url()).searchParams.get('sort'), await header.getAttribute('aria-sort')],
      ['-display_name', 'descending'],
    )
    const calls: string[] = []
    page.on(
      'request',
      (request) => void (request.url().includes('/api/v1/users?') && calls.push(request.url())),
    )
    await page.goto(`${address}/console/people?${site}&sort=password_hash`)
    await page.getByText('4 of 4').waitFor()
    assert.equal(await header.getAttribute('aria-sort'), 'none')
    assert.ok(
      calls.every((url) => !url.includes('password_hash')),
      String(calls),
    )
    assert.deepEqual(problems, [])
  })

  test('are led to by an id from a log', async () => {
    const admin = await anAdmin({ lyceum })
    const member = await aMember(admin)
    await db.pool`
      update sso.memberships set external_id = 'pupil-1' where user_id = ${member.user_id}`
    const { page, problems } = await openAs(admin, '')
    const search = page.getByRole('searchbox')
    await search.fill(member.session_id)
    await page.waitForURL(`${address}/console/people/${member.user_id}`)
    await page.goBack()
    await search.fill(newRequestId())
    await page.getByText('This is the id of a request').waitFor()
    await search.fill('pupil-1')
    await page.getByText('External id at').waitFor()
    await page.locator('.hits a').first().click()
    await page.getByRole('heading', { level: 1, name: member.email }).waitFor()
    // A link leads nowhere by itself.
    await page.goto(`${address}/console/people?q=${member.session_id}`)
    await page.getByText('Session at').waitFor()
    assert.match(page.url(), /\?q=/)
    assert.deepEqual(problems, [])
  })

  test('are invited once, however often the button is pressed', async () => {
    const admin = await anAdmin({ lyceum })
    const { page, problems } = await openAs(admin, '')
    await page.getByText('1 of 1').waitFor()
    const email = `invited-${crypto.randomUUID()}@example.org`
    await button(page, 'Add a person').click()
    await page.getByLabel('E-mail address').fill(admin.email)
    await inDialog(page, 'Add and invite').click()
    await page.getByRole('dialog').locator('.fault').waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Name shown').fill('Ada')
    await page.locator('dialog select[name=role]').selectOption('ADMIN')
    await inDialog(page, 'Add and invite').dblclick()
    await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor()
    const people = await db.pool<{ user_id: string; role: string; site_code: string; kind: string }[]>`
      select u.user_id, m.role, i.site_code, l.kind
        from sso.users u join sso.memberships m using (user_id) join sso.sites i using (site_id)
        join sso.messages l on l.user_id = u.user_id
       where u.email = ${email}`
    const [made, ...more] = people
    assert.deepEqual(
      [made?.role, made?.site_code, made?.kind, more.length],
      ['ADMIN', admin.site.site_code, 'invitation', 0],
    )
    assert.deepEqual(problems, [])
  })

  test('get and lose a role, always at a site that is named', async () => {
    const admin = await anAdmin({ lyceum })
    const [member, { page, problems }] = [await aMember(admin), await openAs(firstRun.admin, '')]
    const { user_id } = member
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/roles')) sent.push(request.postData() ?? '')
    })
    const roles = async () => [
      ...(await db.pool`
        select i.site_code, m.role, m.external_id, m.suspended_at is null as is_active
          from sso.memberships m join sso.sites i using (site_id) where m.user_id = ${user_id} order by m.joined_at`),
    ]
    const { site_code } = admin.site
    await page.goto(`${address}/console/people/${user_id}`)
    await button(page, 'Change').click()
    await page.locator('dialog select[name=role]').selectOption('ADMIN')
    await page.getByLabel('Id at the site').fill('teacher-7')
    await inDialog(page, 'Save').click()
    await page.getByRole('cell', { name: 'ADMIN', exact: true }).waitFor()
    await page.getByRole('cell', { name: 'teacher-7', exact: true }).waitFor()
    await confirm(page, 'Withdraw the role')
    await page.getByRole('cell', { name: 'USER', exact: true }).waitFor()
    await button(page, 'Add to a site').click()
    await page.locator('dialog select[name=site_code]').selectOption('learning')
    await inDialog(page, 'Add').click()
    await page.getByRole('cell', { name: 'USER', exact: true }).nth(1).waitFor()
    assert.deepEqual(await roles(), [
      { site_code, role: 'USER', external_id: 'teacher-7', is_active: true },
      { site_code: 'learning', role: 'USER', external_id: null, is_active: true },
    ])
    assert.deepEqual(
      sent.map((body) => JSON.parse(body).site_code),
      [site_code, 'learning'],
    )
    await button(page, 'Change').first().click()
    await page.locator('dialog select[name=member_status]').selectOption('suspended')
    await inDialog(page, 'Save').click()
    // The dialog, which offers the same word, may still be open.
    await page.locator('.badge', { hasText: 'suspended' }).waitFor()
    assert.equal((await roles()).filter((row) => row['is_active']).length, 1)
    assert.deepEqual(problems, [])
  })

  test('lose one session, and their second step with a proof of who takes it', async () => {
    const admin = await anAdmin({ lyceum })
    const member = await aMember(admin)
    const other = await signIn(member, { at: admin.site, lyceum })
    await giveTotp(member, lyceum)
    const { page } = await openAs(admin, `/${member.user_id}`)
    await button(page, 'End').first().click()
    await inDialog(page, 'End').click()
    await toast(page, 'The session has ended.')
    const [ended] =
      await db.pool`select revoke_reason from sso.sessions where session_id = ${other.session_id}`
    assert.equal(ended?.['revoke_reason'], 'admin_revoked')
    await db.pool`
      update sso.sessions set proven_at = clock_timestamp() - interval '1 h' where user_id = ${admin.user_id}`
    await confirm(page, 'Remove the second steps', member.email)
    await page.getByRole('dialog').getByText('Give the password').waitFor()
    await page.getByLabel('Your own password').fill(admin.password)
    await inDialog(page, 'Remove the second steps').click()
    await page.getByText('No second step.').waitFor()
    const [left] = await db.pool`
      select count(*)::int as factors from sso.mfa_factors where user_id = ${member.user_id}`
    assert.equal(left?.['factors'], 0)
  })

  test('show an ADMIN of several sites the log of each', async () => {
    const admin = await anAdmin({ lyceum })
    const second = await lyceum.sso.inject({
      method: 'POST',
      url: '/api/v1/sites',
      headers: { ...(await signIn(admin, { lyceum })).headers, host: new URL(address).host },
      payload: { name: 'Second', environment: 'production' },
    })
    const site = second.json<TestSite>()
    const member = await aMember(admin)
    await signIn(member, { at: { ...site, headers: { 'x-sso-site-key': site.site_key } }, lyceum })
    const { page, problems } = await openAs(admin, `/${member.user_id}`)
    const log = page.getByRole('region', { name: 'What happened' })
    const codes = [admin.site.site_code, site.site_code]
    for (const [asked, other = ''] of [codes, codes.toReversed()]) {
      await page.locator('main label.choice select').selectOption(asked ?? '')
      await log
        .getByText(asked ?? '')
        .first()
        .waitFor()
      assert.equal(await log.getByText(other).count(), 0)
    }
    assert.deepEqual(problems, [])
  })

  test('are suspended at once after the number is typed, except oneself', async () => {
    const admin = await anAdmin({ lyceum })
    const [anna, ben] = [await aMember(admin), await aMember(admin)]
    const { page, problems } = await openAs(admin, '')
    await page.getByText('3 of 3').waitFor()
    await page.getByLabel('Select all rows shown').check()
    await button(page, 'Suspend').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`They are signed out of ${admin.site_code}`).waitFor()
    await page.getByLabel('Type 3 to confirm').fill('2')
    assert.equal(await inDialog(page, 'Suspend').isDisabled(), true)
    await page.getByLabel('Type 3 to confirm').fill('3')
    assert.deepEqual(await phoneFaults(page), [])
    await inDialog(page, 'Suspend').click()
    await toast(page, 'Done for 2 people.')
    await dialog.getByText(`${admin.email}: this is you`).waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    await inDialog(page, 'Close').click()
    await page.getByText('suspended at the site').nth(1).waitFor()
    assert.equal(await page.getByText('3 selected').count(), 0)
    const members = await db.pool`
      select from sso.memberships where user_id = any(${[anna.user_id, ben.user_id]}::uuid[]) and suspended_at is not null`
    assert.equal(members.length, 2)
    assert.deepEqual(problems, [])
  })

  test('are selected by keyboard on a phone and signed out', async () => {
    const person = await aUser({ lyceum })
    const viewport = { width: 360, height: 800 }
    const { page, problems } = await openAs(firstRun.admin, `?q=${person.email}`, { viewport })
    await page.getByLabel(`Select ${person.email}`).focus()
    await page.keyboard.press('Space')
    await page.getByText('1 selected').waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    await confirm(page, 'End sessions', '1')
    await toast(page, 'Done for one person.')
    const [left] = await db.pool<{ live: number }[]>`
      select count(*) as live from sso.sessions where user_id = ${person.user_id} and revoked_at is null`
    assert.equal(left?.live, 0)
    assert.deepEqual(problems, [])
  })

  test('who are shared or oneself offer only what is allowed', async () => {
    const [admin, anna] = [await anAdmin({ lyceum }), await aUser({ lyceum })]
    await signIn(anna, { at: admin.site, lyceum })
    const { page, problems } = await openAs(admin, `/${anna.user_id}`)
    await page.getByText('Other sites know this person too').waitFor()
    for (const act of ['Edit the profile', 'Suspend the account'])
      assert.equal(await button(page, act).isDisabled(), true, act)
    assert.equal(await page.getByText('learning', { exact: true }).count(), 0)
    await page.goto(`${address}/console/people/${admin.user_id}`)
    await page.getByText('This is you').waitFor()
    assert.equal(await page.locator('main section .bar button, main .danger').count(), 0)
    assert.deepEqual(problems, [])
  })

  test('run no text of others and change nothing by a link', async () => {
    const admin = await anAdmin({ lyceum })
    const member = await aMember(admin)
    const hostile = `<img src=x onerror=alert(1)>"'</title></script>\u202e`
    await db.pool`
      update sso.users set display_name = ${hostile}, given_name = ${hostile} where user_id = ${member.user_id}`
    await db.pool`update sso.memberships set external_id = ${hostile} where user_id = ${member.user_id}`
    await db.pool`update sso.sites set name = ${hostile} where site_id = ${admin.site.site_id}`
    const before = await rowOf(member.user_id)
    const { page, problems } = await openAs(admin, '')
    await page.getByText('2 of 2').waitFor()
    const text = encodeURIComponent(hostile)
    for (const path of [
      `/${member.user_id}?act=erase&confirmation=${member.email}&status=suspended`,
      `?q=${text}&role=${text}&status=${text}`,
      `?q=${member.session_id}`,
      `?site_code=${text}`,
    ]) {
      await page.goto(`${address}/console/people${path}`)
      await page.locator('#page[aria-busy=false]').waitFor()
      assert.equal(await page.locator('#page img').count(), 0, path)
      assert.equal(await page.getByRole('dialog').count(), 0, path)
    }
    assert.deepEqual(await rowOf(member.user_id), before)
    assert.deepEqual(
      problems.filter((problem) => !/status of (400|404)/.test(problem)),
      [],
    )
  })

  test('are out of reach without a site, and after signing out', async () => {
    const { page } = await openAs(await aUser({ lyceum }), '')
    await page.getByText('You are ADMIN of no site yet.').waitFor()
    const other = await aUser({ lyceum })
    assert.equal((await page.goto(`${address}/console/people/${other.user_id}`))?.status(), 404)
    await page.context().clearCookies()
    await page.goto(`${address}/console/people/${other.user_id}`)
    assert.match(page.url(), /\/sign-in\?/)
  })
})

describe('an edit that somebody else was faster with', () => {
  /** A person whose profile an operator has open, with another name typed. */
  async function anEdit() {
    const person = await aUser({ lyceum })
    await db.pool`
      update sso.users set given_name = 'Ada', family_name = 'Byron', display_name = 'Ada Byron'
       where user_id = ${person.user_id}`
    const { page, problems } = await openAs(firstRun.admin, `/${person.user_id}`)
    await button(page, 'Edit the profile').click()
    await page.getByLabel('Family name').fill('King')
    const patches: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') patches.push(request.postData() ?? '')
    })
    /** What another operator does meanwhile. */
    const change = (fields: Record<string, string>) => db.pool`
      update sso.users set ${db.pool(fields)}, version = version + 1 where user_id = ${person.user_id}`
    return { ...person, page, problems, patches, change }
  }

  test('is shown field by field, and saves only what was changed here', async () => {
    const { page, user_id, patches, change, problems } = await anEdit()
    await change({ family_name: 'Noel', given_name: 'Augusta' })
    await inDialog(page, 'Save').click()
    await page.getByText('Somebody else changed this meanwhile').waitFor()
    const cells = await page.locator('dialog.wide tbody tr').allInnerTexts()
    assert.deepEqual(
      cells.map((row) => row.split(/\s*\t\s*/)),
      [
        ['Given name', 'Ada', 'Augusta', 'Augusta'],
        ['Family name both', 'Byron', 'Noel', 'King'],
      ],
    )
    assert.deepEqual(await phoneFaults(page), [])
    // It changes once more before the decision.
    await change({ display_name: 'Countess' })
    await inDialog(page, 'Save mine').click()
    await page.getByText('It has changed once more').waitFor()
    await page.getByRole('cell', { name: 'Countess' }).first().waitFor()
    await inDialog(page, 'Save mine').click()
    await page.getByRole('heading', { level: 1, name: 'Countess' }).waitFor()
    const { given_name, family_name, display_name } = (await rowOf(user_id)) ?? {}
    assert.deepEqual([given_name, family_name, display_name], ['Augusta', 'King', 'Countess'])
    assert.deepEqual([...new Set(patches)], ['{"family_name":"King"}'])
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.deepEqual(problems, [])
  })

  test('goes on with what was typed, or takes theirs', async () => {
    const { page, user_id, change } = await anEdit()
    await change({ family_name: 'Noel' })
    await inDialog(page, 'Save').click()
    await inDialog(page, 'Go on editing').click()
    assert.equal(await page.getByLabel('Family name').inputValue(), 'King')
    await inDialog(page, 'Save').click()
    await inDialog(page, 'Take theirs').click()
    await page.getByText('Noel').waitFor()
    assert.equal((await rowOf(user_id))?.['family_name'], 'Noel')
  })

  test('is content when the lost answer was its own', async () => {
    const { page, user_id } = await anEdit()
    await page.route('**/api/v1/users/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue()
      await route.fetch()
      return route.abort()
    })
    await inDialog(page, 'Save').click()
    await page.getByText('The service cannot be reached.').waitFor()
    await page.unroute('**/api/v1/users/*')
    await inDialog(page, 'Save').click()
    await toast(page, 'Saved.')
    const { family_name, version } = (await rowOf(user_id)) ?? {}
    assert.deepEqual([family_name, version], ['King', 2])
  })

  test('changes nothing without a change, and shows a refusal at its field', async () => {
    const { page, user_id, patches } = await anEdit()
    await page.getByLabel('Family name').fill('Byron')
    await page.getByLabel('User name').fill('a b')
    await inDialog(page, 'Save').click()
    await page.locator('#username-fault').waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    await page.getByLabel('User name').fill('')
    await inDialog(page, 'Save').click()
    await toast(page, 'Saved.')
    assert.deepEqual([patches, (await rowOf(user_id))?.['version']], [['{"username":"a b"}'], 1])
  })
})

describe('the pages about people', () => {
  for (const [locale, title, text] of [
    ['de-DE', 'Personen', 'Person anlegen'],
    ['es-ES', 'Personas', 'Añadir una persona'],
  ] as const)
    test(`speak the language of the browser: ${locale}`, async () => {
      const { page } = await openAs(firstRun.admin, '', { locale })
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await button(page, text).waitFor()
    })
})
