import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import postgres from 'postgres'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import { eventually } from '#testing/eventually.ts'
import { SEVEN, TRUE } from '#testing/exams.ts'
import type { Product } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

const DEAD = 'https://media.example.org/gone.mp4'

describe('learning without dead ends', () => {
  let product: Product
  let teacher: Somebody
  let people = 0

  before(async () => {
    product = await sharedProduct()
    teacher = await somebody(product, 'teacher@dead-ends.example.org')
  })

  const newcomer = () => somebody(product, `person-${(people += 1)}@dead-ends.example.org`)
  const ready = (page: Page) => page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })

  async function windowOf(who: Somebody) {
    const { page, problems } = await aWindow({ reducedMotion: 'reduce' })
    await page.context().addCookies([cookieOf(product, who)])
    const open = async (path: string) => {
      await page.goto(product.learning + path)
      await ready(page)
    }
    return { page, problems, open }
  }

  /** A channel of the teacher. The answer names its episodes. */
  const aChannel = (channel: object) => ask(product, teacher, '/api/channels', { title: 'Tides', ...channel })
  const episodePath = (channel: { id: string; episodes: { id: string }[] }, place: number) =>
    `/episode?id=${channel.episodes[place]?.id}&channel=${channel.id}`

  describe('an episode without a playable video', () => {
    test('is marked as done one by one, and the channel goes on', async () => {
      const channel = await aChannel({
        sequential: true,
        episodes: [
          { title: 'Only text', description: 'Read this.' },
          { title: 'Dead link', video: { url: DEAD, duration_seconds: 100 } },
          { title: 'Embedded', video: { url: 'https://tube.example.org/w/abc', kind: 'embed' } },
          { title: 'The end' },
        ],
      })
      const learner = await newcomer()
      const { page, open } = await windowOf(learner)
      await page.route(DEAD, (route) => route.fulfill({ status: 404 }))
      // Without an answer, a click waits for the frame until the name of its host is given up.
      await page.route('https://tube.example.org/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><html lang=en><title>Tube</title>' }),
      )
      await open(episodePath(channel, 0))
      for (const title of ['Only text', 'Dead link', 'Embedded', 'The end']) {
        await page.getByRole('heading', { level: 1, name: title }).waitFor()
        await page.getByRole('button', { name: 'Mark as done' }).click()
        await page.locator('.watched').getByText('Watched').waitFor()
        const next = page.locator('.up-next').getByRole('link', { name: 'Next episode' })
        if (title !== 'The end') await next.click()
      }
      await page.getByText('You have finished every episode of “Tides”.').waitFor()
      assert.deepEqual(await axeFaults(page), [])
      const { items } = await ask(product, learner, '/api/enrollments')
      assert.equal(items[0].status, 'completed')
    })

    test('cannot be skipped where watching is strict', async () => {
      const channel = await aChannel({
        episodes: [{ title: 'Watch me', video: { url: DEAD, duration_seconds: 100, strict_watch: true } }],
      })
      const learner = await newcomer()
      const { page, open } = await windowOf(learner)
      await page.route(DEAD, (route) => route.fulfill({ status: 404 }))
      await open(episodePath(channel, 0))
      await page.getByText('must be watched here').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Mark as done' }).count(), 0)
      const body = { episode_id: channel.episodes[0].id, completed: true, unplayable: true }
      assert.equal((await ask(product, learner, '/api/progress', body)).completed, false)
    })
  })

  describe('completing an episode', () => {
    test('opens the next one, its ring and its work without a reload', async () => {
      const channel = await aChannel({ sequential: true, episodes: [{ title: 'One' }, { title: 'Two' }] })
      const [one] = channel.episodes
      await ask(product, teacher, `/api/episodes/${one.id}/homework`, { title: 'An essay' })
      const { id } = await ask(product, teacher, `/api/episodes/${one.id}/tests`, { title: 'A quiz' })
      const { page, problems, open } = await windowOf(await newcomer())
      await open(episodePath(channel, 0))
      const siblings = page.locator('.siblings')
      assert.equal(await siblings.getByRole('link', { name: 'Two' }).count(), 0)
      assert.equal(await page.locator('.neighbour.is-next').count(), 0)
      await page.evaluate('window.isSamePage = true')
      await page.getByRole('button', { name: 'Mark as done' }).click()
      await siblings.getByRole('link', { name: 'Two' }).waitFor()
      assert.equal(await siblings.locator('[aria-current] .ring.is-done').count(), 1)
      assert.ok(await page.locator('.neighbour.is-next').isVisible())
      const links = page.locator('.up-next a')
      assert.deepEqual(await links.allInnerTexts(), [
        'Do the homework “An essay”',
        'Take the test “A quiz”',
        'Next episode: Two',
      ])
      assert.match((await links.nth(1).getAttribute('href')) ?? '', new RegExp(`^/test\\?id=${id}&`))
      assert.equal(await page.evaluate('window.isSamePage'), true)
      assert.deepEqual(problems, [])
    })

    test('is asked for by name on the page of a locked episode', async () => {
      const channel = await aChannel({
        title: 'In order',
        sequential: true,
        episodes: [{ title: 'One' }, { title: 'Two' }, { title: 'Three' }],
      })
      const { page, open } = await windowOf(await newcomer())
      for (const path of [episodePath(channel, 2), `/episode?id=${channel.episodes[2].id}`]) {
        await open(path)
        await page.getByRole('heading', { level: 1, name: 'Three' }).waitFor()
        await page.getByRole('heading', { name: '“Three” is locked' }).waitFor()
        assert.ok(await page.locator('.panel').getByRole('link', { name: 'In order' }).isVisible())
      }
      assert.match(await page.locator('.panel').innerText(), /Finish “?One”? first/)
      assert.deepEqual(await axeFaults(page), [])
      await page.getByRole('link', { name: 'Go to “One”' }).click()
      await page.getByRole('button', { name: 'Mark as done' }).waitFor()
      await open(`/channel?id=${channel.id}`)
      const two = page.getByRole('listitem').filter({ hasText: 'Two' })
      assert.match(await two.innerText(), /Locked/)
      assert.equal(await page.getByRole('link', { name: 'Two' }).count(), 0)
    })
  })

  /** An episode with a test of the teacher, and how to hand in for a learner. */
  async function aTest(settings: object = {}, questions: object[] = [TRUE]) {
    const channel = await aChannel({ episodes: [{ title: 'One' }] })
    const episode_id = String(channel.episodes[0].id)
    const made = await ask(product, teacher, `/api/episodes/${episode_id}/tests`, {
      title: 'Quiz',
      show_explanations: true,
      show_right_answers: true,
      ...settings,
    })
    const test_id = String(made.id)
    await ask(product, teacher, `/api/episodes/tests/${test_id}/questions`, { questions })
    const take = async (learner: Somebody, answer: unknown) => {
      const path = `/api/episodes/tests/${test_id}`
      const { items } = await ask(product, learner, `${path}/questions?view=student`)
      const answers = items.map(({ id }: { id: string }) => ({ question_id: id, answer }))
      return ask(product, learner, `${path}/attempt`, { answers })
    }
    return {
      channel_id: String(channel.id),
      episode_id,
      test_id,
      take,
      path: `/test?id=${test_id}&episode=${episode_id}`,
    }
  }

  describe('an attempt', () => {
    test('is opened again by its learner, with what was right', async () => {
      const { path, test_id } = await aTest({ max_attempts: 1, feedback_policy: 'per_question' }, [...SEVEN])
      const learner = await newcomer()
      const { page, problems, open } = await windowOf(learner)
      await open(path)
      await page.getByRole('button', { name: 'Start the test' }).click()
      await page.getByRole('radio', { name: 'Rome' }).check()
      await page.getByRole('button', { name: 'Hand in' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Hand in' }).click()
      await page.getByRole('heading', { name: 'Your result' }).waitFor()
      await open(path)
      await page.getByRole('link', { name: 'Review attempt 1' }).click()
      const first = page.locator('.review .answer').first()
      await first.waitFor()
      assert.deepEqual(await first.locator('dd').allInnerTexts(), ['Rome', 'Paris'])
      assert.match(await first.innerText(), /Incorrect/)
      const order = page.locator('.review .answer').nth(6).locator('dd')
      assert.deepEqual((await order.allInnerTexts()).slice(1), [
        '1. first',
        '2. second',
        '3. third',
        '4. fourth',
      ])
      assert.equal(await page.getByRole('button', { name: 'Reset this attempt' }).count(), 0)
      assert.deepEqual(await axeFaults(page), [])
      assert.deepEqual(problems, [])
      await ask(product, teacher, `/api/episodes/tests/${test_id}`, { feedback_policy: 'score' }, 'PUT')
      await page.reload()
      await page.getByText('does not show correct answers yet').waitFor()
      assert.equal(await page.getByText('Correct answer', { exact: true }).count(), 0)
    })

    test('is reviewed, granted and reset by the teacher', async () => {
      const { test_id, episode_id, take } = await aTest({ max_attempts: 1 })
      const learner = await newcomer()
      await take(learner, false)
      const { page, problems, open } = await windowOf(teacher)
      await open(`/test/edit?id=${test_id}&episode=${episode_id}`)
      await page.getByText('All results').click()
      await page.getByRole('link', { name: learner.email }).click()
      await page.getByRole('heading', { level: 1, name: `Attempts of ${learner.email}` }).waitFor()
      await page.getByRole('button', { name: 'Grant one more attempt' }).click()
      await page.getByText('2 attempts allowed').waitFor()
      const left = async () =>
        (await ask(product, learner, `/api/episodes/${episode_id}/tests`)).items[0].my.attempts_left
      assert.equal(await left(), 1)
      await page.getByRole('link', { name: 'Review attempt 1' }).click()
      await page.locator('.review .answer').waitFor()
      assert.deepEqual(await page.locator('.review dd').allInnerTexts(), ['False', 'True'])
      await page.getByRole('button', { name: 'Reset this attempt' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Reset this attempt' }).click()
      await page.getByText('No attempts yet.').waitFor()
      assert.equal(await left(), 2)
      assert.deepEqual(problems, [])
    })
  })

  describe('a draft', () => {
    const start = async (page: Page) => {
      await page.getByRole('button', { name: /Start the test|Resume the test/ }).click()
      await page.locator('.paper').waitFor()
    }
    const True = (page: Page, place: number) =>
      page.locator(`#q-${place}`).getByRole('radio', { name: 'True' })

    test('of a test brings the answers of two devices and two tabs together', async () => {
      const { path, test_id, episode_id } = await aTest({}, [TRUE, TRUE, TRUE])
      const learner = await newcomer()
      const [desk, phone] = [await windowOf(learner), await windowOf(learner)]
      await desk.open(path)
      await start(desk.page)
      await phone.open(path)
      await start(phone.page)
      const tab = await desk.page.context().newPage()
      await tab.goto(product.learning + path)
      await start(tab)
      await True(desk.page, 1).check()
      await True(phone.page, 2).check()
      await True(tab, 3).check()
      await desk.page.getByText('Draft saved').waitFor()
      await phone.page.getByText('Draft saved').waitFor()
      await tab.close()
      await desk.page.getByRole('button', { name: 'Hand in' }).click()
      // The dialog opens when what the others wrote is here.
      await desk.page.getByRole('dialog').waitFor()
      assert.ok(await True(desk.page, 2).isChecked())
      assert.ok(await True(desk.page, 3).isChecked())
      await desk.page.getByRole('dialog').getByRole('button', { name: 'Hand in' }).click()
      await desk.page.getByRole('heading', { name: 'Passed' }).waitFor()
      const { items } = await ask(product, learner, `/api/episodes/${episode_id}/tests?test_id=${test_id}`)
      assert.equal(items[0].my.kept_percent, 100)
      assert.deepEqual((await ask(product, learner, `/api/episodes/tests/${test_id}/draft`)).answers, [])
    })

    test('waits on the device while the service is silent, and goes on later', async () => {
      const { path, test_id } = await aTest({}, [TRUE, TRUE])
      const learner = await newcomer()
      const { page, open } = await windowOf(learner)
      await open(path)
      await start(page)
      await page.route('**/draft', (route) => route.abort())
      await True(page, 1).check()
      await page.getByText('Not connected').waitFor()
      await page.reload()
      await start(page)
      assert.ok(await True(page, 1).isChecked())
      await page.unroute('**/draft')
      await page.evaluate('dispatchEvent(new Event("online"))')
      await page.getByText('Draft saved').waitFor()
      const { answers } = await ask(product, learner, `/api/episodes/tests/${test_id}/draft`)
      assert.deepEqual(
        answers.map(({ answer }: { answer: boolean }) => answer),
        [true],
      )
    })

    test('of homework is written every 3 s at most, and read on another device', async () => {
      const channel = await aChannel({ episodes: [{ title: 'One' }] })
      const episode_id = String(channel.episodes[0].id)
      const { id } = await ask(product, teacher, `/api/episodes/${episode_id}/homework`, { title: 'Essay' })
      const learner = await newcomer()
      const [desk, phone] = [await windowOf(learner), await windowOf(learner)]
      const { page } = desk
      const path = `/homework?id=${id}&episode=${episode_id}`
      // The time of this page stands still, except where the test moves it.
      await page.clock.install()
      await desk.open(path)
      await page.clock.pauseAt(Date.now() + 60_000)
      let [sent, answered] = [0, 0]
      const isDraft = (request: { method: () => string; url: () => string }) =>
        request.method() === 'PUT' && request.url().endsWith('/draft')
      page.on('request', (request) => isDraft(request) && (sent += 1))
      page.on('requestfinished', (request) => isDraft(request) && (answered += 1))
      const field = page.getByLabel('Your answer')
      await field.pressSequentially('Monday')
      await page.clock.runFor(10)
      await eventually(() => answered === 1)
      await page.getByText('Draft saved').waitFor()
      await field.pressSequentially(', half past')
      await page.clock.runFor(2_900)
      await field.pressSequentially(' six')
      assert.equal(sent, 1)
      await page.clock.runFor(100)
      await eventually(() => answered === 2)
      assert.equal(sent, 2)
      await page.getByText('Draft saved').waitFor()
      await phone.open(path)
      assert.equal(await phone.page.getByLabel('Your answer').inputValue(), 'Monday, half past six')
      await phone.page.getByRole('button', { name: 'Hand in' }).click()
      await phone.page.getByRole('heading', { name: 'What you handed in' }).waitFor()
      assert.equal(await phone.page.getByLabel('Your answer').inputValue(), '')
      await field.press('x')
      await page.clock.runFor(3_000)
      await page.getByText('handed in meanwhile').waitFor()
      await page.context().close()
    })
  })

  describe('half-written work', () => {
    test('of a teacher stays with its submission', async () => {
      const channel = await aChannel({ episodes: [{ title: 'One' }] })
      const episode_id = String(channel.episodes[0].id)
      const { id } = await ask(product, teacher, `/api/episodes/${episode_id}/homework`, { title: 'Essay' })
      for (let no = 0; no < 2; no++)
        await ask(product, await newcomer(), `/api/episodes/homework/${id}/submit`, { text: `Mine ${no}` })
      const { page, open } = await windowOf(teacher)
      await open(`/grading?episode=${episode_id}`)
      const feedback = page.getByLabel('Feedback')
      await feedback.fill('Half a sente')
      await page.locator('.queue-item').nth(1).click()
      assert.equal(await feedback.inputValue(), '')
      await page.reload()
      await page.locator('.queue-item').nth(0).click()
      assert.equal(await feedback.inputValue(), 'Half a sente')
      await page.getByLabel('Points out of 100').fill('50')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('.queue-item').nth(0).click()
      await page.reload()
      const { items } = await ask(product, teacher, `/api/episodes/${episode_id}/homework`)
      assert.equal(
        items[0].submissions.some((one: { feedback: string }) => one.feedback === 'Half a sente'),
        true,
      )
    })

    test('in a dialog is asked about on Esc and before the page is left', async () => {
      const { test_id, episode_id } = await aTest()
      const { page, open } = await windowOf(teacher)
      await open(`/test/edit?id=${test_id}&episode=${episode_id}`)
      await page
        .getByRole('button', { name: /Change|Edit|Settings/ })
        .first()
        .click()
      const dialog = page.locator('dialog').first()
      await dialog.waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page
        .getByRole('button', { name: /Change|Edit|Settings/ })
        .first()
        .click()
      await dialog.locator('input, textarea').first().fill('Changed')
      for (let twice = 0; twice < 2; twice++) {
        await page.keyboard.press('Escape')
        await page.getByRole('heading', { name: 'Discard your changes?' }).waitFor()
        if (twice === 0) assert.deepEqual(await axeFaults(page), [])
        await page.getByRole('button', { name: 'Cancel' }).last().click()
        assert.equal(await dialog.locator('input, textarea').first().inputValue(), 'Changed')
      }
      const asked = page.waitForEvent('dialog')
      const left = page.goto(`${product.learning}/`).catch(() => undefined)
      const question = await asked
      assert.equal(question.type(), 'beforeunload')
      await question.dismiss()
      await left
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Discard' }).click()
      await dialog.waitFor({ state: 'detached' })
    })
  })

  test('lists the results of 106 learners, in the table and in the CSV', async () => {
    const { channel_id, test_id, episode_id, take } = await aTest({ max_attempts: 1 })
    await take(await newcomer(), true)
    await onDatabase(
      (sql) => sql`
        with people as (select gen_random_uuid()::text as id, no from generate_series(1, 105) as no),
        joined as (
          insert into learning.enrollments (tenant_id, user_id, channel_id, user_email, status, source)
          select n.tenant_id, people.id, n.channel_id, 'copy-' || no || '@example.org', 'active', 'self'
            from people, learning.enrollments n where n.channel_id = ${channel_id}
          returning user_id)
        insert into learning.attempts (tenant_id, id, test_id, user_id, number, status, is_preview, submitted_at,
          key_version, graded_version, answers, results, score, max_score)
        select a.tenant_id, gen_random_uuid(), a.test_id, joined.user_id, 1, a.status, false, a.submitted_at,
               a.key_version, a.graded_version, a.answers, a.results, a.score, a.max_score
          from joined, learning.attempts a where a.test_id = ${test_id}`,
    )
    const { page, problems, open } = await windowOf(teacher)
    await open(`/test/edit?id=${test_id}&episode=${episode_id}`)
    await page.locator('#results details summary').last().click()
    await page.locator('#results tbody tr th a').nth(105).waitFor()
    assert.equal(await page.locator('#results tbody tr th a').count(), 106)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    const lines = readFileSync(await (await saved).path(), 'utf8')
      .trim()
      .split('\r\n')
    assert.equal(lines.length, 107)
    assert.equal(new Set(lines).size, 107)
    assert.deepEqual(problems, [])
  })

  test('shows more work of an episode than one page of the list holds', async () => {
    const channel = await aChannel({ episodes: [{ title: 'One' }] })
    const path = `/api/episodes/${channel.episodes[0].id}/homework`
    for (let no = 1; no <= 21; no++) await ask(product, teacher, path, { title: `Sheet ${no}` })
    const { page, open } = await windowOf(await newcomer())
    await open(episodePath(channel, 0))
    assert.equal(await page.getByRole('link', { name: /^Sheet/ }).count(), 21)
  })

  describe('a page', () => {
    test('ends a request without an answer after 15 s and offers to try again', async () => {
      const { page } = await windowOf(await newcomer())
      let asked = 0
      await page.route('**/api/channels?*', (route) => ((asked += 1) > 1 ? route.continue() : undefined))
      // The limit of each request ends when the test says so.
      await page.addInitScript(() => {
        const limits: { ms: number; end: () => void }[] = []
        AbortSignal.timeout = (ms) => {
          const stop = new AbortController()
          limits.push({ ms, end: () => stop.abort(new DOMException('late', 'TimeoutError')) })
          return stop.signal
        }
        Object.assign(globalThis, { limits })
      })
      await page.goto(`${product.learning}/channels`)
      await eventually(() => asked === 1)
      assert.equal(await page.getByRole('heading', { name: 'The service is not responding' }).count(), 0)
      await page.evaluate('for (const { ms, end } of limits) if (ms === 15_000) end()')
      await page.getByRole('heading', { name: 'The service is not responding' }).waitFor()
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.locator('.catalogue').waitFor()
    })

    test('says when a module does not arrive', async () => {
      const { page } = await windowOf(await newcomer())
      await page.route('**/client/grades-texts.ts', (route) => route.fulfill({ status: 404 }))
      await page.goto(`${product.learning}/grades`)
      await page.getByText('A part of this page did not arrive.').waitFor()
      assert.deepEqual(await axeFaults(page), [])
      await page.unroute('**/client/grades-texts.ts')
      await page.getByRole('link', { name: 'Load it again' }).click()
      await page.locator('.empty').waitFor()
      assert.ok(await page.locator('#lost').isHidden())
    })

    test('at home keeps its other parts when one of its reads fails', async () => {
      const channel = await aChannel({ title: 'Kelp', episodes: [{ title: 'One' }] })
      const learner = await newcomer()
      await ask(product, learner, '/api/enroll', { channel_id: channel.id })
      await ask(product, learner, '/api/channels', { title: 'My own' })
      const { page, open } = await windowOf(learner)
      for (const path of ['enrollments', 'channels', 'grades']) {
        await page.route(`**/api/${path}?*`, (route) =>
          route.fulfill({ status: 500, json: { detail: 'No' } }),
        )
        await open('/')
        const shown = (name: string) => page.getByRole('link', { name, exact: true }).count()
        assert.equal(await page.locator('.panel').count(), 1, path)
        assert.equal(await page.getByRole('link', { name: 'Kelp' }).count(), path === 'enrollments' ? 0 : 1)
        assert.equal(await shown('My own'), path === 'channels' ? 0 : 1)
        if (path === 'channels') assert.deepEqual(await axeFaults(page), [])
        await page.unroute(`**/api/${path}?*`)
        await page.getByRole('button', { name: 'Try again' }).click()
        await page.locator('.panel').waitFor({ state: 'detached' })
      }
    })
  })

  describe('publishing', () => {
    test('is refused while the channel is empty, and takes all episodes at once', async () => {
      const channel = await aChannel({
        title: 'Nearly ready',
        status: 'draft',
        episodes: [
          { title: 'One', status: 'draft' },
          { title: 'Two', status: 'draft' },
        ],
      })
      const { page, problems, open } = await windowOf(teacher)
      await open(`/channel/edit?id=${channel.id}`)
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      assert.match(await page.locator('.faults').innerText(), /At least one episode is published/)
      assert.deepEqual(await axeFaults(page), [])
      const read = () => ask(product, teacher, `/api/channels/${channel.id}`)
      assert.equal((await read()).status, 'draft')
      await page.getByRole('button', { name: 'Publish all episodes' }).click()
      assert.equal(await page.getByRole('button', { name: 'Publish all episodes' }).count(), 0)
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      await page.locator('.toast').waitFor()
      const { status, episodes } = await read()
      assert.deepEqual(
        [status, ...episodes.map((one: { status: string }) => one.status)],
        Array(3).fill('published'),
      )
      assert.deepEqual(problems, [])
    })
  })

  /** The test's own connection to the embedded server, with the program's role. */
  async function onDatabase<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
    const text = readFileSync(join(product.dataDir, 'postgres/passwords.json'), 'utf8')
    const sql = postgres({
      host: join(product.dataDir, 'postgres/socket'),
      username: 'lyceum',
      database: 'lyceum',
      password: (JSON.parse(text) as { app: string }).app,
      max: 1,
    })
    try {
      return await work(sql)
    } finally {
      await sql.end()
    }
  }
})
