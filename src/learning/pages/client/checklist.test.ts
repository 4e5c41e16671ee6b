import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checksOf } from './checklist.ts'

const done = (plan: Parameters<typeof checksOf>[0]) => checksOf(plan).map(({ is_done }) => is_done)
const EPISODE = { status: 'published', video: { has_captions: true }, homework_count: 1, test_count: 0 }
const FULL = {
  title: 'Tides',
  description: 'Why the sea rises and falls twice a day, and when.',
  thumbnail_url: '/tides.png',
  episodes: [EPISODE],
}

test('a finished channel has every item done, an empty one none', () => {
  assert.deepEqual(done(FULL), [true, true, true, true, true, true, true])
  const empty = { title: '', description: '', thumbnail_url: null, episodes: [] }
  assert.deepEqual(done(empty), [false, false, false, false, false, false, false])
})

test('drafts do not count as published and need no video', () => {
  const draft = { ...EPISODE, status: 'draft', video: null }
  assert.deepEqual(done({ ...FULL, episodes: [draft] }).slice(1, 3), [false, false])
  assert.deepEqual(done({ ...FULL, episodes: [EPISODE, draft] }).slice(1, 3), [true, true])
})

test('twenty characters suffice in a script of word characters', () => {
  assert.equal(done({ ...FULL, description: '潮'.repeat(20) })[3], true)
  assert.equal(done({ ...FULL, description: 'a'.repeat(39) })[3], false)
})
