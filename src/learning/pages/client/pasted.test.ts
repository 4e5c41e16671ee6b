import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPasted } from './pasted.ts'

const named = (number: number) => `Episode ${number}`

test('makes an episode of each line that holds an address', () =>
  assert.deepEqual(
    readPasted(
      [
        'https://media.example.org/a%20talk_1.mp4',
        'Tides – https://vimeo.com/12 some words behind',
        '',
        'no address',
        '- "Neap tide"\thttps://youtu.be/x',
        'https://vimeo.com/13',
        'http://',
      ].join('\r\n'),
      named,
    ),
    [
      { title: 'a talk 1', url: 'https://media.example.org/a%20talk_1.mp4' },
      { title: 'Tides', url: 'https://vimeo.com/12' },
      { title: 'Neap tide', url: 'https://youtu.be/x' },
      { title: 'Episode 4', url: 'https://vimeo.com/13' },
    ],
  ))

test('cuts long titles and keeps broken escapes', () => {
  const [long] = readPasted(`${'x'.repeat(300)} https://vimeo.com/1`, named)
  assert.equal(long?.title.length, 200)
  assert.equal(readPasted('https://x.example/%E0%A4%A.mp4', named)[0]?.title, '%E0%A4%A')
})
