import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { aWindow } from '#testing/browser.ts'
import { ask, cookieOf, type Somebody, somebody } from '#testing/campus.ts'
import { TRUE } from '#testing/exams.ts'
import type { Product } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

/*
 * A page that sends a field nobody touched undoes what somebody else wrote there meanwhile. So each form sends the fields that
 * were changed, or carries the version that it read.
 */

const SRC = join(import.meta.dirname, '../../src')

/** How the calls of a module are kept from undoing what others did. */
const WAYS = {
  /** Shows a conflict field by field, and sends the changed fields with the version. */
  conflict: /saveEdit</,
  /** Sends the fields that differ from what the form held when it was opened. */
  changes: /changesOf|[!=]== (text|before|suggestion\.review_note|quota)/,
  /** Sends the version that was read. */
  version: /If-Match|\.version\)/,
  /** Sends nothing but the act itself: what a person has just decided about one thing. */
  act: /send/,
} as const

/** Every module of the three services' pages that replaces something: its ways, and how many calls it has. */
const MODULES: Record<string, [calls: number, ...ways: (keyof typeof WAYS)[]]> = {
  'collections/pages/client/acts.ts': [2, 'conflict', 'version'],
  'collections/pages/client/item-panel.ts': [1, 'conflict'],
  'collections/pages/client/members.ts': [1, 'act'],
  'collections/pages/client/shared-views.ts': [1, 'act'],
  'learning/pages/client/bell-settings.ts': [1, 'changes'],
  'learning/pages/client/channel-learner.ts': [1, 'changes'],
  'learning/pages/client/channel-save.ts': [1, 'conflict', 'changes'],
  'learning/pages/client/co-teachers.ts': [1, 'version'],
  // Each change names the version of the field that it was typed over.
  'learning/pages/client/editor-draft.ts': [1, 'act'],
  'learning/pages/client/grade-form.ts': [1, 'changes'],
  // Drafts of the person's own answers: the changed parts, each with its own count.
  'learning/pages/client/homework.ts': [1, 'act'],
  'learning/pages/client/test.ts': [1, 'act'],
  'learning/pages/client/notes.ts': [1, 'changes'],
  'learning/pages/client/one-learner.ts': [1, 'act'],
  'learning/pages/client/question-list.ts': [2, 'changes', 'act'],
  'learning/pages/client/questions.ts': [2, 'changes', 'act'],
  'learning/pages/client/suggestion-card.ts': [2, 'changes', 'act'],
  'learning/pages/client/suggestion-groups.ts': [1, 'act'],
  'learning/pages/client/test-settings.ts': [1, 'changes'],
  'learning/pages/client/unpublish.ts': [1, 'version'],
  'sso/console/client/enterprise-forms.ts': [1, 'version'],
  'sso/console/client/person-acts.ts': [3, 'conflict', 'version'],
  'sso/console/client/setting-branding.ts': [1, 'conflict'],
  'sso/console/client/site-acts.ts': [2, 'changes', 'act'],
  'sso/console/client/site-client.ts': [2, 'conflict'],
  'sso/console/client/site-settings.ts': [1, 'conflict'],
}

