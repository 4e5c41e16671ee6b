import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindow } from '#testing/browser.ts'
import { ask, somebody, type Somebody, theAdmin } from '#testing/campus.ts'
import { eventually } from '#testing/eventually.ts'
import { newDataDir, type Product, removeDataDir, startProduct } from '#testing/product.ts'
import { startVideoServer } from '#testing/video.ts'

/** "Django Birthday" as in a real catalogue (github.com/pyvideo/data, CC0 1.0). */
const REAL = {
  title: 'Django Birthday',
  description:
    "Happy birthday Django!\n\nTime to celebrate! Django is turning 10 years old this July. We're\nthrowing a birthday party for it in the town where it was created.",
  talks: [
    '7 Years With Django: To Core Developer and Back',
    'A More Accessible Django Girls',
    'Snakes, Ponies and Balloons: Stories of Teaching Django to Thousands of Women',
  ],
}
const PASSWORD = 'correct horse 42'
const SECONDS = 20

/** One story in order: each step builds on the result of the one before. All steps use the visible pages only. */
describe('the life of a channel', () => {
  const dataDir = newDataDir()
  let product: Product
  let media: Awaited<ReturnType<typeof startVideoServer>>
  let [teacher, student, admin] = [] as unknown as [Page, Page, Page]
  let [author, learner] = [] as unknown as [Somebody, Somebody]
  let [channel_id, episode_id] = ['', '']
  const problems: string[] = []

  before(async () => {
    media = await startVideoServer(SECONDS)
    product = await startProduct(dataDir)
    author = await somebody(product, 'ruth@example.org')
    learner = await somebody(product, 'mats@example.org')
    const { email, password } = product.firstRun.admin
    teacher = await signedIn('ruth@example.org', PASSWORD)
    student = await signedIn('mats@example.org', PASSWORD)
    admin = await signedIn(email, password)
  })
  after(async () => {
    await product.end()
    await media.close()
    removeDataDir(dataDir)
  })

  const ready = (page: Page) => page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
  const open = async (page: Page, path: string) => {
    await page.goto(product.learning + path)
    await ready(page)
  }
  const told = (page: Page, text: string | RegExp) => page.locator('#toasts').getByText(text).last().waitFor()
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

  async function signedIn(email: string, password: string): Promise<Page> {
    const window = await aWindow({ reducedMotion: 'reduce' })
    await window.page.goto(`${product.learning}/`)
    await window.page.locator('.panel').getByRole('link', { name: 'Sign in' }).click()
    await window.page.getByLabel('E-mail address or username').fill(email)
    await window.page.getByLabel('Password').fill(password)
    await window.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await window.page.waitForURL(`${product.learning}/`)
    await ready(window.page)
    window.page.on('close', () => problems.push(...window.problems))
    return window.page
  }

  test('the teacher creates the channel with its episodes', async () => {
    await open(teacher, '/channel/edit')
    await teacher.getByLabel('Title', { exact: true }).fill(REAL.title)
    await teacher.getByLabel('Description').fill(REAL.description)
    for (const talk of REAL.talks) {
      await teacher.getByRole('button', { name: 'Add an episode' }).click()
      await teacher.keyboard.type(talk)
    }
    for (const place of [0, 1])
      await teacher.locator('.outline-line').getByLabel('Status').nth(place).selectOption('published')
    await teacher.getByRole('button', { name: 'Create channel' }).click()
    await teacher.waitForURL(/channel\/edit\?id=/)
    await ready(teacher)
    channel_id = new URL(teacher.url()).searchParams.get('id') ?? ''
    await teacher.getByRole('button', { name: 'Publish' }).click()
    await told(teacher, 'The channel is published.')
  })

  test('the teacher gives the first one video, homework and test', async () => {
    await teacher
      .getByRole('link', { name: /Video, homework, tests/ })
      .first()
      .click()
    await heading(teacher, REAL.talks[0] ?? '')
    await ready(teacher)
    episode_id = new URL(teacher.url()).searchParams.get('id') ?? ''
    await teacher.getByLabel('Video URL').fill(media.video)
    await teacher.getByLabel('Duration').fill('0:20')
    await teacher.getByRole('button', { name: 'New homework' }).click()
    const homework = teacher.locator('#homework .work-panel')
    await homework.getByLabel('Title').fill('Your first patch')
    await homework
      .getByLabel('Instructions')
      .fill('Write about the **first change** you sent to any project.')
    await teacher.getByRole('button', { name: 'New test' }).click()
    const dialog = teacher.getByRole('dialog')
    await dialog.getByLabel('Title').fill('What do you remember?')
    await dialog.getByRole('button', { name: 'Create and add questions' }).click()
    await teacher.getByRole('button', { name: 'Import GIFT' }).click()
    await teacher
      .getByLabel('Or paste its text')
      .fill('Where was Django first put to use? {=Lawrence ~Berlin}\n\nDjango is a web framework. {TRUE}')
    await teacher.getByRole('button', { name: 'Import', exact: true }).click()
    await told(teacher, '2 questions imported.')
    await teacher.reload()
    await ready(teacher)
    await teacher.getByRole('button', { name: 'Publish', exact: true }).click()
    await told(teacher, 'Published.')
  })

  test('the student finds it in the catalogue and joins', async () => {
    await open(student, '/channels')
    await student.getByRole('button', { name: `Join ${REAL.title}` }).click()
    await student.getByRole('progressbar', { name: `Progress in ${REAL.title}` }).waitFor()
    await student.getByRole('link', { name: REAL.title }).click()
    await heading(student, REAL.title)
  })

  test('the student watches, and progress survives a reload', async () => {
    await open(student, `/episode?id=${episode_id}&channel=${channel_id}`)
    const stored = student.waitForResponse((reply) => reply.url().endsWith('/api/progress'))
    await student.evaluate('const v = document.querySelector("video"); v.muted = true; void v.play()')
    await eventually(() => student.evaluate('document.querySelector("video").currentTime > 2'))
    await student.evaluate('document.querySelector("video").pause()')
    assert.ok((await stored).ok())
    const known = async () => ask(product, learner, `/api/progress/${episode_id}`)
    const { watched_seconds, position_seconds } = await known()
    assert.ok(watched_seconds > 1, `watched ${watched_seconds} s`)
    await student.reload()
    await ready(student)
    assert.ok((await known()).position_seconds >= position_seconds)
    const bar = student.getByRole('progressbar', { name: 'Watched of this video' })
    await bar.waitFor()
    assert.ok(Number(await bar.getAttribute('value')) > 0)
  })

  test('the student submits homework and test and sees the result', async () => {
    await student.getByRole('link', { name: /Your first patch/ }).click()
    await heading(student, 'Your first patch')
    await student.getByLabel('Your answer').fill('It was a typo, and I was proud.')
    await student.getByRole('button', { name: 'Hand in' }).click()
    await student.getByRole('heading', { name: 'What you handed in' }).waitFor()
    await open(student, `/episode?id=${episode_id}&channel=${channel_id}`)
    await student.getByRole('link', { name: /What do you remember/ }).click()
    await ready(student)
    await student.getByRole('button', { name: 'Start the test' }).click()
    await student.getByLabel('Lawrence').check()
    await student.getByLabel('True').check()
    await student.getByRole('button', { name: 'Hand in' }).click()
    await student.getByRole('dialog').getByRole('button', { name: 'Hand in' }).click()
    await student
      .getByText(/100\s*%/)
      .first()
      .waitFor()
  })

  test('the teacher grades homework, and the student sees it', async () => {
    await open(teacher, `/episode/edit?id=${episode_id}&channel=${channel_id}`)
    await teacher.locator('#homework').scrollIntoViewIfNeeded()
    await teacher.getByRole('link', { name: 'Grade 1' }).click()
    await ready(teacher)
    assert.match(await teacher.locator('.work').innerText(), /mats@example\.org[\s\S]*It was a typo/)
    await teacher.getByLabel('Points out of 100').fill('80')
    await teacher.getByLabel('Feedback').fill('A typo is a fine beginning.')
    await teacher.getByRole('button', { name: 'Save grade' }).click()
    await told(teacher, 'Graded: 80 points.')
    await open(student, '/grades')
    await student
      .getByText(REAL.talks[0] ?? '')
      .first()
      .waitFor()
    const { items } = await ask(product, learner, '/api/grades')
    assert.deepEqual([items[0].status, items[0].homework.score, items[0].tests.score], ['passed', 80, 2])
    assert.match(await student.locator('#page').innerText(), /80/)
  })

  test('the admin runs both agents, approves one suggestion, applies another', async () => {
    const second = async () => (await ask(product, author, `/api/channels/${channel_id}`)).episodes[1]
    const { id: second_id } = await second()
    const poster_url = `${media.video}.jpg`
    await ask(product, author, `/api/episodes/${second_id}/video`, { url: media.video, poster_url })
    await open(admin, '/innovation')
    for (const place of [0, 1]) {
      const answered = admin.waitForResponse((reply) => reply.url().includes('/innovation/run/'))
      await admin.getByRole('button', { name: 'Run now' }).nth(place).click()
      assert.equal((await answered).status(), 200)
      await told(admin, /new suggestions?/)
    }
    const who = await theAdmin(product)
    const found = await ask(product, who, `/api/innovation/suggestions?channel_id=${channel_id}&per_page=100`)
    const kinds = found.items.map(({ kind }: { kind: string }) => kind)
    for (const kind of [
      'video_missing_captions',
      'homework_without_due_date',
      'test_few_questions',
      'thumbnail_missing',
    ])
      assert.ok(kinds.includes(kind), `${kind} is not among ${kinds.join(', ')}`)

    await open(admin, `/innovation?kind=homework_without_due_date&channel_id=${channel_id}`)
    await admin.locator('summary.suggestion-head').click()
    await admin.getByRole('button', { name: 'Approve' }).click()
    await told(admin, 'Approved.')
    await open(admin, `/innovation?kind=thumbnail_missing&channel_id=${channel_id}`)
    const card = admin.locator('.suggestion', { hasText: REAL.talks[1] ?? '' })
    await card.locator('summary').click()
    assert.match(await card.locator('.patch').innerText(), /cover image[\s\S]*\.jpg/)
    await card.getByRole('button', { name: 'Apply it' }).click()
    await told(admin, 'Applied.')
    const { id, thumbnail_url } = await second()
    assert.deepEqual([id, thumbnail_url], [second_id, poster_url], 'changed, and in its place')
    const after = await ask(product, who, `/api/innovation/suggestions?channel_id=${channel_id}&per_page=100`)
    const states = after.items.map(
      ({ kind, status }: { kind: string; status: string }) => `${kind} ${status}`,
    )
    for (const state of ['homework_without_due_date approved', 'thumbnail_missing applied'])
      assert.ok(states.includes(state), state)
  })

  test('a device reads the feed, and no console shows an error', async () => {
    const reply = await fetch(`${product.learning}/api/device/feed/${channel_id}`)
    const feed = (await reply.json()) as {
      title: string
      items: { title: string; attachments: { url: string }[] }[]
    }
    assert.equal(feed.title, REAL.title)
    assert.deepEqual(
      feed.items.map(({ title, attachments }) => [title, attachments[0]?.url]),
      REAL.talks.slice(0, 2).map((talk) => [talk, media.video]),
    )
    await Promise.all([teacher, student, admin].map((page) => page.close()))
    assert.deepEqual(problems, [])
  })
})
