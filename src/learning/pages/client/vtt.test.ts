import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cueAt, cuesOf } from './vtt.ts'

test('cues come with their times, in order and as plain text', () => {
  const file =
    'WEBVTT - a\n\nNOTE x\n\n2\n00:05.500 --> 00:07.000 line:0\r\n<v Ann>Tom &amp; <i>Ann</i>\ntwo lines\n\n1:00:00.000 --> 1:00:01.000\nLate\n\n00:01.000 --> 00:02.000\n שלום'
  assert.deepEqual(cuesOf(file), [
    { from: 1, to: 2, text: 'שלום' },
    { from: 5.5, to: 7, text: 'Tom & Ann two lines' },
    { from: 3600, to: 3601, text: 'Late' },
  ])
  assert.deepEqual(cuesOf('1\n00:00:01,500 --> 00:00:02,000\nSubRip'), [{ from: 1.5, to: 2, text: 'SubRip' }])
})

test('what is no captions has no cues', () => {
  for (const file of ['', 'WEBVTT', '<html>', '99 --> 1\nx', '00:01.000 --> 00:02.000\n<i></i>'])
    assert.deepEqual(cuesOf(file), [])
})

test('the cue of a second is the last that began', () => {
  const cues = cuesOf('00:01.000 --> 00:02.000\na\n\n00:03.000 --> 00:04.000\nb')
  assert.deepEqual(
    [0, 1, 2.9, 3, 99].map((second) => cueAt(cues, second)),
    [-1, 0, 0, 1, 1],
  )
})