test('every call of a page that replaces something has a way that keeps what others did', () => {
  const found = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.includes('/client/') && path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((path) => {
      const text = readFileSync(join(SRC, path), 'utf8')
      const calls = [...text.matchAll(/\bsend(?:<[^()]*?>)?\(\s*'(?:PUT|PATCH)'/g)].length
      const [, ...ways] = MODULES[path] ?? [0]
      return calls > 0 ? [[path, [calls, ...ways.filter((way) => WAYS[way].test(text))]] as const] : []
    })
  assert.deepEqual(Object.fromEntries(found), MODULES)
})

describe('a form', () => {
  let product: Product
  let [teacher, learner]: Somebody[] = []
  let place: { channel: string; episode: string; homework: string; test: string; learner: string }

  before(async () => {
    product = await sharedProduct()
    ;[teacher, learner] = await Promise.all([
      somebody(product, 'teacher@forms.example.org'),
      somebody(product, 'learner@forms.example.org'),
    ])
    const episodes = [{ title: 'High water' }, { title: 'Low water' }]
    const made = await ask(product, teacher, '/api/channels', {
      title: 'Tides',
      status: 'published',
      episodes: episodes.map((one) => ({ ...one, status: 'published' })),
    })
    const [channel, episode] = [String(made.id), String(made.episodes[0].id)]
    const in_a_week = new Date(Date.now() + 7 * 86_400_000).toISOString()
    const path = `/api/episodes/${episode}`
    const work = { title: 'Essay', due_at: in_a_week, rubric: [{ criterion: 'Style', max_points: 5 }] }
    const { id: homework } = await ask(product, teacher, `${path}/homework`, work)
    const { id: quiz } = await ask(product, teacher, `${path}/tests`, { title: 'Quiz', status: 'published' })
    await ask(product, teacher, `/api/episodes/tests/${quiz}/questions`, { questions: [TRUE] })
    await ask(product, learner, `/api/episodes/homework/${homework}/submit`, { text: 'Mine' })
    const { user } = await ask(product, learner, '/api/info')
    place = { channel, episode, homework, test: quiz, learner: user.id }
  })

  type Form = {
    path: (at: typeof place) => string
    is_learner?: true
    /** Opens the form, changes one field and saves. */
    change: (page: Page) => Promise<void>
    sent: object
    has_version?: true
  }
  const dialog = (page: Page) => page.getByRole('dialog')
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()

  const FORMS: Record<string, Form> = {
    'of a channel': {
      path: ({ channel }) => `/channel/edit?id=${channel}`,
      has_version: true,
      sent: { tags: ['moon'] },
      async change(page) {
        await page.getByLabel('Tags').fill('moon')
        await press(page, 'Save changes')
      },
    },
    'of a test': {
      path: ({ test: id, episode, channel }) => `/test/edit?id=${id}&episode=${episode}&channel=${channel}`,
      sent: { max_attempts: 3 },
      async change(page) {
        await press(page, 'Change settings')
        await dialog(page).getByLabel('Attempts allowed').fill('3')
        await dialog(page).getByRole('button', { name: 'Save' }).click()
      },
    },
    'of a question': {
      path: ({ test: id, episode, channel }) => `/test/edit?id=${id}&episode=${episode}&channel=${channel}`,
      sent: { explanation: 'Because.' },
      async change(page) {
        await press(page, 'Edit question 1')
        await dialog(page).getByLabel('Explanation').fill('Because.')
        await dialog(page).getByRole('button', { name: 'Save' }).click()
      },
    },
    'of a grade': {
      path: ({ episode, channel, homework, learner: user_id }) =>
        `/grading?episode=${episode}&channel=${channel}&homework=${homework}&learner=${user_id}`,
      sent: { status: 'returned', feedback: 'Read it aloud.' },
      async change(page) {
        await page.getByLabel('Feedback').fill('Read it aloud.')
        await page.locator('.grading-form').getByRole('button', { name: 'Return' }).click()
      },
    },
    'of notifications': {
      path: () => '/',
      is_learner: true,
      sent: { episode: { in_page: true, by_mail: false } },
      async change(page) {
        await press(page, /^Notifications/)
        await page.locator('#notifications').getByRole('button', { name: 'Settings' }).click()
        await dialog(page).getByLabel('New episodes: By e-mail').uncheck()
        await dialog(page).getByRole('button', { name: 'Save' }).click()
      },
    },
  }

  for (const [name, { path, is_learner, change, sent, has_version = false }] of Object.entries(FORMS))
    test(`${name} sends only the field that was changed`, async () => {
      const who = is_learner ? learner : teacher
      assert.ok(who)
      const { page } = await aWindow({ reducedMotion: 'reduce' })
      await page.context().addCookies([cookieOf(product, who)])
      await page.goto(product.learning + path(place))
      await page.locator('#page[aria-busy=false]').waitFor({ state: 'attached' })
      const asked = page.waitForRequest((request) => ['PUT', 'PATCH'].includes(request.method()))
      await change(page)
      const request = await asked
      assert.deepEqual(request.postDataJSON(), sent)
      assert.equal(request.headers()['if-match'] !== undefined, has_version)
    })
})
