import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One frame of 160 by 90 pixels in VP8. */
const PICTURE = Buffer.from(
  'UAcAnQEqoABaAD9xuNdlNK6rJyCIApAuCWlu3pfpc9kUAT22IvEHxI+lzs9/PdKPqiv/VrFzflwxEXEINEg/Ti6SwAD+6ZMCinnd2fm9q7ceTUbnksjuB5i5FKzyV2hYnfXaj6uEa0TVX7nTUF/W0zus+iuDKvihX5kFAAAA',
  'base64',
)
const PICTURES_A_SECOND = 4

/** A valid WebM of `seconds` s, always the same bytes: still frames with an index for seeking. */
export function aVideo(seconds: number): Buffer {
  const info = box(
    '1549a966',
    box('2ad7b1', uint(1_000_000)),
    box('4489', float(seconds * 1_000)),
    box('4d80', 'test'),
    box('5741', 'test'),
  )
  const picture = box('e0', box('b0', uint(160)), box('ba', uint(90)))
  const track = box(
    'ae',
    box('d7', uint(1)),
    box('73c5', uint(1)),
    box('83', uint(1)),
    box('86', 'V_VP8'),
    picture,
  )
  const tracks = box('1654ae6b', track)
  const clusters = Array.from({ length: seconds }, (_, second) => clusterAt(second))
  const cuesAt = (first: number) => {
    let place = first
    const points = clusters.map((cluster, second) => {
      const point = box(
        'bb',
        box('b3', uint(second * 1_000)),
        box('b7', box('f7', uint(1)), box('f1', uint(place))),
      )
      place += cluster.length
      return point
    })
    return box('1c53bb6b', ...points)
  }
  const before = info.length + tracks.length
  const cues = cuesAt(before + cuesAt(0).length)
  const head = box(
    '1a45dfa3',
    box('4286', uint(1)),
    box('42f7', uint(1)),
    box('42f2', uint(4)),
    box('42f3', uint(8)),
    box('4282', 'webm'),
    box('4287', uint(2)),
    box('4285', uint(2)),
  )
  return Buffer.concat([head, box('18538067', info, tracks, cues, ...clusters)])
}

function clusterAt(second: number): Buffer {
  const blocks = Array.from({ length: PICTURES_A_SECOND }, (_, i) => {
    const header = Buffer.from([0x81, 0, 0, 0x80])
    header.writeInt16BE((i * 1_000) / PICTURES_A_SECOND, 1)
    return box('a3', Buffer.concat([header, PICTURE]))
  })
  return box('1f43b675', box('e7', uint(second * 1_000)), ...blocks)
}

/** An EBML element (RFC 8794) with an eight-byte length. */
function box(id: string, ...content: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(content.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(body.length) | (1n << 56n))
  return Buffer.concat([Buffer.from(id, 'hex'), length, body])
}

/** Always eight bytes, so that the length of the index does not depend on its values. */
function uint(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}

const CAPTIONS =
  'WEBVTT\n\n00:00.000 --> 00:05.000\nThe water rises.\n\n00:05.000 --> 00:10.000\nAnd falls again.\n'

/** A foreign server with a video of `seconds` s, served by ranges as players request it, and its captions. */
export async function startVideoServer(seconds: number) {
  const video = aVideo(seconds)
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.vtt')) {
      response.setHeader('access-control-allow-origin', '*').setHeader('content-type', 'text/vtt')
      return void response.end(CAPTIONS)
    }
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    const last = to === '' ? video.length - 1 : Math.min(Number(to), video.length - 1)
    response.setHeader('content-type', 'video/webm').setHeader('accept-ranges', 'bytes')
    if (request.headers.range !== undefined)
      response.writeHead(206, { 'content-range': `bytes ${from}-${last}/${video.length}` })
    response.end(video.subarray(Number(from), last + 1))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    video: `http://127.0.0.1:${port}/lesson.webm`,
    captions: `http://127.0.0.1:${port}/lesson.vtt`,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
