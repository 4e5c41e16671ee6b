import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { aWindow, axeFaults } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import type { Product } from '#testing/product.ts'
import { atOneName, sharedProduct } from '#testing/shared-product.ts'

const { PICTURES } = process.env
if (PICTURES) mkdirSync(PICTURES, { recursive: true })

describe('the questions of a channel', () => {
  let product: Product
  let teacher: Somebody
  before(async () => {
    product = atOneName(await sharedProduct())
    teacher = await somebody(product, 'teacher@question-bank.example.org')
  })

  test('are found, chosen and copied into another test of it', async () => {
    const say = (path: string, body: object) => ask(product, teacher, path, body)
    const channel = await say('/api/channels', {
      title: 'Tides',
      episodes: [{ title: 'מים' }, { title: 'Wind' }],
    })
    const [first, second] = channel.episodes
    const full = await say(`/api/episodes/${first.id}/tests`, { title: 'Quiz א' })
    const empty = await say(`/api/episodes/${second.id}/tests`, { title: 'Exam' })
    const questions = Array.from({ length: 25 }, (_, i) => ({
      type: 'true_false',
      prompt: `Statement ${i + 1} is so`,
      correct: true,
    }))
    await say(`/api/episodes/tests/${full.id}/questions`, {
      questions: [...questions, { ...questions[0], prompt: 'האם זה נכון?' }],
    })
    const { page, problems } = await aWindow({ reducedMotion: 'reduce' })
    await page.context().addCookies([cookieOf(product, teacher)])
    await page.goto(`${product.learning}/test/edit?id=${empty.id}&episode=${second.id}&channel=${channel.id}`)
    await page.getByRole('button', { name: 'From this channel' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox').first().waitFor()
    assert.equal(await dialog.getByRole('checkbox').count(), 20)
    await dialog.getByRole('button', { name: 'Show more' }).click()
    await dialog.getByLabel('האם זה נכון?').waitFor()
    await dialog.getByLabel('Statement 25 is so').check()
    await dialog.getByRole('searchbox').fill('נכון')
    await dialog.getByText('Statement 1 is so').waitFor({ state: 'detached' })
    await dialog.getByLabel('האם זה נכון?').check()
    await dialog.getByText('2 selected').waitFor()
    assert.deepEqual(await axeFaults(page), [])
    for (const [width, colorScheme] of [
      [360, 'dark'],
      [1280, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `bank-${width}.png`) })
    }
    await dialog.getByRole('button', { name: 'Add selected' }).click()
    await page.getByText('2 questions imported.').waitFor()
    const { items } = await ask(product, teacher, `/api/episodes/tests/${empty.id}/questions`)
    assert.deepEqual(
      items.map(({ prompt }: { prompt: string }) => prompt),
      ['Statement 25 is so', 'האם זה נכון?'],
    )
    assert.equal(await page.locator('.keyed').count(), 2)
    assert.deepEqual(problems, [])
  })
})
