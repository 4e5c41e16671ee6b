import assert from 'node:assert/strict'
import { test } from 'node:test'
import { directionOf, piecesOf } from './bidi.ts'

for (const [line, pieces] of [
  ['Ada', ['Ada']],
  ['', []],
  ['מרים כהן', ['מרים כהן']],
  ['Dr. מרים', ['Dr. ', 'מרים']],
  ['מרים Dr.', ['.', 'Dr', 'מרים ']],
  ['שלום (Anna) 42', ['42', ' (', 'Anna', 'שלום )']],
] as const)
  test(`"${line}" stands in pieces from left to right`, () =>
    assert.deepEqual(piecesOf(line, directionOf(line)), pieces))
