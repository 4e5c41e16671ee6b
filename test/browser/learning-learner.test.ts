import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import { eventually } from '#testing/eventually.ts'
import { SEVEN } from '#testing/exams.ts'
import type { Product } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'
import { startVideoServer } from '#testing/video.ts'

const SECONDS = 20

describe('a learner in a browser', () => {
  let product: Product
  let media: Awaited<ReturnType<typeof startVideoServer>>
  let teacher: Somebody
  let people = 0

  before(async () => {
    media = await startVideoServer(SECONDS)
    product = await sharedProduct()
    teacher = await somebody(product, 'teacher@learner.example.org')
  })
  after(async () => {
    await media.close()
  })

  /** A new learner with a window, and a channel with two playable episodes. */
  async function aLesson(channel: object = {}) {
    const learner = await somebody(product, `learner-${(people += 1)}@learner.example.org`)
    const video = {
      url: media.video,
      captions: [{ lang: 'en', label: 'English', url: media.captions }],
      chapters: [
        { start_seconds: 0, title: 'Beginning' },
        { start_seconds: 12, title: 'The end of it' },
      ],
      transcript: 'First words.\n\nLast words.',
    }
    const made = await ask(product, teacher, '/api/channels', {
      title: `Tides ${people}`,
      episodes: [
        { title: 'The water rises', video },
        { title: 'And falls again', video },
      ],
      ...channel,
    })
    const [first] = made.episodes as { id: string }[]
    const { page, problems } = await aWindow({ reducedMotion: 'reduce' })
    await page.context().addCookies([cookieOf(product, learner)])
    return {
      learner,
      page,
      problems,
      channel_id: String(made.id),
      episode_id: first?.id ?? '',
      open: async (path: string) => {
        await page.goto(product.learning + path)
        await ready(page)
      },
    }
  }
  const ready = (page: Page) => page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
  const progressOf = (who: Somebody, episode_id: string) => ask(product, who, `/api/progress/${episode_id}`)
  /** Polls from outside, because the page's CSP forbids evaluating text. */
  const until = (page: Page, condition: string) => eventually(() => page.evaluate(condition))
  const withMetadata = (page: Page) => until(page, 'document.querySelector("video")?.readyState >= 1')

  test('signs in, returns to the asking page and signs out', async () => {
    const home = product.learning.replace('127.0.0.1', 'localhost')
    await somebody(product, 'mona@learner.example.org')
    const { page, problems } = await aWindow()
    await page.goto(`${home}/learning`)
    await page.locator('.panel').getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail address or username').fill('mona@learner.example.org')
    await page.getByLabel('Password').fill('correct horse 42')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('You have not joined a channel yet.').waitFor()
    assert.equal(page.url(), `${home}/learning`)
    await page.getByRole('button', { name: 'Account of mona@learner.example.org' }).click()
    assert.deepEqual(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor()
    assert.equal(page.url(), `${home}/`)
    assert.deepEqual(problems, [])
  })

  test('leaves a channel, keeps what was done and joins again', async () => {
    const made = await ask(product, teacher, '/api/channels', {
      title: 'Knots',
      episodes: [{ title: 'One' }],
    })
    const id = String(made.id)
    const { learner, page, problems } = await aLesson()
    await ask(product, learner, '/api/enroll', { channel_id: id })
    await page.goto(`${product.learning}/channel?id=${id}`)
    await page.getByRole('button', { name: 'Leave this channel' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave this channel' }).click()
    await page.getByText('You have left “Knots”.').waitFor()
    await page.getByRole('button', { name: 'Join this channel' }).click()
    await page.getByText('You joined “Knots”.').waitFor()
    await page.getByRole('button', { name: 'Leave this channel' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('reads the total of a channel, which leaves out what is not due', async () => {
    const made = await ask(product, teacher, '/api/channels', {
      title: 'Ropes',
      episodes: [{ title: 'One' }, { title: 'Two' }],
    })
    const { learner, page, problems } = await aLesson()
    await ask(product, learner, '/api/enroll', { channel_id: String(made.id) })
    for (const [i, score] of [80, 90].entries()) {
      const episode_id = String(made.episodes[i].id)
      const homework = await ask(product, teacher, `/api/episodes/${episode_id}/homework`, { title: 'Tie' })
      await ask(product, teacher, `/api/episodes/${episode_id}/homework`, {
        title: 'Later',
        due_at: new Date(Date.now() + 86_400_000).toISOString(),
      })
      const sent = await ask(product, learner, `/api/episodes/homework/${homework.id}/submit`, { text: 'x' })
      await ask(product, teacher, `/api/episodes/homework/submissions/${sent.id}/grade`, { score }, 'PUT')
    }
    await page.goto(`${product.learning}/grades`)
    await page.getByText(/85\s?% so far; 42\.5\s?% if nothing more is handed in/).waitFor()
    await page.getByRole('img', { name: /Grades over time: 80\s?%, 90\s?%/ }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('reads one grade on every page while handed-in work waits for its own', async () => {
    const made = await ask(product, teacher, '/api/channels', {
      title: 'Anchors',
      episodes: [{ title: 'One' }],
    })
    const [channel_id, episode_id] = [String(made.id), String(made.episodes[0].id)]
    const { learner, page, problems } = await aLesson()
    await ask(product, learner, '/api/enroll', { channel_id })
    for (const title of ['Graded', 'Waiting']) {
      const homework = await ask(product, teacher, `/api/episodes/${episode_id}/homework`, { title })
      const sent = await ask(product, learner, `/api/episodes/homework/${homework.id}/submit`, { text: 'x' })
      const grade = `/api/episodes/homework/submissions/${sent.id}/grade`
      if (title === 'Graded') await ask(product, teacher, grade, { score: 40 }, 'PUT')
    }
    await ask(product, learner, '/api/progress', { episode_id, completed: true, unplayable: true })
    await page.goto(`${product.learning}/grades`)
    await page.getByText(/40\s?% so far; work that you handed in waits for its grade/).waitFor()
    assert.match(await page.locator('.grade-figures').innerText(), /^40\s?%\s+so far$/)
    await page.goto(`${product.learning}/learning`)
    await page.getByText(/grade 40\s?%/).waitFor()
    await page.goto(`${product.learning}/channel?id=${channel_id}`)
    await page.getByText(/what is graded so far earned 40\s?%/).waitFor()
    assert.doesNotMatch(await page.locator('main').innerText(), /20\s?%/)
    assert.deepEqual(problems, [])
  })

  test('finds a channel, joins it and sees the progress', async () => {
    const { page, problems, open, channel_id, learner } = await aLesson({ title: 'Unmistakable kelp' })
    await open('/channels')
    await page.keyboard.press('/')
    assert.equal(await page.evaluate('document.activeElement.type'), 'search')
    await page.keyboard.type('kelp')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/channels?q=kelp')
    await ready(page)
    assert.ok(await page.getByText('1 channel', { exact: true }).isVisible())
    await page.getByRole('button', { name: 'Join Unmistakable kelp' }).click()
    await page.getByRole('progressbar', { name: 'Progress in Unmistakable kelp' }).waitFor()
    const { items } = await ask(product, learner, '/api/enrollments')
    assert.deepEqual(
      items.map((one: { channel_id: string }) => one.channel_id),
      [channel_id],
    )
    await page.getByRole('link', { name: 'Unmistakable kelp' }).click()
    await page.getByRole('link', { name: 'Start' }).click()
    await page.getByRole('heading', { level: 1, name: 'The water rises' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test('sees the current episode among its neighbours', async () => {
    const episodes = Array.from({ length: 40 }, (_, number) => ({ title: `Wave ${number + 1}` }))
    const channel = await ask(product, teacher, '/api/channels', {
      title: 'Forty waves',
      status: 'published',
      episodes,
    })
    const { page, open } = await aLesson()
    await open(`/episode?id=${channel.episodes[29].id}&channel=${channel.id}`)
    await until(page, 'document.querySelector(".siblings").scrollTop > 0')
    const isIn = `(() => {
      const [list, here] = ['.siblings', '.siblings [aria-current]'].map((at) => document.querySelector(at).getBoundingClientRect())
      return here.top >= list.top && here.bottom <= list.bottom
    })()`
    assert.equal(await page.evaluate(isIn), true)
  })

  test('does not notice an expired CSRF token', async () => {
    const { page, open, channel_id, learner } = await aLesson({ title: 'Stale kelp' })
    const csrf = { name: 'csrf_token', value: 'old.1.mac', url: product.learning }
    await page.context().addCookies([csrf])
    await open(`/channel?id=${channel_id}`)
    await page.getByRole('button', { name: 'Join this channel' }).click()
    await page.getByRole('link', { name: 'Start' }).waitFor()
    assert.equal((await ask(product, learner, '/api/enrollments')).total, 1)
  })

  test('submits a test after signing in again', async () => {
    const { page, open, episode_id, learner } = await aLesson()
    const made = await ask(product, teacher, `/api/episodes/${episode_id}/tests`, { title: 'Quiz' })
    await ask(product, teacher, `/api/episodes/tests/${made.id}/questions`, { questions: SEVEN.slice(2, 3) })
    await open(`/test?id=${made.id}&episode=${episode_id}`)
    await page.getByRole('button', { name: 'Start the test' }).click()
    await page.getByRole('radio', { name: 'True' }).check()
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Hand in' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Hand in' }).click()
    await page.getByText('Your answers are kept on this device').waitFor()
    assert.deepEqual(await axeFaults(page), [])
    await page.context().addCookies([cookieOf(product, learner)])
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await page.getByRole('heading', { name: 'Passed' }).waitFor()
    const { items } = await ask(product, learner, `/api/episodes/${episode_id}/tests?test_id=${made.id}`)
    assert.equal(items[0].my.attempts_used, 1)
    assert.equal(items[0].my.kept_percent, 100)
  })

  test('watches, and resumes after a reload', async () => {
    const { page, problems, open, channel_id, episode_id, learner } = await aLesson()
    await open(`/episode?id=${episode_id}&channel=${channel_id}`)
    await withMetadata(page)
    const told = page.waitForResponse((reply) => reply.url().endsWith('/api/progress'))
    // The page pauses by itself: a busy machine must not watch to the end.
    await page.evaluate(`{
      const video = document.querySelector('video')
      video.addEventListener('timeupdate', () => video.currentTime > 12.5 && video.pause())
    }`)
    await page.getByRole('button', { name: 'The end of it' }).click()
    assert.equal((await told).status(), 201)
    const progress = await progressOf(learner, episode_id)
    assert.ok(progress.position_seconds > 12 && progress.position_seconds < SECONDS)
    assert.ok(progress.watched_seconds > 0.3 && progress.watched_seconds < 5, JSON.stringify(progress))
    assert.ok(progress.segments[0][0] >= 11.9, 'the jump is not counted as watched')
    assert.ok(await page.getByRole('progressbar', { name: 'Watched of this video' }).isVisible())
    await page.reload()
    await page.getByText(/Resumes at 0:1\d/).waitFor()
    const at = await page.evaluate<number>('document.querySelector("video").currentTime')
    assert.ok(Math.abs(at - progress.position_seconds) < 1)
    await page.getByRole('button', { name: 'Start over' }).click()
    assert.equal(await page.evaluate('document.querySelector("video").currentTime'), 0)
    assert.deepEqual(problems, [])
  })

  test('reads that an episode is watched at its end', async () => {
    const { page, problems, open, channel_id, episode_id, learner } = await aLesson()
    await open(`/episode?id=${episode_id}&channel=${channel_id}`)
    await withMetadata(page)
    await page.evaluate(
      '{ const v = document.querySelector("video"); v.muted = true; v.playbackRate = 16; v.play() }',
    )
    await page.locator('.watched').getByText('Watched', { exact: true }).waitFor()
    assert.equal((await progressOf(learner, episode_id)).completed, true)
    await open(`/channel?id=${channel_id}`)
    assert.match(
      await page.getByRole('listitem').filter({ hasText: 'The water rises' }).innerText(),
      /Watched/,
    )
    assert.deepEqual(problems, [])
  })

  test('loses no progress while the service is unreachable', async () => {
    const { page, open, channel_id, episode_id, learner } = await aLesson()
    await open(`/episode?id=${episode_id}&channel=${channel_id}`)
    await withMetadata(page)
    await page.route('**/api/progress', (route) => route.abort())
    await page.keyboard.press('k')
    await until(page, 'document.querySelector("video").currentTime > 1')
    await page.keyboard.press('k')
    await page.getByText('your progress is kept on this device').waitFor()
    assert.equal((await progressOf(learner, episode_id)).watched_seconds, 0)
    await page.unroute('**/api/progress')
    const told = page.waitForResponse((reply) => reply.url().endsWith('/api/progress'))
    await page.reload()
    await told
    assert.ok((await progressOf(learner, episode_id)).watched_seconds >= 0.9)
    assert.equal(
      await page.evaluate('Object.keys(localStorage).filter((key) => key.includes("beats")).length'),
      0,
    )
  })

  test('keeps watching after the session ended, and it counts', async () => {
    const { page, open, channel_id, episode_id, learner } = await aLesson()
    await open(`/episode?id=${episode_id}&channel=${channel_id}`)
    await withMetadata(page)
    await page.context().clearCookies()
    await page.keyboard.press('k')
    await until(page, 'document.querySelector("video").currentTime > 1')
    await page.keyboard.press('k')
    await page.getByText('You are signed out. Keep watching').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Sign in again' }).getAttribute('target'), '_blank')
    await page.context().addCookies([cookieOf(product, learner)])
    const told = page.waitForResponse((reply) => reply.url().endsWith('/api/progress') && reply.ok())
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await told
    await page.getByText('You are signed out. Keep watching').waitFor({ state: 'hidden' })
    assert.ok((await progressOf(learner, episode_id)).watched_seconds >= 0.9)
  })

  test('has keyboard controls, captions included, and their list', async () => {
    const { page, problems, open, channel_id, episode_id } = await aLesson()
    await open(`/episode?id=${episode_id}&channel=${channel_id}`)
    await withMetadata(page)
    await until(page, 'document.querySelector("video").textTracks.length === 1')
    const time = () => page.evaluate<number>('document.querySelector("video").currentTime')
    await page.keyboard.press('l')
    assert.equal(await time(), 10)
    await page.keyboard.press('ArrowLeft')
    assert.equal(await time(), 5)
    await page.keyboard.press('c')
    assert.equal(await page.evaluate('document.querySelector("video").textTracks[0].mode'), 'showing')
    await page.keyboard.press('>')
    assert.equal(await page.evaluate('document.querySelector("video").playbackRate'), 1.25)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    assert.deepEqual(await axeFaults(page), [])
    await page.keyboard.press('Escape')
    assert.equal(await page.getByRole('dialog').count(), 0)
    await page.getByText('Transcript').click()
    assert.ok(await page.getByText('Last words.').isVisible())
    assert.deepEqual(problems, [])
  })

  test('plays a playlist with a player loaded only when needed', async () => {
    const list = 'https://media.example.org/lesson.m3u8'
    const { page, problems, open, channel_id, episode_id } = await aLesson({
      episodes: [{ title: 'In pieces', video: { url: list } }],
    })
    await page.addInitScript('HTMLMediaElement.prototype.canPlayType = () => ""')
    const headers = { 'access-control-allow-origin': '*' }
    const pieces: string[] = []
    await page.route('https://media.example.org/**', (route) => {
      const { pathname } = new URL(route.request().url())
      pieces.push(pathname)
      const body = '#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\npiece.ts\n#EXT-X-ENDLIST\n'
      return pathname.endsWith('.m3u8')
        ? route.fulfill({ headers, body })
        : route.fulfill({ headers, body: '' })
    })
    const player = page.waitForResponse((reply) => reply.url().endsWith('/hls.mjs'))
    const piece = page.waitForResponse('https://media.example.org/piece.ts')
    await open(`/episode?id=${episode_id}&channel=${channel_id}`)
    assert.equal((await player).headers()['content-type'], 'text/javascript; charset=utf-8')
    await piece
    assert.ok(pieces.includes('/lesson.m3u8'))
    assert.deepEqual(problems, [])
  })

  test('keeps a homework draft, submits once and reads its grade', async () => {
    const { page, problems, open, episode_id, learner } = await aLesson()
    const { id } = await ask(product, teacher, `/api/episodes/${episode_id}/homework`, {
      title: 'A week of tides',
      instructions: 'Write down **seven** times.',
      max_score: 10,
    })
    await open(`/homework?id=${id}&episode=${episode_id}`)
    await page.getByRole('button', { name: 'Hand in' }).click()
    assert.match(await page.locator('.faults').innerText(), /There is a problem/)
    assert.equal(await page.evaluate('document.activeElement.className'), 'faults')
    assert.deepEqual(await axeFaults(page), [])
    await page.getByLabel('Your answer').fill('Monday 6:12, <b>low</b>')
    await page.getByText('Draft kept on this device').waitFor()
    await page.reload()
    assert.equal(await page.getByLabel('Your answer').inputValue(), 'Monday 6:12, <b>low</b>')
    await page.getByRole('button', { name: 'Hand in' }).dblclick()
    await page.getByRole('heading', { name: 'What you handed in' }).waitFor()
    assert.ok(await page.getByText('Monday 6:12, <b>low</b>').isVisible())
    assert.equal(await page.getByLabel('Your answer').inputValue(), '')
    const { items } = await ask(
      product,
      teacher,
      `/api/episodes/${episode_id}/homework?homework_id=${id}&submissions=all`,
    )
    assert.equal(items[0].submissions.length, 1)
    const body = { score: 8, feedback: 'Good. *Which* Monday?' }
    await ask(
      product,
      teacher,
      `/api/episodes/homework/submissions/${items[0].submissions[0].id}/grade`,
      body,
      'PUT',
    )
    await page.reload()
    await page.getByRole('heading', { name: 'Your grade' }).waitFor()
    assert.match(await page.locator('.verdict').innerText(), /8 of 10/)
    assert.equal(await page.locator('.verdict em').innerText(), 'Which')
    assert.deepEqual(
      problems.filter((one) => !one.includes('422')),
      [],
    )
    assert.equal((await ask(product, learner, `/api/grades/${episode_id}`)).percent, 80)
  })

  test('takes a test of seven types by keyboard', async () => {
    const { page, problems, open, episode_id, learner } = await aLesson()
    const made = await ask(product, teacher, `/api/episodes/${episode_id}/tests`, {
      title: 'High and low',
      time_limit_seconds: 900,
      max_attempts: 2,
      feedback_policy: 'per_question',
    })
    await ask(product, teacher, `/api/episodes/tests/${made.id}/questions`, { questions: SEVEN })
    await open(`/test?id=${made.id}&episode=${episode_id}`)
    await page.getByRole('button', { name: 'Start the test' }).press('Enter')
    await page.getByText('0 of 7 answered').waitFor()
    assert.match(await page.locator('.timer').innerText(), /1[45]:\d\d/)
    assert.deepEqual(await axeFaults(page), [])
    await page.keyboard.press('j')
    await page.keyboard.press('1')
    await page.getByText('1 of 7 answered').waitFor()
    const chosen = await page.locator('#q-1 .option').first().innerText()
    await page.reload()
    await page.getByRole('button', { name: 'Resume the test' }).press('Enter')
    await page.getByText('1 of 7 answered').waitFor()
    assert.equal(await page.locator('#q-1 .option').first().innerText(), chosen, 'the order stays')
    await page.locator('#q-2').getByRole('checkbox', { name: '2', exact: true }).check()
    await page.locator('#q-2').getByRole('checkbox', { name: '3', exact: true }).check()
    await page.locator('#q-3').getByRole('radio', { name: 'True' }).check()
    await page.locator('#q-4').getByRole('textbox').fill('goethe')
    await page.locator('#q-5').getByRole('textbox').fill('9,81')
    for (const [left, right] of [
      ['one', 'uno'],
      ['two', 'due'],
      ['three', 'tre'],
    ] as const)
      await page.locator('#q-6').getByLabel(left).selectOption(right)
    await page
      .locator('#q-7')
      .getByRole('button', { name: /^Move down/ })
      .first()
      .press('Enter')
    await page.getByText('7 of 7 answered').waitFor()
    await page.getByRole('button', { name: 'Flag question 3' }).click()
    await page.getByRole('button', { name: 'Hand in' }).click()
    const dialog = page.getByRole('dialog', { name: 'Hand in?' })
    assert.match(await dialog.innerText(), /All questions are answered\. 1 question is still flagged/)
    await dialog.getByRole('button', { name: 'Hand in' }).click()
    await page.getByRole('heading', { name: 'Question by question' }).waitFor()
    assert.deepEqual(await axeFaults(page), [])
    for (const place of [2, 3, 4, 5, 6])
      assert.match(
        await page
          .locator('.answer')
          .nth(place - 1)
          .innerText(),
        /Correct/,
        `question ${place}`,
      )
    const { items } = await ask(product, learner, `/api/episodes/${episode_id}/tests?test_id=${made.id}`)
    assert.equal(items[0].my.attempts_used, 1)
    assert.ok(await page.getByRole('link', { name: 'Try again, 1 left' }).isVisible())
    assert.equal(
      await page.evaluate('Object.keys(localStorage).filter((key) => key.includes("answers")).length'),
      0,
    )
    assert.deepEqual(problems, [])
  })

  test('estimates a future grade and downloads grades', async () => {
    const { page, problems, open, channel_id, episode_id, learner } = await aLesson({ title: '=Tides' })
    for (const title of ['First', 'Second'])
      await ask(product, teacher, `/api/episodes/${episode_id}/homework`, { title, max_score: 50 })
    await ask(product, learner, '/api/enroll', { channel_id })
    await open('/grades')
    await page.locator('summary').click()
    await page.getByRole('button', { name: 'What if?' }).click()
    await page.getByLabel('First').fill('45')
    await page.getByLabel('Second').fill('30')
    assert.match(await page.locator('.what-if-answer').innerText(), /75.%, passed/)
    assert.deepEqual(await axeFaults(page), [])
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    const stream = await (await file).createReadStream()
    const text = Buffer.concat(await stream.toArray()).toString()
    assert.match(text, /'=Tides,The water rises,Not started,,0,0,100\r\n/)
    assert.deepEqual(problems, [])
  })
})
