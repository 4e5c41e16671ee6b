import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, somebody, type Somebody, theAdmin } from '#testing/campus.ts'
import { eventually } from '#testing/eventually.ts'
import { SEVEN } from '#testing/exams.ts'
import type { Product } from '#testing/product.ts'
import { atOneName, sharedProduct } from '#testing/shared-product.ts'
import { startVideoServer } from '#testing/video.ts'

const SECONDS = 20

describe('a teacher in a browser', () => {
  let product: Product
  let media: Awaited<ReturnType<typeof startVideoServer>>
  let teacher: Somebody
  before(async () => {
    media = await startVideoServer(SECONDS)
    product = atOneName(await sharedProduct())
    teacher = await somebody(product, 'teacher@teacher.example.org')
  })
  after(() => media.close())

  const ready = (page: Page) => page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })

  /** Opens a page in a window of this person. */
  async function at(path: string, who: Somebody = teacher) {
    const { page, problems } = await aWindow({ reducedMotion: 'reduce' })
    await page.context().addCookies([cookieOf(product, who)])
    await page.goto(product.learning + path)
    await ready(page)
    return { page, problems }
  }

  async function aChannel(more: object = {}) {
    const made = await ask(product, teacher, '/api/channels', {
      title: 'Tides',
      description: 'Why the sea rises and falls twice a day, and how to know when.',
      episodes: [{ title: 'High water' }, { title: 'Low water' }, { title: 'Spring and neap' }],
      ...more,
    })
    return { channel_id: String(made.id), episode_id: String(made.episodes[0].id) }
  }
  const titlesOf = async (channel_id: string) => {
    const { episodes } = await ask(product, teacher, `/api/channels/${channel_id}`)
    return (episodes as { title: string; status: string }[]).map(({ title, status }) => [title, status])
  }
  const saved = (page: Page) => page.locator('#toasts').getByText('Saved.', { exact: true }).last().waitFor()

  test('creates a draft channel, adds an episode and publishes', async () => {
    const { page, problems } = await at('/channel/edit')
    await page.getByLabel('Title', { exact: true }).fill('A new one')
    await page.getByRole('button', { name: 'Add an episode' }).click()
    assert.equal(await page.evaluate('document.activeElement.name'), 'title')
    await page.keyboard.type('The first of all')
    await page.getByRole('button', { name: 'Create channel' }).click()
    await page.waitForURL(/\/channel\/edit\?id=/)
    await ready(page)
    const channel_id = new URL(page.url()).searchParams.get('id') ?? ''
    const channel = await ask(product, teacher, `/api/channels/${channel_id}`)
    assert.deepEqual([channel.title, channel.status], ['A new one', 'draft'])
    assert.deepEqual(await titlesOf(channel_id), [['The first of all', 'draft']])
    const checks = page.locator('.checklist')
    assert.match(await checks.innerText(), /At least one episode is published\s*: missing/)
    await page.locator('.outline-line').getByLabel('Status').selectOption('published')
    assert.match(await checks.innerText(), /At least one episode is published\s*: done/)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.locator('#toasts').getByText('The channel is published.').waitFor()
    const after = await ask(product, teacher, `/api/channels/${channel_id}`)
    assert.deepEqual([after.status, after.episodes[0].status], ['published', 'published'])
    assert.deepEqual(problems, [])
  })

  test('orders, removes and restores episodes by keyboard', async () => {
    const { channel_id } = await aChannel()
    const { page, problems } = await at(`/channel/edit?id=${channel_id}`)
    const down = page.getByRole('button', { name: 'Move this episode down' })
    await down.first().focus()
    await page.keyboard.press('Enter')
    assert.equal(await page.locator('.rowlist [role=status]').innerText(), 'Now 2 of 3')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove this episode' }).first().press('Enter')
    assert.equal(await page.locator('.outline-line').count(), 2)
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    assert.equal(await page.locator('.outline-line').count(), 3)
    await page.getByRole('button', { name: 'Remove this episode' }).nth(1).press('Enter')
    await page.locator('.outline-line').getByLabel('Status').first().selectOption('draft')
    await page.keyboard.press('Control+s')
    await saved(page)
    assert.equal(
      (await ask(product, teacher, `/api/channels/${channel_id}`)).status,
      'published',
      'of the channel',
    )
    assert.deepEqual(await titlesOf(channel_id), [
      ['Low water', 'draft'],
      ['High water', 'published'],
    ])
    assert.deepEqual(problems, [])
  })

  test('confirms before leaving a page with unsaved changes', async () => {
    const { channel_id } = await aChannel()
    const { page } = await at(`/channel/edit?id=${channel_id}`)
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.dismiss()
    })
    await page.getByLabel('Tags').fill('sea')
    assert.ok(await page.getByText('Unsaved changes').isVisible())
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await eventually(async () => asked.length > 0)
    assert.deepEqual([asked, await page.getByLabel('Tags').inputValue()], [['beforeunload'], 'sea'])
    await page.getByRole('button', { name: 'Save changes' }).click()
    await saved(page)
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.waitForURL(`${product.learning}/`)
    assert.equal(asked.length, 1, 'nothing is asked once it is saved')
  })

  test('orders episodes by dragging', async () => {
    const { channel_id } = await aChannel()
    const { page } = await at(`/channel/edit?id=${channel_id}`)
    const rows = page.locator('.rowlist .row')
    await rows
      .nth(2)
      .locator('.row-grip')
      .dragTo(rows.nth(0), { targetPosition: { x: 100, y: 4 } })
    await page.getByRole('button', { name: 'Save changes' }).click()
    await saved(page)
    const titles = (await titlesOf(channel_id)).map(([title]) => title)
    assert.deepEqual(titles, ['Spring and neap', 'High water', 'Low water'])
  })

  test('names the language of a channel, or gives its tag', async () => {
    const { channel_id } = await aChannel()
    const { page } = await at(`/channel/edit?id=${channel_id}`)
    const field = page.getByLabel('Language', { exact: true })
    for (const [written, tag, shown] of [
      ['japanese', 'ja', 'Japanese'],
      ['de', 'de', 'German'],
      ['pt-BR', 'pt-BR', 'pt-BR'],
    ] as const) {
      await field.fill(written)
      await page.getByRole('button', { name: 'Save changes' }).click()
      await saved(page)
      await page.goto(`${product.learning}/channel/edit?id=${channel_id}`)
      await ready(page)
      assert.equal(await field.inputValue(), shown)
      const { language } = await ask(product, teacher, `/api/channels/${channel_id}`)
      assert.equal(language, tag)
    }
  })

  test('sees a refusal at its field', async () => {
    const { channel_id } = await aChannel()
    const { page } = await at(`/channel/edit?id=${channel_id}`)
    await page.getByLabel('Language', { exact: true }).fill('not a tag')
    await page.getByLabel('Episode title').nth(1).fill('   ')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('alert').waitFor()
    assert.equal(await page.evaluate('document.activeElement.getAttribute("role")'), 'alert')
    const marked = await page.locator('[aria-invalid]').all()
    const values = await Promise.all(marked.map((one) => one.inputValue()))
    assert.deepEqual(values, ['not a tag', '   '])
    assert.deepEqual(await axeFaults(page), [])
  })

  test("shows another editor's changes field by field, and saves only the fields typed here", async () => {
    const { channel_id, episode_id } = await aChannel()
    const { page, problems } = await at(`/channel/edit?id=${channel_id}`)
    const theirs = { category: 'Sea', title: 'Theirs', episodes: [{ id: episode_id, title: 'Their water' }] }
    await ask(product, teacher, `/api/channels/${channel_id}`, theirs, 'PUT')
    await page.getByLabel('Title', { exact: true }).fill('Mine')
    await page.getByLabel('Tags').fill('moon, sun')
    await page.getByLabel('Episode title').nth(1).fill('My water')
    await page.getByRole('button', { name: 'Save changes' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('tbody tr').first().waitFor()
    assert.deepEqual(
      (await dialog.locator('tbody tr').allInnerTexts()).map((line) => line.split(/\s*\t\s*/)),
      [
        ['Title both', 'Tides', 'Theirs', 'Mine'],
        ['Category', 'empty', 'Sea', 'Sea'],
        ['Tags', 'empty', 'empty', 'moon, sun'],
        ['Episode title: High water', 'High water', 'Their water', 'Their water'],
        ['Episode title: Low water', 'Low water', 'Low water', 'My water'],
      ],
    )
    assert.deepEqual(await axeFaults(page), [])
    await dialog.getByRole('button', { name: 'Go on editing' }).click()
    assert.equal((await ask(product, teacher, `/api/channels/${channel_id}`)).title, 'Theirs')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await dialog.getByRole('button', { name: 'Save mine' }).click()
    await saved(page)
    const { title, category, tags } = await ask(product, teacher, `/api/channels/${channel_id}`)
    assert.deepEqual([title, category, tags], ['Mine', 'Sea', ['moon', 'sun']])
    const [first, second] = await titlesOf(channel_id)
    assert.deepEqual([first?.[0], second?.[0]], ['Their water', 'My water'])
    // Both refused saves are told by the browser.
    assert.deepEqual(
      problems.filter((one) => !one.includes('status of 400')),
      [],
    )
  })

  test('adds a video with its length, captions and chapters', async () => {
    const { channel_id, episode_id } = await aChannel()
    const { page, problems } = await at(`/episode/edit?id=${episode_id}&channel=${channel_id}`)
    await page.getByLabel('Video URL').fill(media.video)
    await page.getByLabel('Video URL').press('Tab')
    await eventually(async () => (await page.getByLabel('Duration').inputValue()) === '0:20')
    await page.getByRole('button', { name: 'Add captions' }).click()
    await page.keyboard.type('eng')
    await page.getByLabel('Label').fill('English')
    await page.getByLabel('URL of the .vtt file').fill(media.captions)
    await page.getByRole('button', { name: 'Add a chapter' }).click()
    await page.keyboard.type('0:12')
    await page.getByLabel('Chapter', { exact: true }).fill('The ebb')
    await page.getByLabel('Transcript').fill('The water rises.')
    await page.getByText('Completion', { exact: true }).click()
    await page.getByLabel('Completion threshold').fill('80')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.locator('#toasts').getByText('Published.').waitFor()
    const video = await ask(product, teacher, `/api/episodes/${episode_id}/video`)
    assert.deepEqual(
      [
        video.duration_seconds,
        video.chapters,
        video.captions[0].lang,
        video.transcript,
        video.completion_threshold,
      ],
      [SECONDS, [{ start_seconds: 12, title: 'The ebb' }], 'en', 'The water rises.', 0.8],
    )
    assert.deepEqual(await axeFaults(page), [])
    assert.deepEqual(problems, [])
  })

  test('edits an episode without moving it', async () => {
    const { channel_id } = await aChannel()
    const { episodes } = await ask(product, teacher, `/api/channels/${channel_id}`)
    const { page } = await at(`/episode/edit?id=${episodes[1].id}&channel=${channel_id}`)
    await page.getByLabel('Video URL').fill(media.video)
    const about = page.locator('#about')
    await about.getByLabel('Title').fill('Low water, again')
    await about.getByText('Release date, speakers, cover image').click()
    await about.getByLabel('Speakers').fill('Ada, Ben')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.locator('#toasts').getByText('Published.').waitFor()
    const after = await ask(product, teacher, `/api/channels/${channel_id}`)
    assert.deepEqual(
      after.episodes.map((one: { title: string }) => one.title),
      ['High water', 'Low water, again', 'Spring and neap'],
    )
    assert.deepEqual(after.episodes[1].authors, ['Ada', 'Ben'])
  })

  test('sets homework with a rubric and grades submissions by it', async () => {
    const { channel_id, episode_id } = await aChannel()
    const { page, problems } = await at(`/episode/edit?id=${episode_id}&channel=${channel_id}`)
    await page.getByRole('button', { name: 'New homework' }).click()
    const dialog = page.locator('#homework .work-panel')
    await dialog.getByLabel('Title').fill('Watch the sea')
    await dialog.getByLabel('Points', { exact: true }).first().fill('20')
    for (const [place, criterion] of ['Seen', 'Understood'].entries()) {
      await dialog.getByRole('button', { name: 'Add a criterion' }).click()
      await dialog.getByRole('textbox', { name: 'Criterion' }).nth(place).fill(criterion)
      await dialog.locator('.rowlist').getByLabel('Points').nth(place).fill('10')
    }
    assert.deepEqual(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.locator('#toasts').getByText('Published.').waitFor()
    await page.getByRole('heading', { name: 'Watch the sea' }).waitFor()
    const { items } = await ask(product, teacher, `/api/episodes/${episode_id}/homework`)
    const homework_id = String(items[0].id)
    assert.deepEqual(
      items[0].rubric.map((one: { criterion: string }) => one.criterion),
      ['Seen', 'Understood'],
    )
    for (const name of ['anna', 'bert', 'cleo']) {
      const learner = await somebody(product, `${name}-${episode_id.slice(-6)}@teacher.example.org`)
      await ask(product, learner, `/api/episodes/homework/${homework_id}/submit`, { text: `By ${name}` })
    }

    await page.goto(`${product.learning}/grading?episode=${episode_id}&channel=${channel_id}`)
    await ready(page)
    const who = () => page.locator('.work h2').innerText()
    const first = await who()
    await page.keyboard.press('j')
    assert.notEqual(await who(), first)
    await page.keyboard.press('k')
    assert.equal(await who(), first)
    await page.getByLabel('Seen').fill('10')
    await page.getByLabel('Understood').fill('6.5')
    assert.equal(await page.getByLabel('Points out of 20').inputValue(), '16.5')
    await page.getByLabel('Feedback').fill('Good eyes.')
    await page.getByLabel('Feedback').press('Control+Enter')
    await page.getByText('2 to grade on this page').waitFor()
    assert.notEqual(await who(), first)
    await page.getByLabel('Feedback').fill('Say more.')
    await page.getByRole('button', { name: 'Return for revision' }).click()
    await page.getByText('1 to grade on this page').waitFor()
    assert.deepEqual(await axeFaults(page), [])
    const after = await ask(
      product,
      teacher,
      `/api/episodes/${episode_id}/homework?homework_id=${homework_id}`,
    )
    const rows = after.items[0].submissions as {
      user_email: string
      status: string
      score: number
      feedback: string
    }[]
    assert.deepEqual(rows.map(({ status }) => status).toSorted(), ['graded', 'returned', 'submitted'])
    const graded = rows.find(({ status }) => status === 'graded')
    assert.deepEqual([graded?.user_email, graded?.score, graded?.feedback], [first, 16.5, 'Good eyes.'])
    assert.deepEqual(problems, [])
  })

  /** A new test with the page of its builder. */
  async function aTest(questions: object[] = []) {
    const { channel_id, episode_id } = await aChannel()
    const { id } = await ask(product, teacher, `/api/episodes/${episode_id}/tests`, { title: 'Quiz' })
    const path = `/api/episodes/tests/${String(id)}/questions`
    if (questions.length > 0) await ask(product, teacher, path, { questions })
    return {
      test_id: String(id),
      episode_id,
      ...(await at(`/test/edit?id=${id}&episode=${episode_id}&channel=${channel_id}`)),
      questions: async () => (await ask(product, teacher, `${path}?per_page=100`)).items,
    }
  }

  test('writes a question of each of seven types', async () => {
    const { page, problems, questions } = await aTest()
    const dialog = page.getByRole('dialog')
    const begin = async (type: string, prompt: string) => {
      if (!(await page.locator('.type-list').isVisible()))
        await page.getByText('Add a question', { exact: true }).click()
      await page.getByRole('button', { name: new RegExp(`^${type}`) }).click()
      await dialog.getByLabel('Question', { exact: true }).fill(prompt)
    }
    const finish = async (prompt: string) => {
      assert.deepEqual(await axeFaults(page), [], prompt)
      await dialog.getByRole('button', { name: 'Add question' }).click()
      await page.locator('.keyed-prompt', { hasText: prompt }).waitFor()
    }
    const fillAll = async (label: string, texts: string[]) => {
      for (const [place, text] of texts.entries())
        await dialog.getByLabel(label, { exact: true }).nth(place).fill(text)
    }

    await begin('Multiple choice', 'Which sea?')
    await fillAll('Answer', ['North', 'Baltic', 'Black'])
    await dialog.getByLabel('This answer is correct').nth(1).check()
    await finish('Which sea?')
    await begin('Multiple answers', 'Which two?')
    await fillAll('Answer', ['Sun', 'Moon', 'Mars'])
    for (const place of [0, 1]) await dialog.getByLabel('This answer is correct').nth(place).check()
    await finish('Which two?')
    await begin('True or false', 'The moon pulls')
    await finish('The moon pulls')
    await begin('Short answer', 'What pulls?')
    await dialog.getByLabel('Accepted answer').fill('gravit*')
    await finish('What pulls?')
    await begin('Numerical', 'How many a day?')
    await dialog.getByLabel('Value').fill('2')
    await dialog.getByLabel('Tolerance', { exact: true }).fill('0.05')
    await dialog.getByRole('button', { name: 'Add another number' }).click()
    await dialog.getByLabel('Accepted', { exact: true }).nth(1).selectOption('range')
    await dialog.getByRole('textbox', { name: 'From' }).fill('3')
    await dialog.getByRole('textbox', { name: 'To', exact: true }).fill('4.50')
    await dialog.getByLabel('Worth, %').nth(1).fill('50')
    await finish('How many a day?')
    await begin('Matching', 'What goes where?')
    await fillAll('Item', ['Spring', 'Neap'])
    await fillAll('Match', ['full moon', 'half moon'])
    await finish('What goes where?')
    await begin('Ordering', 'What comes first?')
    await fillAll('Step', ['flood', 'high water', 'ebb'])
    await finish('What comes first?')

    const made = await questions()
    assert.deepEqual(
      made.map(({ type }: { type: string }) => type),
      ['single_choice', 'multiple_choice', 'true_false', 'short_answer', 'numeric', 'matching', 'ordering'],
    )
    const right = (question: { options: { text: string; correct: boolean }[] }) =>
      question.options.filter(({ correct }) => correct).map(({ text }) => text)
    assert.deepEqual([right(made[0]), right(made[1]), made[2].correct], [['Baltic'], ['Sun', 'Moon'], true])
    assert.deepEqual(made[3].accepted, [{ text: 'gravit*', fraction: 1 }])
    assert.deepEqual(made[4].accepted, [
      { value: '2', tolerance: '0.05', tolerance_type: 'absolute', fraction: 1 },
      { min: '3', max: '4.50', fraction: 0.5 },
    ])
    assert.deepEqual(
      made[5].pairs.map(({ left, right: to }: { left: string; right: string }) => [left, to]),
      [
        ['Spring', 'full moon'],
        ['Neap', 'half moon'],
      ],
    )
    assert.deepEqual(
      made[6].items.map(({ text }: { text: string }) => text),
      ['flood', 'high water', 'ebb'],
    )
    assert.deepEqual(problems, [])
  })

  test('sends of each question type only what was changed', async () => {
    const { page, questions } = await aTest(SEVEN)
    const before = await questions()
    for (const place of SEVEN.keys()) {
      await page.getByRole('button', { name: `Edit question ${place + 1}` }).click()
      await page.getByRole('dialog').getByLabel('Explanation').fill('Because.')
      const answered = page.waitForResponse((reply) => reply.request().method() === 'PUT')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      assert.equal((await answered).status(), 200)
      assert.deepEqual((await answered).request().postDataJSON(), { explanation: 'Because.' })
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    const essence = (list: Record<string, unknown>[]) =>
      list.map((one) => ({ ...one, version: 0, updated_at: '', explanation: '' }))
    assert.deepEqual(essence(await questions()), essence(before))
  })

  test('moves and deletes questions with the focus kept', async () => {
    const { page, questions } = await aTest(SEVEN.slice(0, 3))
    const prompts = async () => (await questions()).map(({ prompt }: { prompt: string }) => prompt)
    const [a, b, c] = await prompts()
    await page.getByRole('button', { name: 'Move question 1 down' }).press('Enter')
    await page.locator('[aria-label="Move question 2 down"]:focus').waitFor()
    assert.deepEqual(await prompts(), [b, a, c])
    await page.getByRole('button', { name: 'Delete question 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('2 questions', { exact: false }).first().waitFor()
    assert.deepEqual(await prompts(), [a, c])
  })

  test('imports GIFT after a preview and exports the same', async () => {
    const { page, problems, questions } = await aTest()
    const gift = '::Q1:: Which river? {=Seine ~Rhine}\n\nTell us about it. {}\n\nTwo plus two? {#4:0.1}\n'
    await page.getByRole('button', { name: 'Import GIFT' }).click()
    await page
      .getByLabel('File')
      .setInputFiles({ name: 'x.gift', mimeType: 'text/plain', buffer: Buffer.from(gift) })
    await page.getByText('2 questions to import').waitFor()
    assert.match(
      await page.locator('.gift-preview').innerText(),
      /1 left out[\s\S]*Tell us about it\.[\s\S]*Line 3 · An essay/,
    )
    assert.deepEqual(await axeFaults(page), [])
    assert.deepEqual(await questions(), [], 'nothing was sent yet')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.locator('#toasts').getByText('2 questions imported.').waitFor()
    assert.deepEqual(
      (await questions()).map(({ type }: { type: string }) => type),
      ['single_choice', 'numeric'],
    )
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const file = readFileSync(await (await download).path(), 'utf8')
    assert.match(
      file,
      /Which river\? \{[\s\S]*=Seine[\s\S]*~Rhine[\s\S]*\}[\s\S]*Two plus two\? \{#[\s\S]*4:0\.1/,
    )
    assert.deepEqual(problems, [])
  })

  test('sees results as charts and tables, and downloads them', async () => {
    const { page: unused, test_id, episode_id } = await aTest(SEVEN.slice(0, 3))
    await unused.context().close()
    for (let i = 0; i < 6; i++) {
      const learner = await somebody(product, `l${i}-${test_id.slice(-6)}@teacher.example.org`)
      const { items } = await ask(product, learner, `/api/episodes/tests/${test_id}/questions`)
      const answers = items.map((one: { id: string; type: string; options?: { id: string }[] }) => ({
        question_id: one.id,
        answer:
          one.type === 'true_false'
            ? i > 2
            : one.type === 'single_choice'
              ? one.options?.[i % 3]?.id
              : [one.options?.[0]?.id],
      }))
      await ask(product, learner, `/api/episodes/tests/${test_id}/attempt`, { answers })
    }
    const { page, problems } = await at(`/test/edit?id=${test_id}&episode=${episode_id}`)
    const results = page.locator('#results')
    assert.equal(await results.getByRole('img').count(), 2)
    for (const summary of await results.getByText('Show the numbers').all()) await summary.click()
    const table = results.getByRole('table', { name: 'Scores' })
    const cells = await table.getByRole('row').locator('td:last-child').allInnerTexts()
    assert.equal(
      cells.reduce((sum, one) => sum + Number(one), 0),
      6,
    )
    assert.deepEqual(await axeFaults(page), [])
    const download = page.waitForEvent('download')
    await results.getByRole('button', { name: 'CSV' }).click()
    assert.equal(
      readFileSync(await (await download).path(), 'utf8')
        .trim()
        .split('\r\n').length,
      7,
    )
    assert.deepEqual(problems, [])
  })

  test("cannot open editors of other people's channels", async () => {
    const { channel_id, episode_id } = await aChannel()
    const { id } = await ask(product, teacher, `/api/episodes/${episode_id}/tests`, { title: 'Quiz' })
    await ask(product, teacher, `/api/episodes/${episode_id}/homework`, { title: 'Work' })
    const stranger = await somebody(product, 'stranger@teacher.example.org')
    for (const path of [
      `/channel/edit?id=${channel_id}`,
      `/episode/edit?id=${episode_id}&channel=${channel_id}`,
      `/grading?episode=${episode_id}`,
      `/test/edit?id=${id}&episode=${episode_id}`,
    ]) {
      const { page } = await at(path, stranger)
      assert.ok(await page.getByRole('heading', { name: 'You do not have access' }).isVisible(), path)
      await page.context().close()
    }
  })

  test('an ADMIN runs both agents and reviews their suggestions', async () => {
    const { channel_id } = await aChannel({ title: 'todo' })
    const admin = await theAdmin(product)
    const { page, problems } = await at('/innovation', admin)
    for (const place of [0, 1]) {
      await page.getByRole('button', { name: 'Run now' }).nth(place).click()
      await page
        .locator('#toasts')
        .getByText(/new suggestions?/)
        .last()
        .waitFor()
    }
    await page.goto(`${product.learning}/innovation?kind=title_placeholder&channel_id=${channel_id}`)
    await ready(page)
    const state = async (kind: string) => {
      const found = await ask(
        product,
        admin,
        `/api/innovation/suggestions?kind=${kind}&channel_id=${channel_id}`,
      )
      return found.items.map(({ status }: { status: string }) => status)
    }
    const card = page.locator('.suggestion', { hasText: 'todo' }).first()
    await card.locator('summary').press('Enter')
    assert.deepEqual(await axeFaults(page), [])
    await card.getByLabel('Note').fill('It has no better name')
    await card.getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    assert.deepEqual(await state('title_placeholder'), ['rejected'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page
      .locator('.suggestion', { hasText: 'todo' })
      .first()
      .getByRole('button', { name: 'Approve' })
      .click()
    await page.locator('#toasts').getByText('Approved.').waitFor()
    assert.deepEqual(await state('title_placeholder'), ['approved'])
    await page.getByRole('link', { name: 'Approved' }).click()
    await ready(page)
    await page.locator('.suggestion', { hasText: 'todo' }).first().locator('summary').press('Enter')
    await page.getByRole('button', { name: 'It is done' }).click()
    await page.locator('#toasts').getByText('Applied.').waitFor()
    assert.deepEqual(await state('title_placeholder'), ['applied'])
    assert.deepEqual(problems, [])
  })

  test('an ADMIN decides on many suggestions of a channel at once', async () => {
    const { channel_id } = await aChannel({ description: '' })
    const admin = await theAdmin(product)
    await ask(product, admin, '/api/innovation/run/content', { channel_id })
    const { page, problems } = await at(
      `/innovation?channel_id=${channel_id}&kind=episode_without_video`,
      admin,
    )
    await page.getByRole('heading', { name: 'Episodes without video · Tides' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Approve selected' }).count(), 0)
    await page.getByRole('button', { name: 'Select all 3 of Episodes without video' }).click()
    await page.getByText('3 selected').waitFor()
    await page
      .getByRole('checkbox', { name: /^Select: / })
      .first()
      .uncheck()
    assert.deepEqual(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Reject selected' }).click()
    await page.locator('#toasts').getByText('2 suggestions rejected.').waitFor()
    await ready(page)
    assert.equal(await page.locator('.suggestion').count(), 1)
    const left = await ask(
      product,
      admin,
      `/api/innovation/suggestions?channel_id=${channel_id}&status=rejected`,
    )
    assert.equal(left.total, 2)
    assert.deepEqual(problems, [])
  })

  test('a suggestion about a test links to its questions', async () => {
    const { channel_id, episode_id } = await aChannel({ episodes: [{ title: 'Neap tide' }] })
    const { id } = await ask(product, teacher, `/api/episodes/${episode_id}/tests`, {
      title: 'Without questions',
      status: 'published',
    })
    const admin = await theAdmin(product)
    await ask(product, admin, '/api/innovation/run/content', { channel_id })
    const { page, problems } = await at(
      `/innovation?kind=test_without_questions&channel_id=${channel_id}`,
      admin,
    )
    await page.locator('summary.suggestion-head').click()
    await page.getByRole('link', { name: 'Go to Without questions' }).click()
    await page.getByRole('heading', { level: 1, name: 'Without questions' }).waitFor()
    assert.match(page.url(), new RegExp(`/test/edit\\?id=${id}`))
    await page.getByText('Add a question').waitFor()
    assert.deepEqual(problems, [])
  })

  test('a reviewer sees all options of drafted questions with the key', async () => {
    const { channel_id } = await aChannel({ title: 'untitled' })
    const admin = await theAdmin(product)
    await ask(product, admin, '/api/innovation/run/content', { channel_id })
    const { page } = await at('/innovation', admin)
    const questions = [
      {
        type: 'single_choice',
        prompt: 'What makes the tide?',
        options: [
          { text: 'The moon', correct: true },
          { text: 'The wind', correct: false },
        ],
        explanation: 'It pulls at the water.',
      },
    ]
    await page.route('**/api/innovation/suggestions?*', async (route) => {
      const reply = await route.fetch()
      const found = (await reply.json()) as { items: object[] }
      await route.fulfill({
        response: reply,
        json: { ...found, items: [{ ...found.items[0], patch: { questions } }] },
      })
    })
    await page.reload()
    await page.locator('summary.suggestion-head').click()
    const patch = await page.locator('.patch').innerText()
    assert.match(
      patch,
      /What makes the tide\?[^]*The moon\s+correct[^]*The wind(?!\s+correct)[^]*It pulls at the water\./,
    )
    assert.deepEqual(await axeFaults(page), [])
  })

  test('somebody who teaches nothing finds no suggestions', async () => {
    const { page } = await at('/innovation', await somebody(product, 'pupil@teacher.example.org'))
    assert.ok(await page.getByText('Administrators run the agents').isVisible())
    assert.equal(await page.getByRole('button', { name: 'Run now' }).count(), 0)
  })

  test('the system page shows health, write access and the feed', async () => {
    const { channel_id } = await aChannel({
      episodes: [{ title: 'High water', video: { url: media.video } }],
    })
    const { page, problems } = await aWindow({ reducedMotion: 'reduce' })
    await page.goto(`${product.learning}/system`)
    await ready(page)
    assert.match(await page.locator('#health').innerText(), /Running[\s\S]*ms/)
    assert.match(await page.locator('#about').innerText(), /1\.0\.0[\s\S]*not signed in/)
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('What you write is saved.').waitFor()
    await page.getByLabel('Channel').fill(`${product.learning}/channel?id=${channel_id}`)
    await page.getByRole('button', { name: 'Read the feed' }).click()
    await page.getByText('A valid JSON Feed 1.1 with 1 item.').waitFor()
    assert.match(await page.locator('.feed-items').innerText(), /High water[\s\S]*1 file/)
    assert.deepEqual(await axeFaults(page), [])
    assert.deepEqual(problems, [])
    await page.getByLabel('Channel').fill('0190a000-0000-7000-8000-000000000000')
    await page.getByRole('button', { name: 'Read the feed' }).click()
    await page.getByText('No feed: the channel is not published').waitFor()
  })
})
