import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import type { Product } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

describe('a page whose thing is missing', () => {
  let product: Product
  let learner: Somebody
  const NONE = '0190a000-0000-7000-8000-000000000000'
  type Made = { id: string; episodes: { id: string }[] }
  let [open, hidden]: [Made, Made] = [
    { id: '', episodes: [] },
    { id: '', episodes: [] },
  ]
  const works: string[] = []
  before(async () => {
    product = await sharedProduct()
    learner = await somebody(product, 'learner@lost.example.org')
    const teacher = await somebody(product, 'teacher@lost.example.org')
    const episodes = [{ title: 'Second one', status: 'published' }]
    open = await ask(product, teacher, '/api/channels', {
      title: 'Open to all',
      status: 'published',
      episodes: [...episodes, { title: 'Not yet', status: 'draft' }],
    })
    hidden = await ask(product, teacher, '/api/channels', {
      title: 'Hidden',
      visibility: 'private',
      episodes,
    })
    for (const kind of ['homework', 'tests'])
      works.push(
        (
          await ask(product, teacher, `/api/episodes/${open.episodes[0]?.id}/${kind}`, {
            title: 'Draft',
            status: 'draft',
          })
        ).id,
      )
  })

  const signedIn = async () => {
    const { page, problems } = await aWindow({ reducedMotion: 'reduce' })
    await page.context().addCookies([cookieOf(product, learner)])
    return { page, problems }
  }

  const shownAt = async (page: Awaited<ReturnType<typeof signedIn>>['page'], path: string) => {
    await page.goto(product.learning + path)
    const panel = page.locator('.panel')
    await panel.waitFor()
    return { heading: await panel.getByRole('heading').innerText(), text: await panel.innerText() }
  }

  test('names its kind and leads back, and never tells what exists from what does not', async () => {
    const { page, problems } = await signedIn()
    const [first, draft] = open.episodes.map(({ id }) => id)
    const [homework, exam] = works
    const around = `episode=${first}`
    for (const [kind, there, absent, ways] of [
      ['This channel', `/channel?id=${hidden.id}`, `/channel?id=${NONE}`, []],
      ['This channel', `/channel/edit?id=${hidden.id}`, `/channel/edit?id=${NONE}`, []],
      ['This episode', `/episode?id=${hidden.episodes[0]?.id}`, `/episode?id=${NONE}`, []],
      [
        'This episode',
        `/episode?id=${draft}&channel=${open.id}`,
        `/episode?id=${NONE}&channel=${open.id}`,
        ['Channel: Open to all'],
      ],
      [
        'This homework',
        `/homework?id=${homework}&${around}`,
        `/homework?id=${NONE}&${around}`,
        ['Episode: Second one', 'Channel: Open to all'],
      ],
      [
        'This test',
        `/test?id=${exam}&${around}`,
        `/test?id=${NONE}&${around}`,
        ['Episode: Second one', 'Channel: Open to all'],
      ],
      [
        'This attempt',
        `/test?id=${exam}&${around}&attempt=${NONE}`,
        `/test?id=${NONE}&${around}&attempt=x`,
        ['Episode: Second one', 'Channel: Open to all'],
      ],
    ] as const) {
      const shown = await shownAt(page, there)
      assert.ok(shown.heading.startsWith(`${kind} does not exist, or you do not have access to it`), there)
      assert.deepEqual(await shownAt(page, absent), shown, there)
      const links = await page.locator('.panel a').allInnerTexts()
      assert.deepEqual(links, [...ways, 'All channels', 'Home'], there)
    }
    for (const [path, heading] of [
      ['/channel', 'This channel'],
      ['/channel?id=../x', 'This channel'],
      ['/homework?id=a', 'This homework'],
      [`/homework?id=a&${around}`, 'This homework'],
      ['/test/edit?id=%27&episode=%22', 'This test'],
    ] as const)
      assert.ok((await shownAt(page, path)).heading.startsWith(heading), path)
    assert.deepEqual(await axeFaults(page), [])
    await page.getByRole('link', { name: 'All channels' }).click()
    await page.locator('.catalogue').waitFor()
    assert.deepEqual(
      problems.filter((problem) => !/\b(404|422)\b/.test(problem)),
      [],
    )
  })

  test('asks for a sign-in instead, whatever exists', async () => {
    const { page } = await aWindow({ reducedMotion: 'reduce' })
    for (const path of [
      `/channel?id=${hidden.id}`,
      `/channel?id=${NONE}`,
      `/episode?id=${open.episodes[0]?.id}`,
    ]) {
      await page.goto(product.learning + path)
      await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor()
      assert.equal(await page.locator('.panel').getByRole('link').count(), 1)
    }
  })
})
