import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindow } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody, theAdmin } from '#testing/campus.ts'
import { call, type Product } from '#testing/product.ts'
import { atOneName, sharedProduct } from '#testing/shared-product.ts'
import { startVideoServer } from '#testing/video.ts'

/** Screenshots of every page go to the folder in PICTURES. */
const { PICTURES } = process.env
if (PICTURES) mkdirSync(PICTURES, { recursive: true })

/** One character for people, seven units for programs. */
const PILOT = '👩🏽‍🚀'
const HEBREW = `שלום, עולם! (1) ${PILOT}`
const ARABIC = `مرحبا بالعالم 3٪ (a) ${PILOT}`
const BROAD = `${PILOT.repeat(9)}מילהארוכהמאודשאיןבהרווחים`

/**
 * Every text of a person that stands in no element that finds its own direction, and every character that was cut in
 * pieces. What an attribute says has no direction of its own.
 */
const FAULTS = `(() => {
  const own = /[\\u0590-\\u08ff]|${PILOT}/u
  const nameOf = (element) => element.outerHTML.slice(0, element.outerHTML.indexOf('>') + 1)
  const faults = new Set()
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { data, parentElement: element } = texts.currentNode
    if (element.closest('svg, script, style, .unseen')) continue
    const isWhole = data.isWellFormed() && !data.includes('\\ufffd') &&
      Array.from(new Intl.Segmenter('en').segment(data), ({ segment }) => segment)
        .every((one) => !/[👩🚀]/u.test(one) || one === '${PILOT}')
    if (!isWhole) faults.add('cut: ' + nameOf(element) + data)
    if (own.test(data) && !element.closest('[dir=auto], bdi')) faults.add(nameOf(element.parentElement) + nameOf(element) + data.trim().slice(0, 60))
  }
  for (const control of document.querySelectorAll('input, textarea'))
    if (!['checkbox', 'hidden'].includes(control.type) && own.test(control.value) && control.dir !== 'auto') faults.add(nameOf(control))
  if (document.documentElement.scrollWidth > innerWidth) {
    const wide = [...document.querySelectorAll('body *')].filter((one) => {
      const { left, right } = one.getBoundingClientRect()
      return (right > innerWidth + 1 || left < -1) && !one.closest('.scroll-x, .skip, .unseen')
    })
    faults.add('wide: ' + wide.slice(0, 3).map(nameOf).join(' '))
  }
  return [...faults]
})()`

type Made = { id: string; episodes: { id: string }[] }

