import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindow } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import { aLatinCourse } from '#testing/latin-course.ts'
import { call } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

const { PICTURES } = process.env
if (PICTURES) mkdirSync(PICTURES, { recursive: true })

/** Words of English interfaces that German and Spanish ones do not have. */
const ENGLISH =
  /\b(?:the|of|and|you|your|is|are|has|have|with|this|here|back|join|due|watched|episodes?|points?|hand)\b/i
const viewport = { width: 360, height: 740 }

describe('the languages of learning', () => {
  let product: Awaited<ReturnType<typeof sharedProduct>>
  let teacher: Somebody
  let people = 0

  before(async () => {
    product = await sharedProduct()
    teacher = await somebody(product, 'teacher@languages.example.org')
  })

  /** Registers somebody whose profile has this language, and signs them in. */
  async function aLearner(locale?: string) {
    const email = `learner-${(people += 1)}@languages.example.org`
    const headers = { 'x-sso-site-key': product.firstRun.sites['learning']?.site_key ?? '' }
    const body = { email, password: 'correct horse 42', ...(locale && { locale }) }
    await call(`${product.sso}/api/v1/auth/register`, { headers, body })
    return somebody(product, email)
  }

  const aCourse = () => aLatinCourse(product, teacher, `Aqua ${people}`)

  async function aVisit(learner: Somebody | undefined, options: Parameters<typeof aWindow>[0]) {
    const { page, problems } = await aWindow({ reducedMotion: 'reduce', ...options })
    if (learner) await page.context().addCookies([cookieOf(product, learner)])
    const documents: string[] = []
    page.on('request', (request) => request.isNavigationRequest() && documents.push(request.url()))
    return {
      page,
      problems,
      documents,
      open: async (path: string) => {
        documents.length = 0
        await page.goto(product.learning + path)
        await ready(page)
      },
    }
  }
  const ready = (page: Page) => page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
  const languageOf = (page: Page) => page.evaluate<string>('document.documentElement.lang')
  const keepLanguage = (page: Page, value: string) =>
    page.context().addCookies([{ name: 'lyceum_language', value, url: product.learning }])

  /** Nothing English, nothing sideways, on a desk and on a phone. */
  async function isFine(page: Page, name: string) {
    for (const size of [{ width: 1280, height: 900 }, viewport]) {
      await page.setViewportSize(size)
      const words = await page.locator('body').innerText()
      assert.doesNotMatch(words, ENGLISH, `${name} speaks English at ${size.width} px`)
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
      assert.equal(isWide, false, `${name} scrolls sideways at ${size.width} px`)
    }
    if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
  }

  test('a learner joins, opens an episode and hands in homework, in German on a phone', async () => {
    const course = await aCourse()
    const { page, problems, open } = await aVisit(await aLearner(), { locale: 'de-DE', viewport })
    await open('/')
    await page.getByText('Sie sind noch in keinem Kanal.').waitFor()
    await page.getByRole('link', { name: 'Kanäle', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Kanäle' }).waitFor()
    await open(course.channel)
    await page.getByRole('button', { name: 'Diesem Kanal beitreten' }).click()
    await page.getByText(/Sie sind jetzt in „Aqua \d+“\./).waitFor()
    await page.getByRole('link', { name: 'Starten' }).click()
    await page.getByText('Diese Folge hat kein Video.').waitFor()
    await page.getByRole('link', { name: 'Labor' }).click()
    await page.getByText(/\(in [56] Tagen\)/).waitFor()
    await page.getByRole('textbox', { name: 'Link' }).fill('aqua')
    await page.getByRole('button', { name: 'Abgeben' }).click()
    await page.getByRole('heading', { name: 'Es gibt ein Problem' }).waitFor()
    await page.getByRole('link', { name: 'Link: muss eine Adresse mit http oder https sein' }).waitFor()
    await isFine(page, 'de-faults')
    await page.getByRole('textbox', { name: 'Link' }).fill('')
    await page.getByRole('textbox', { name: 'Ihre Antwort' }).fill('Maria.')
    await page.getByRole('button', { name: 'Abgeben' }).click()
    await page.getByRole('heading', { name: 'Was Sie abgegeben haben' }).waitFor()
    await isFine(page, 'de-handed-in')
    assert.deepEqual(problems, [])
  })

  for (const [locale, colorScheme, start, handIn, passed] of [
    ['de-DE', 'dark', 'Test beginnen', 'Abgeben', 'Bestanden'],
    ['es-ES', 'light', 'Empezar la prueba', 'Entregar', 'Aprobada'],
  ] as const)
    test(`every learner's page speaks ${locale} at both widths`, async () => {
      const course = await aCourse()
      const { page, problems, open } = await aVisit(await aLearner(), { locale, colorScheme, viewport })
      await open(course.channel)
      await page.locator('#page button').first().click()
      await page.locator('#toasts .toast').waitFor()
      const places = [
        '/',
        '/channels',
        '/learning',
        '/system',
        '/innovation',
        course.channel,
        course.episode,
        course.homework,
      ]
      for (const path of [...places, course.exam]) {
        await open(path)
        await isFine(page, `${locale}-${path.replace(/\W.*$/, '') || path.split('?')[0]?.slice(1)}`)
      }
      await page.getByRole('button', { name: start }).click()
      await page.getByLabel('Alba').check()
      await isFine(page, `${locale}-paper`)
      await page.getByRole('button', { name: handIn }).click()
      await page.getByRole('dialog').getByRole('button', { name: handIn }).click()
      await page.getByRole('heading', { name: passed }).waitFor()
      await isFine(page, `${locale}-result`)
      await open('/channel')
      await page.locator('.panel').waitFor()
      await isFine(page, `${locale}-nothing`)
      assert.deepEqual(problems, [])
    })

  for (const [locale, colorScheme, homework, add, oneOf] of [
    ['de-DE', 'light', 'Neue Hausaufgabe', 'Frage hinzufügen', 'Multiple Choice'],
    ['es-ES', 'dark', 'Tarea nueva', 'Añadir una pregunta', 'Opción múltiple'],
  ] as const)
    test(`every author's page speaks ${locale} at both widths`, async () => {
      const { channel_id, episode_id, exam } = await aCourse()
      const { page, problems, open } = await aVisit(teacher, { locale, colorScheme, viewport })
      const fine = (name: string) => isFine(page, `${locale}-${name}`)
      await open(`/channel/edit?id=${channel_id}`)
      await fine('channel-edit')
      await open(`/episode/edit?id=${episode_id}&channel=${channel_id}`)
      await fine('episode-edit')
      await page.getByRole('button', { name: homework, exact: true }).click()
      await fine('homework-form')
      await open(exam.replace('/test', '/test/edit'))
      await fine('test-edit')
      await page.locator('summary', { hasText: add }).click()
      await page.getByRole('button', { name: oneOf }).click()
      await page.getByRole('dialog').locator('textarea').first().waitFor()
      await fine('question-form')
      await open(`/grading?episode=${episode_id}&channel=${channel_id}`)
      await fine('grading')
      await open('/grades')
      await fine('grades')
      assert.deepEqual(problems, [])
    })

  for (const [locale, colorScheme, lacking, late] of [
    [
      'de-DE',
      'dark',
      '„Prima“ hat kein Video',
      /^Eine Person in „Aqua \d+“ hat einen Abgabetermin versäumt$/,
    ],
    [
      'es-ES',
      'light',
      '«Prima» no tiene vídeo',
      /^Una persona de «Aqua \d+» dejó pasar una fecha de entrega$/,
    ],
  ] as const)
    test(`suggestions of the agents speak ${locale} at both widths`, async () => {
      const admin = product.owner
      const { channel_id, episode_id } = await aCourse()
      const missed = { title: 'Pensum', due_at: '2026-01-01T00:00:00Z' }
      await ask(product, teacher, `/api/episodes/${episode_id}/homework`, missed)
      await ask(product, teacher, `/api/episodes/${episode_id}/tests`, { title: 'Vacuum' })
      await ask(product, await aLearner(), '/api/enroll', { channel_id })
      const { page, problems, open } = await aVisit(admin, { locale, colorScheme, viewport })
      const fine = (name: string) => isFine(page, `${locale}-suggestions-${name}`)
      const inbox = `/innovation?channel_id=${channel_id}`
      await open(inbox)
      await fine('none')
      for (const place of [0, 1]) {
        await page.locator('.agent button').nth(place).click()
        await page.locator('#toasts .toast').nth(place).waitFor()
      }
      await page.getByRole('heading', { name: late }).waitFor()
      await page.getByRole('heading', { name: lacking }).waitFor()
      await page.evaluate("document.querySelectorAll('main details').forEach((one) => (one.open = true))")
      await fine('open')
      const group = page.locator('.inbox-groups section', { hasText: lacking })
      await group.locator('.section-head button').click()
      await fine('picked')
      await page.locator('.inbox-tools button').nth(1).click()
      await group.waitFor({ state: 'detached' })
      await open(`${inbox}&status=rejected`)
      await page.locator('summary').first().click()
      await fine('rejected')
      await open('/')
      await page.getByRole('heading', { name: late }).first().waitFor()
      await fine('home')
      assert.deepEqual(problems, [])
    })

  test('the language of the profile wins over that of the browser, with one more load once', async () => {
    const learner = await aLearner('es-MX')
    const { page, documents, problems, open } = await aVisit(learner, {})
    await open('/learning')
    await page.getByText('Todavía no está en ningún canal.').waitFor()
    assert.deepEqual([await languageOf(page), documents.length], ['es', 2])
    await open('/channels')
    assert.deepEqual([await languageOf(page), documents.length], ['es', 1])

    const { user } = await ask(product, learner, '/api/info')
    const { headers } = product.owner
    const changed = { headers, body: { locale: 'de' }, method: 'PATCH' }
    assert.equal((await call(`${product.sso}/api/v1/users/${user.id}`, changed)).status, 200)
    await open('/channels')
    await page.getByRole('heading', { level: 1, name: 'Kanäle' }).waitFor()
    assert.deepEqual([await languageOf(page), documents.length], ['de', 2])
    assert.deepEqual(problems, [])
  })

  test('a device that another person used speaks the language of the next one', async () => {
    const { page, documents, open } = await aVisit(await aLearner(), {})
    await keepLanguage(page, 'de')
    await open('/learning')
    await page.getByText('You have not joined a channel yet.').waitFor()
    assert.deepEqual([await languageOf(page), documents.length], ['en', 2])
    const { page: left, open: look } = await aVisit(undefined, {})
    await keepLanguage(left, 'de')
    await look('/learning')
    await left.getByRole('heading', { name: 'Melden Sie sich an' }).waitFor()
  })

  test('a cookie with nonsense is ignored', async () => {
    const { page, documents, open } = await aVisit(await aLearner(), { locale: 'de-AT' })
    await keepLanguage(page, 'klingon')
    await open('/learning')
    assert.deepEqual([await languageOf(page), documents.length], ['de', 1])
  })

  test('a page that stays in another language loads twice and no more', async () => {
    const { page, documents, open } = await aVisit(await aLearner('de'), {})
    const english = await fetch(`${product.learning}/learning`)
    const [body, headers] = [await english.text(), Object.fromEntries(english.headers)]
    await page.route('**/learning', (route) =>
      route.fulfill({ body, headers: { 'content-type': headers['content-type'] ?? '' } }),
    )
    await open('/learning')
    await page.getByText('You have not joined a channel yet.').waitFor()
    assert.deepEqual([await languageOf(page), documents.length], ['en', 2])
    await open('/learning')
    assert.equal(documents.length, 1)
  })

  test('a browser that keeps no cookies of pages shows the page in its own language', async () => {
    const { page, documents, open } = await aVisit(await aLearner('de'), {})
    await page.addInitScript("Object.defineProperty(document, 'cookie', { get: () => '', set: () => {} })")
    await open('/learning')
    await page.getByText('You have not joined a channel yet.').waitFor()
    assert.deepEqual([await languageOf(page), documents.length], ['en', 1])
  })
})
