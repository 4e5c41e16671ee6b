import { randomBytes, randomFillSync } from 'node:crypto'
import { clock } from './clock.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (text: string) => UUID.test(text)

/** Random bytes for 256 ids: one call of the generator costs as much as the rest of some ids together. */
const randoms = Buffer.alloc(4_096)
let used = randoms.length

let lastMs = 0
let counter = 0

/**
 * A UUIDv7 (RFC 9562 section 5.7): 48 bits of milliseconds, a 12-bit counter (method 1 of section 6.2), 62 random bits.
 * The counter keeps the ids of one process in creation order.
 */
export function newId(): string {
  const now = clock.now()
  if (now > lastMs) {
    lastMs = now
    counter = 0
  } else if (++counter > 0xfff) {
    lastMs += 1
    counter = 0
  }
  if (used === randoms.length) {
    randomFillSync(randoms)
    used = 0
  }
  const bytes = randoms.subarray(used, (used += 16))
  bytes.writeUIntBE(lastMs, 0, 6)
  bytes.writeUInt16BE(0x7000 | counter, 6)
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const OF_THIS_PROCESS = `${randomBytes(4).toString('hex')}-${randomBytes(2).toString('hex')}-8${hex12()}-8${hex12()}-`
let requests = 0

/**
 * A UUIDv8 (RFC 9562, section 5.8) that identifies one request in its response and in the log: 72 random bits of this
 * process and a counter. It is unique but not secret, and ten times cheaper than 122 random bits per request.
 */
export function newRequestId(): string {
  requests += 1
  return OF_THIS_PROCESS + requests.toString(16).padStart(12, '0')
}

function hex12() {
  return randomBytes(2).toString('hex').slice(1)
}