describe('what people write in Hebrew, in Arabic and with emoji', () => {
  let product: Product
  let media: Awaited<ReturnType<typeof startVideoServer>>
  const people: Record<string, Somebody | undefined> = {}
  const views: [name: string, role: string, path: string, more?: (page: Page) => Promise<unknown>][] = []

  before(async () => {
    media = await startVideoServer(20)
    product = atOneName(await sharedProduct())
    await makeEverything()
  })
  after(() => media.close())

  async function named(email: string, display_name: string) {
    const who = await somebody(product, email)
    const { user } = await ask(product, who, '/api/info')
    const url = `${product.sso}/api/v1/users/${user.id}`
    const { status } = await call(url, { headers: who.headers, body: { display_name }, method: 'PATCH' })
    assert.equal(status, 200)
    return { ...who, user_id: String(user.id) }
  }

  async function makeEverything() {
    const teacher = await named('teacher@scripts.example.org', `ד״ר דנה ${PILOT}`)
    const learner = await named('learner@scripts.example.org', `ليلى (${PILOT})`)
    const admin = await theAdmin(product)
    Object.assign(people, { teacher, learner, admin })
    const say = (path: string, body: object, who: Somebody = teacher, method?: string) =>
      ask(product, who, path, body, method)
    const video = {
      url: media.video,
      captions: [{ lang: 'he', label: `עברית ${PILOT}`, url: media.captions }],
      chapters: [
        { start_seconds: 0, title: HEBREW },
        { start_seconds: 9, title: ARABIC },
      ],
      transcript: `${HEBREW}\n\n${`${ARABIC} `.repeat(12)}${PILOT.repeat(30)} סוף`,
    }
    const texts = { category: `מדע ${PILOT}`, tags: [`כוכבים ${PILOT}`, 'علوم', PILOT], language: 'he' }
    const episodes = [
      {
        title: HEBREW,
        description: `${ARABIC}\n\n- ${HEBREW}`,
        authors: [`פרופ׳ כהן ${PILOT}`],
        season: 1,
        video,
      },
      { title: BROAD, language: 'ar', season: 2 },
    ]
    const channel: Made = await say('/api/channels', {
      title: HEBREW,
      description: ARABIC,
      ...texts,
      episodes,
    })
    await say('/api/channels', { title: ARABIC, description: HEBREW, sequential: true, episodes })
    await say('/api/channels', { title: BROAD, episodes: [] })
    const episode = channel.episodes[0]?.id ?? ''
    const rubric = [{ criterion: HEBREW, max_points: 10 }]
    const homework = await say(`/api/episodes/${episode}/homework`, {
      title: ARABIC,
      instructions: HEBREW,
      rubric,
      max_score: 10,
      due_at: new Date(Date.now() + 90_000_000).toISOString(),
    })
    const exam = await say(`/api/episodes/${episode}/tests`, {
      title: HEBREW,
      description: ARABIC,
      feedback_policy: 'per_question',
      show_right_answers: true,
    })
    await say(`/api/episodes/tests/${exam.id}/questions`, { questions: QUESTIONS })
    const path = `/api/episodes/tests/${exam.id}`
    await say('/api/progress', { episode_id: episode, position_seconds: 8, segments: [[0, 8]] }, learner)
    const { items } = await ask(product, learner, `${path}/questions?per_page=100&view=student`)
    const attempt = await say(
      `${path}/attempt`,
      { answers: [{ question_id: items[0].id, answer: items[0].options[0].id }] },
      learner,
    )
    const work = await say(
      `/api/episodes/homework/${homework.id}/submit`,
      { text: `${HEBREW}\n\n${ARABIC}` },
      learner,
    )
    await say(
      `/api/episodes/homework/submissions/${work.id}/grade`,
      {
        score: 8,
        feedback: ARABIC,
        rubric_scores: [{ rubric_id: homework.rubric[0].id, points: 8, comment: HEBREW }],
      },
      teacher,
      'PUT',
    )
    await say(`/api/episodes/homework/${homework.id}/submit`, { text: ARABIC }, learner)
    const post = await say(`/api/episodes/${episode}/posts`, { text: HEBREW, at_seconds: 3 }, learner)
    await say(`/api/episodes/${episode}/posts`, { text: ARABIC, question_id: post.id })
    await say(`/api/episodes/${episode}/notes`, { text: HEBREW, at_seconds: 4 }, learner)
    for (const agent of ['content', 'engagement']) await say(`/api/innovation/run/${agent}`, {}, admin)
    const at = `id=${exam.id}&episode=${episode}`
    views.push(
      ['home', 'learner', '/', (page) => page.locator('#account button').first().click()],
      ['teacher', 'teacher', '/'],
      ['channels', 'learner', '/channels'],
      ['found', 'learner', `/channels?q=${encodeURIComponent('עולם')}`],
      [
        'finder',
        'learner',
        '/learning',
        async (page) => {
          await page.locator('.finder input').pressSequentially('مرحبا')
          await page.locator('.finds [role=option]').first().waitFor()
        },
      ],
      ['channel', 'learner', `/channel?id=${channel.id}`],
      ['preview', '', `/channel?id=${channel.id}`],
      ['taught', 'teacher', `/channel?id=${channel.id}`],
      ['people', 'teacher', `/channel?id=${channel.id}&view=people`],
      ['gradebook', 'teacher', `/channel?id=${channel.id}&view=grades`],
      ['one', 'teacher', `/channel?id=${channel.id}&view=grades&learner=${learner.user_id}`],
      ['channel-edit', 'teacher', `/channel/edit?id=${channel.id}`],
      ['episode', 'learner', `/episode?id=${episode}&channel=${channel.id}`],
      ['episode-edit', 'teacher', `/episode/edit?id=${episode}&channel=${channel.id}`],
      ['homework', 'learner', `/homework?id=${homework.id}&episode=${episode}`],
      ['to-grade', 'teacher', '/grading'],
      ['grading', 'teacher', `/grading?episode=${episode}&channel=${channel.id}`],
      ['test', 'learner', `/test?${at}`],
      [
        'paper',
        'learner',
        `/test?${at}`,
        async (page) => {
          await page.locator('main .actions button').first().click()
          await page.locator('.paper, fieldset').first().waitFor()
        },
      ],
      ['review', 'learner', `/test?${at}&attempt=${attempt.id}`],
      ['attempts', 'teacher', `/test?${at}&learner=${learner.user_id}`],
      ['test-edit', 'teacher', `/test/edit?${at}&channel=${channel.id}`],
      ['learning', 'learner', '/learning'],
      ['grades', 'learner', '/grades'],
      ['innovation', 'admin', '/innovation'],
      ['system', 'admin', '/system'],
      ['lost', 'learner', `/homework?id=${channel.id}&episode=${episode}`],
    )
  }

  for (const width of [360, 1280])
    test(`stands in its own direction, whole and within ${width} px, on every page`, async () => {
      const faults: string[] = []
      const { page } = await aWindow({
        viewport: { width, height: 900 },
        reducedMotion: 'reduce',
        colorScheme: width === 360 ? 'dark' : 'light',
      })
      for (const [name, role, path, more] of views) {
        await page.context().clearCookies()
        const who = people[role]
        if (who) await page.context().addCookies([cookieOf(product, who)])
        await page.goto(product.learning + path)
        await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
        await more?.(page)
        await page.evaluate("document.querySelectorAll('main details').forEach((one) => (one.open = true))")
        await page.evaluate('scrollTo(0, document.body.scrollHeight)')
        await page.waitForLoadState('networkidle')
        faults.push(...(await page.evaluate<string[]>(FAULTS)).map((fault) => `${name}: ${fault}`))
        if (PICTURES)
          await page.screenshot({ path: join(PICTURES, `scripts-${name}-${width}.png`), fullPage: true })
      }
      assert.deepEqual(faults, [])
    })
})

const QUESTIONS = [
  {
    type: 'single_choice',
    prompt: HEBREW,
    explanation: ARABIC,
    options: [{ text: ARABIC, correct: true }, { text: BROAD }],
  },
  { type: 'multiple_choice', prompt: ARABIC, options: [{ text: HEBREW, correct: true }, { text: PILOT }] },
  { type: 'true_false', prompt: BROAD, correct: true },
  { type: 'short_answer', prompt: HEBREW, accepted: [{ text: 'שלום' }] },
  { type: 'numeric', prompt: ARABIC, unit: 'ق״מ', accepted: [{ value: '2' }] },
  {
    type: 'matching',
    prompt: HEBREW,
    pairs: [
      { left: HEBREW, right: ARABIC },
      { left: BROAD, right: PILOT },
    ],
  },
  { type: 'ordering', prompt: ARABIC, items: [HEBREW, ARABIC, BROAD] },
]
