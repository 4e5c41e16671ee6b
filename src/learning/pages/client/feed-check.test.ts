import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aUser } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { checkFeed } from './feed-check.ts'

const { learning } = await world()

const ITEM = {
  id: '1',
  content_text: '',
  attachments: [{ url: 'https://x.example/a.mp4', mime_type: 'video/mp4' }],
}
const FEED = { version: 'https://jsonfeed.org/version/1.1', title: 'Tides', items: [ITEM], _own: {} }

test('the check accepts the feed of a channel', async () => {
  const { headers } = await aUser()
  const made = await learning.inject({
    method: 'POST',
    url: '/api/channels',
    headers,
    payload: {
      title: 'Tides',
      thumbnail_url: '/tides.png',
      episodes: [
        {
          title: 'High water',
          authors: ['Ada'],
          recorded_on: '2024-05-01',
          video: { url: 'https://x.example/a.mp4', sources: [{ url: 'https://x.example/a.webm' }] },
        },
        { title: 'Elsewhere', video: { url: 'https://vimeo.com/1' } },
      ],
    },
  })
  const reply = await learning.inject({ url: `/api/device/feed/${made.json().id}` })
  const { faults, feed } = checkFeed(reply.json())
  assert.deepEqual(faults, [])
  assert.deepEqual(
    feed.items.map(({ title, attachments }) => [title, attachments]),
    [
      ['High water', 2],
      ['Elsewhere', 0],
    ],
  )
})

const BREACHES: [string, unknown, RegExp][] = [
  ['nothing at all', null, /^version is not.*\|title is missing\|items is missing$/],
  ['another version', { ...FEED, version: 'https://jsonfeed.org/version/1' }, /^version is not [^|]+$/],
  ['an unknown member', { ...FEED, tags: [] }, /^tags is no member of JSON Feed 1.1$/],
  ['an address of this site', { ...FEED, icon: '/a.png' }, /^icon is no absolute address$/],
  ['an id twice', { ...FEED, items: [ITEM, ITEM] }, /^items\[1\]\.id stands twice$/],
  ['no content', { ...FEED, items: [{ id: '1' }] }, /^items\[0\]\.content_text is missing$/],
  [
    'a date alone',
    { ...FEED, items: [{ ...ITEM, date_published: '2024-05-01' }] },
    /^items\[0\]\.date_published is no time/,
  ],
  [
    'a torn attachment',
    { ...FEED, items: [{ ...ITEM, attachments: [{ url: 'javascript:1' }] }] },
    /mime_type is missing\|.*url is no absolute/,
  ],
]

test('the check accepts valid feeds of others with extensions', () => {
  assert.deepEqual(checkFeed(FEED).faults, [])
})
for (const [what, value, expected] of BREACHES)
  test(`the check names ${what}`, () => assert.match(checkFeed(value).faults.join('|'), expected))
