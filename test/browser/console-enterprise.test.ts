import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { aWindowOf, phoneFaults } from '#testing/browser.ts'
import {
  aConnection,
  aPlannedSite,
  aWalker,
  HOME,
  sharedListeningWorld,
  type MadeConnection,
} from '#testing/enterprise.ts'
import { anAdmin, type Person } from '#testing/people.ts'
import { startSamlIdp } from '#testing/saml-idp.ts'
import { samlSchools } from '#testing/saml-school.ts'

/** The identity providers of a site, at a page of the console. */
const lyceum = await sharedListeningWorld()
const { address, db, firstRun } = lyceum
const { aSchool, onTheWay, answerTo, post } = samlSchools(lyceum)

async function openAs(
  person: Pick<Person, 'email' | 'password'>,
  query: string,
  options: BrowserContextOptions = {},
) {
  const { page, problems } = await aWindowOf(person, lyceum, options)
  await page.goto(`${address}/console/enterprise${query}`)
  await page.getByRole('heading', { level: 1, name: 'Enterprise' }).waitFor()
  return { page, problems }
}
const linkTo = ({ site_id }: { site_id: string }, connection_id?: string) =>
  `?site_id=${site_id}${connection_id ? `&open=${connection_id}` : ''}`

const OIDC = { type: 'oidc', issuer: 'http://127.0.0.1:39997', client_id: 'lyceum', client_secret: 'canary' }
async function anOidcSite(name = 'School') {
  const site = await aPlannedSite(lyceum)
  const { connection_id } = await aConnection(lyceum, site, { ...OIDC, name })
  return { site, connection_id, query: linkTo(site, connection_id) }
}
const rowOf = async (connection_id: string) => {
  const [row] = await db.pool<Record<string, unknown>[]>`
    select name, status, client_id, client_secret_enc, metadata_url, metadata_xml is not null as has_xml,
           attribute_mapping, role_mapping, version
      from sso.connections where connection_id = ${connection_id}`
  return row
}

