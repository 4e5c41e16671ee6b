import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withoutSlash } from './lost-page.ts'

describe('the address without the slash at its end', () => {
  for (const [url, address] of [
    ['/account/', '/account'],
    ['/account/?a=/b/', '/account?a=/b/'],
    ['/a/b/', '/a/b'],
    ['/%5Cevil.example/', '/%5Cevil.example'],
    ['/', undefined],
    ['/account', undefined],
    ['/account?a=/', undefined],
    ['//evil.example/', undefined],
    ['/\\evil.example/', undefined],
    ['/\\/evil.example/', undefined],
    ['/a//', undefined],
  ] as const)
    test(`of ${url} is ${address ?? 'none'}`, () => assert.equal(withoutSlash(url), address))
})
