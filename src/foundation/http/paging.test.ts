import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { page, pageLinks } from './paging.ts'

describe('the list envelope', () => {
  for (const [total, per_page, pages] of [
    [0, 20, 0],
    [1, 20, 1],
    [20, 20, 1],
    [21, 20, 2],
    [41, 20, 3],
  ] as const) {
    test(`${total} rows by ${per_page} are ${pages} pages`, () =>
      assert.equal(page([], total, { page: 1, per_page }).pages, pages))
  }

  test('Link names first, prev, next and last and keeps the other parameters', () => {
    assert.equal(
      pageLinks('/api/channels?q=x&page=2', { page: 2, pages: 3 }),
      '</api/channels?q=x&page=1>; rel="first", </api/channels?q=x&page=1>; rel="prev", ' +
        '</api/channels?q=x&page=3>; rel="next", </api/channels?q=x&page=3>; rel="last"',
    )
    assert.equal(pageLinks('/a', { page: 1, pages: 0 }), '</a?page=1>; rel="first", </a?page=1>; rel="last"')
  })
})
