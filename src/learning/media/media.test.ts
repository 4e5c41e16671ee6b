import assert from 'node:assert/strict'
import { test } from 'node:test'
import { embedUrlOf, kindOf, mimeTypeOf } from './media.ts'

const vectors: [string, string, string, string | null][] = [
  ['https://example.org/a.mp4', 'file', 'video/mp4', null],
  ['https://example.org/a.M4V?x=1', 'file', 'video/mp4', null],
  ['https://example.org/a.webm#t=5', 'file', 'video/webm', null],
  ['http://example.org/a.ogv', 'file', 'video/ogg', null],
  ['/files/a.mov', 'file', 'video/quicktime', null],
  ['https://example.org/a', 'file', 'video/mp4', null],
  ['https://example.org/live/index.m3u8?token=1', 'hls', 'application/vnd.apple.mpegurl', null],
  [
    'https://www.youtube.com/watch?v=elojMnjn4kk&t=3',
    'embed',
    'text/html',
    'https://www.youtube-nocookie.com/embed/elojMnjn4kk',
  ],
  [
    'https://youtu.be/elojMnjn4kk?si=x',
    'embed',
    'text/html',
    'https://www.youtube-nocookie.com/embed/elojMnjn4kk',
  ],
  [
    'https://m.youtube.com/shorts/abc-_1',
    'embed',
    'text/html',
    'https://www.youtube-nocookie.com/embed/abc-_1',
  ],
  ['https://www.youtube.com/playlist?list=x', 'embed', 'text/html', null],
  ['https://vimeo.com/271032615', 'embed', 'text/html', 'https://player.vimeo.com/video/271032615'],
  [
    'https://vimeo.com/271032615/abcdef0123',
    'embed',
    'text/html',
    'https://player.vimeo.com/video/271032615?h=abcdef0123',
  ],
  [
    'https://player.vimeo.com/video/271032615',
    'embed',
    'text/html',
    'https://player.vimeo.com/video/271032615',
  ],
  [
    'https://archive.org/details/pyvideo_24___cowboy',
    'embed',
    'text/html',
    'https://archive.org/embed/pyvideo_24___cowboy',
  ],
  ['https://archive.org/download/x/x.mp4', 'file', 'video/mp4', null],
  ['https://bittube.video/videos/watch/af7831ff-1eb6-4ed3-83a1-873f9e79b83a', 'embed', 'text/html', null],
  ['https://peertube.example/w/9f8s7dfa', 'embed', 'text/html', null],
  ['https://notyoutube.com/watch?v=x', 'file', 'video/mp4', null],
]

for (const [url, kind, mime_type, embed_url] of vectors)
  test(`${url} is ${kind}, ${mime_type}, ${embed_url ?? 'not to be framed'}`, () => {
    const found = kindOf(url)
    assert.deepEqual([found, mimeTypeOf(url, found), embedUrlOf(url, found)], [kind, mime_type, embed_url])
  })