describe('a connection', () => {
  test('is made from metadata, tested, and its sign-ins say why they failed', async () => {
    const site = await aPlannedSite(lyceum)
    const idp = await startSamlIdp()
    const { page, problems } = await openAs(site.owner, '')
    await page.getByText('This site has no connection yet.').waitFor()
    await page.getByRole('button', { name: 'Add SAML' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Springfield')
    await dialog.getByLabel('Metadata address').fill(idp.metadata_url)
    await dialog.getByRole('button', { name: 'Add SAML' }).dblclick()
    await page.getByRole('heading', { name: 'Springfield' }).waitFor()
    const [made, ...others] = await db.pool<{ connection_id: string }[]>`
      select connection_id from sso.connections where site_id = ${site.site_id}`
    assert.ok(made && others.length === 0)
    const { connection_id: id } = made
    await page.getByText(`${address}/sso/saml/${id}/acs`).waitFor()
    await page.getByText('Nobody has signed in through it lately.').waitFor()
    await page.getByRole('button', { name: 'Test the settings' }).click()
    await dialog.getByText('urn:example:idp').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()

    const acs_url = `${address}/sso/saml/${id}/acs`
    idp.state.acs_url = acs_url
    idp.state.person = { id: 'sam', email: `sam-${id}@school.example` }
    const { url } = await aWalker().walk(`${address}/sso/${id}/start`)
    assert.ok(url.href.startsWith(HOME), url.href)
    const sp_entity_id = `${address}/sso/saml/${id}/metadata`
    const connection = { connection_id: id, acs_url, sp_entity_id } as MadeConnection
    const school = {
      site,
      idp,
      id,
      connection,
      start: `${address}/sso/${id}/start`,
      person: idp.state.person,
    }
    const { request_id } = await onTheWay(school)
    const misled = { ...school, connection: { ...connection, acs_url: `${acs_url}/old` } }
    const refused = await post(school, await answerTo(misled, request_id))
    assert.equal(refused.statusCode, 401)
    await page.reload()
    await page.getByRole('row', { name: /signed in/ }).waitFor()
    await page.getByText('The answer was meant for another address. Compare').waitFor()
    await page.getByText('the message is meant for another address').waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    assert.deepEqual(problems, [])
  })

  test('offers our metadata as a file', async () => {
    const school = await aSchool()
    const { page } = await openAs(school.site.owner, linkTo(school.site, school.id))
    const saving = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download our metadata' }).click()
    const xml = await readFile(await (await saving).path(), 'utf8')
    assert.ok(xml.includes(school.connection.acs_url))
  })

  test('takes metadata from a file, and only what was changed', async () => {
    const school = await aSchool()
    const xml = await (await fetch(school.idp.metadata_url)).text()
    const { page } = await openAs(school.site.owner, linkTo(school.site, school.id))
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'From the provider' }) })
    await section.getByRole('button', { name: 'Change' }).click()
    const file = {
      name: 'metadata.xml',
      mimeType: 'text/xml',
      buffer: Buffer.from(xml.replace(/<\?xml[^>]*\?>/, '')),
    }
    await page.getByLabel('or metadata file').setInputFiles(file)
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
    await section.getByText('from a file').waitFor()
    const row = await rowOf(school.id)
    assert.deepEqual([row?.['has_xml'], row?.['metadata_url'], row?.['version']], [true, null, 2])
    await section.getByRole('button', { name: 'Change' }).click()
    const wrong = { ...file, buffer: Buffer.from('<html/>') }
    await page.getByLabel('or metadata file').setInputFiles(wrong)
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
    await page.getByRole('dialog').locator('.fault').waitFor()
    assert.equal((await rowOf(school.id))?.['version'], 2)
  })

  test('shows what a mapping makes of the last sign-in while it is typed', async () => {
    const school = await aSchool()
    const { page, problems } = await openAs(school.site.owner, linkTo(school.site, school.id))
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Attributes' }) })
    const edit = section.getByRole('button', { name: 'Change' })
    await edit.click()
    await page.getByText('Sign in once through the provider').waitFor()
    await page.keyboard.press('Escape')
    await aWalker().walk(school.start)
    await edit.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`→ ${school.person.email}`).waitFor()
    await dialog.locator('input[name=email]').fill('upn')
    await dialog.locator('[data-preview=email]').getByText('→ nothing').waitFor()
    await dialog.locator('input[name=email]').fill('')
    await dialog.getByText(`→ ${school.person.email}`).waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    assert.deepEqual(problems, [])
  })

  test('keeps its secret, maps attributes and roles, and tells of a conflict', async () => {
    const { site, connection_id, query } = await anOidcSite()
    const before = await rowOf(connection_id)
    const { page, problems } = await openAs(site.owner, query)
    const section = (name: string) => page.locator('section', { has: page.getByRole('heading', { name }) })
    const save = () => page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
    await section('From the provider').getByRole('button', { name: 'Change' }).click()
    await page.getByLabel('Client ID').fill('other')
    await save()
    await section('From the provider').getByText('other').waitFor()
    await section('Attributes').getByRole('button', { name: 'Change' }).click()
    await page.getByRole('dialog').getByLabel('E-mail address').fill('upn')
    await page.getByLabel('Roles by group').fill('a=b = ADMIN\n\nnobody = NO_SUCH')
    await save()
    await page.getByRole('dialog').locator('.fault').waitFor()
    await page.getByLabel('Roles by group').fill('a=b = ADMIN')
    await save()
    await section('Attributes').getByText('a=b → ADMIN').waitFor()
    const after = await rowOf(connection_id)
    assert.deepEqual(
      [after?.['client_id'], after?.['attribute_mapping'], after?.['role_mapping'], after?.['version']],
      ['other', { email: 'upn' }, [{ value: 'a=b', role: 'ADMIN' }], 3],
    )
    assert.deepEqual(after?.['client_secret_enc'], before?.['client_secret_enc'])
    assert.ok(!(await page.content()).includes('canary'))
    await db.pool`update sso.connections set version = version + 1 where connection_id = ${connection_id}`
    await section('From the provider').getByRole('button', { name: 'Change' }).click()
    await page.getByLabel('Client ID').fill('late')
    await save()
    await page.getByRole('dialog').getByText('Somebody else changed this connection.').waitFor()
    assert.equal((await rowOf(connection_id))?.['client_id'], 'other')
    assert.deepEqual(problems, [])
  })

  test('gets domains: the record to set, a check, and an operator who vouches', async () => {
    const { site, connection_id, query } = await anOidcSite()
    const { page } = await openAs(site.owner, query)
    await page.getByRole('button', { name: 'Add a domain' }).click()
    await page.getByRole('dialog').getByLabel('Domain').fill('school.invalid')
    await page.getByRole('dialog').getByRole('button', { name: 'Add a domain' }).click()
    await page.getByText('_lyceum-challenge.school.invalid').waitFor()
    assert.deepEqual(await phoneFaults(page), [])
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('The TXT record is not there yet.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Vouch for it' }).count(), 0)
    const operator = await openAs(firstRun.admin, query)
    await operator.page.getByRole('button', { name: 'Vouch for it' }).click()
    await operator.page.getByLabel('Type school.invalid').fill('school.invalid')
    await operator.page.getByRole('dialog').getByRole('button', { name: 'Vouch for it' }).click()
    await operator.page.getByText('vouched for by an operator').waitFor()
    const [{ verified_by } = assert.fail()] = await db.pool<{ verified_by: string }[]>`
      select verified_by from sso.connection_domains where connection_id = ${connection_id}`
    assert.equal(verified_by, 'operator')
  })

  test('is switched off and deleted once its name is typed', async () => {
    const hostile = '<b>x</b>'
    const { site, connection_id, query } = await anOidcSite(hostile)
    const { page, problems } = await openAs(site.owner, query)
    await page.getByRole('heading', { name: hostile }).waitFor()
    assert.equal(await page.locator('#page b').count(), 0)
    const confirm = async (name: string) => {
      const button = page.getByRole('dialog').getByRole('button', { name })
      assert.equal(await button.isDisabled(), true)
      await page.getByLabel(`Type ${hostile}`).fill(hostile)
      await button.dblclick()
    }
    await page.getByRole('button', { name: 'Switch off' }).click()
    await confirm('Switch off')
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByRole('button', { name: 'Switch off' }).waitFor()
    assert.equal((await rowOf(connection_id))?.['version'], 3)
    await page.getByRole('button', { name: 'Delete' }).click()
    await confirm('Delete')
    await page.getByText('This site has no connection yet.').waitFor()
    assert.equal(await rowOf(connection_id), undefined)
    assert.deepEqual(problems, [])
  })

  test('of another site is not shown, and a site without the plan says so', async () => {
    const [own, other] = [await anOidcSite(), await anOidcSite('Secret school')]
    const { page } = await openAs(own.site.owner, other.query)
    await page.getByRole('combobox').waitFor()
    assert.ok(!(await page.content()).includes('Secret school'))
    await page.goto(`${address}/console/enterprise${linkTo(own.site, other.connection_id)}`)
    await page.getByText('There is no such connection at this site.').waitFor()
    await page.getByRole('link', { name: 'School' }).waitFor()
    const plain = await openAs(await anAdmin({ lyceum }), '')
    await plain.page.getByText('Connections need the plan Business or Enterprise.').waitFor()
  })

  for (const [locale, text] of [
    ['de-DE', 'Für den Anbieter'],
    ['es-ES', 'Para el proveedor'],
  ] as const)
    test(`speaks ${locale}`, async () => {
      const { site, query } = await anOidcSite()
      const { page, problems } = await openAs(site.owner, query, { locale })
      await page.getByRole('heading', { name: text }).waitFor()
      assert.deepEqual(problems, [])
    })
})
