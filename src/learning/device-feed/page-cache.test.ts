import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPageCache } from './page-cache.ts'

const built =
  (tag: string, text = 'x'.repeat(2_000)) =>
  async () => ({ tag, text, last_modified: 'now' })

test('a page is built once for 50 concurrent readers', async () => {
  const pageCache = createPageCache()
  let builds = 0
  const build = async () => {
    builds += 1
    await sleep(5)
    return { tag: 'v1', text: 'feed', last_modified: 'now' }
  }
  const answers = await Promise.all(Array.from({ length: 50 }, () => pageCache.build('c', 'v1', build)))
  assert.equal(builds, 1)
  assert.ok(answers.every(([tag, { identity }]) => tag === 'v1' && identity.toString() === 'feed'))
})

test('a failed build rejects its readers, and the next one retries', async () => {
  const pageCache = createPageCache()
  const failing = () => pageCache.build('c', 'v1', () => Promise.reject(new Error('down')))
  const answers = await Promise.allSettled([failing(), failing()])
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  const [tag] = await pageCache.build('c', 'v1', built('v1'))
  assert.equal(tag, 'v1')
})

test('a page is stored under its own tag, not the requested', async () => {
  const pageCache = createPageCache()
  await pageCache.build('c', 'v1', built('v2'))
  assert.equal(pageCache.find('c', 'v1'), undefined)
  assert.ok(pageCache.find('c', 'v2'))
})

test('the cache drops the longest unused page beyond its bound', async () => {
  const pageCache = createPageCache(7_000)
  await pageCache.build('c', 'a', built('a'))
  await pageCache.build('c', 'b', built('b'))
  await sleep(20)
  assert.ok(pageCache.find('c', 'a'))
  await pageCache.build('c', 'c', built('c'))
  await pageCache.build('c', 'd', built('d'))
  await sleep(20)
  assert.ok(pageCache.size() <= 7_000)
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((tag) => pageCache.find('c', tag) !== undefined),
    [true, false, true, true].slice(0, 4),
  )
})
