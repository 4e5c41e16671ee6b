import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { scanXml } from './xml.ts'

describe('untrusted XML', () => {
  const many = (count: number, part: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => part(i)).join('')
  const bad: [string, string, RegExp][] = [
    ['more elements than are allowed', `<a>${many(100, () => '<b/>')}</a>`, /too many elements/],
    ['comments in their place', `<a>${many(100, () => '<!---->')}</a>`, /too many elements/],
    ['names in scope without end', `<a ${many(33, (i) => `xmlns:n${i}="u" `)}/>`, /too many attributes/],
    ['an attribute more than is allowed', `<a ${many(33, (i) => `n${i}="u" `)}/>`, /too many attributes/],
    [
      'few attributes on each of many',
      `<a>${many(90, () => '<b c="" d="" e="" f="" g=""/>')}</a>`,
      /too many attributes/,
    ],
    ['more depth than any message has', many(21, () => '<a>') + many(21, () => '</a>'), /too deep/],
    ['a document type', '<!DOCTYPE a><a/>', /document type/],
    ['an instruction', '<?b c?><a/>', /processing instructions/],
    ['an end too few', '<a><b></a>', /./],
  ]
  for (const [what, text, why] of bad)
    test(`is refused with ${what}`, () => {
      assert.throws(() => scanXml(text, {}, 100), why)
    })

  test('is refused at the first excess attribute', () => {
    let opened = 0
    const text = `<a ${many(100_000, (i) => `n${i}="u" `)}/>`
    const began = performance.now()
    assert.throws(() => scanXml(text, { open: () => opened++ }), /too many attributes/)
    const first = performance.now() - began
    assert.equal(opened, 0)
    // Reading all of it takes some hundred times as long.
    assert.ok(first < 1_000, `${first} ms`)
  })

  test('is read within its bounds', () => {
    const names: string[] = []
    const text = `<a ${many(32, (i) => `n${i}="u" `)}>${many(99, () => '<b/>')}</a>`
    scanXml(text, { open: ({ local }) => names.push(local) }, 100)
    assert.equal(names.length, 100)
  })
})
