import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutAt } from '#foundation/web/client/cut.ts'
import { excerptOf } from './excerpt.ts'

/** One character each for people: skin and profession joined, a flag, a letter with a mark of its own. */
const [PILOT, FLAG, LETTER] = ['👩🏽‍🚀', '🇨🇭', 'שׁ']
const characters = new Intl.Segmenter('en')
const isWhole = (text: string, one: string) =>
  Array.from(characters.segment(text), ({ segment }) => segment).every(
    (segment) => segment === one || /^[\s…a-z]+$/.test(segment),
  )

test('an excerpt ends between characters, also in a long run without a space', () => {
  for (const one of [PILOT, FLAG, LETTER])
    for (let before = 0; before < 12; before++) {
      const text = `${one.repeat(60)} ${'a'.repeat(before)} star ${one.repeat(90)}`
      const shown = excerptOf(text, { words: ['star'], isNear: false })
        .map((piece) => piece.text)
        .join('')
      assert.ok(shown.includes('star') && shown.length < text.length)
      assert.ok(isWhole(shown, one), shown)
    }
})

test('a cut text holds whole characters, and as many as fit', () => {
  assert.equal(cutAt('as it is', 8), 'as it is')
  assert.equal(cutAt('as it is', 5), 'as it')
  assert.equal(cutAt(PILOT.repeat(3), PILOT.length * 2 + 3), PILOT.repeat(2))
  assert.equal(cutAt(PILOT, 3), '')
})
