import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toCsv } from './csv.ts'

test('formula-like text gets an apostrophe, numbers do not', () => {
  const starts = ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx']
  for (const start of starts) assert.match(toCsv([[start]]), /^\uFEFF"?'/, JSON.stringify(start))
  assert.equal(toCsv([[-1, 0.5, null]]), '\uFEFF-1,0.5,\r\n')
})

test('commas, quotes and line breaks stay within their cell', () => {
  assert.equal(
    toCsv([['a,b', 'say "hi"', 'two\nlines', 'plain']]),
    '\uFEFF"a,b","say ""hi""","two\nlines",plain\r\n',
  )
})

test('the apostrophe is added before quoting', () => {
  assert.equal(toCsv([['=cmd|"x"']]), `\uFEFF"'=cmd|""x"""\r\n`)
})
