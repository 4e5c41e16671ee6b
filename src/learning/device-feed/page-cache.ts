import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const gzipLater = promisify(gzip)
const brotliLater = promisify(brotliCompress)

/** One page of a feed, ready to be written. Brotli takes its time and comes a moment after the others. */
export type FeedBytes = { identity: Buffer; gzip: Buffer; brotli: Buffer | undefined; last_modified: string }
export type Built = { tag: string; text: string; last_modified: string }

/** Feeds of 500 episodes in three codings take about 300 kB; this holds a few hundred of the most asked ones. */
const MAX_BYTES = 64 * 1_048_576

/**
 * The ready bytes by tag, bounded by their size, the longest unasked leaving first. However many ask for a page that
 * is not there, one builder makes it.
 */
export function createPageCache(maxBytes = MAX_BYTES) {
  const ready = new Map<string, FeedBytes>()
  const building = new Map<string, Promise<[string, FeedBytes]>>()
  let size = 0

  function put(key: string, bytes: FeedBytes) {
    remove(key)
    ready.set(key, bytes)
    size += sizeOf(bytes)
    for (const oldest of ready.keys()) {
      if (size <= maxBytes) break
      remove(oldest)
    }
  }
  function remove(key: string) {
    const bytes = ready.get(key)
    if (bytes && ready.delete(key)) size -= sizeOf(bytes)
  }
  async function make(channel_id: string, build: () => Promise<Built>): Promise<[string, FeedBytes]> {
    const { tag, text, last_modified } = await build()
    const identity = Buffer.from(text)
    const bytes: FeedBytes = { identity, gzip: await gzipLater(identity), brotli: undefined, last_modified }
    const key = keyOf(channel_id, tag)
    put(key, bytes)
    // The best coding is worth waiting for, but not for the reader who happens to come first.
    void brotliLater(identity, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: identity.length } }).then(
      (brotli) => {
        if (ready.get(key) === bytes) put(key, { ...bytes, brotli })
      },
      () => {},
    )
    return [tag, bytes]
  }

  return {
    /** The bytes under this tag, which become the youngest. */
    find(channel_id: string, tag: string): FeedBytes | undefined {
      const key = keyOf(channel_id, tag)
      const bytes = ready.get(key)
      if (bytes) {
        ready.delete(key)
        ready.set(key, bytes)
      }
      return bytes
    },
    /** Builds them; what was built may already be newer than the tag that was asked for, and says so. */
    build(channel_id: string, tag: string, build: () => Promise<Built>): Promise<[string, FeedBytes]> {
      const key = keyOf(channel_id, tag)
      const running = building.get(key)
      if (running) return running
      const started = make(channel_id, build).finally(() => building.delete(key))
      building.set(key, started)
      return started
    },
    size: () => size,
  }
}

const keyOf = (channel_id: string, tag: string) => `${channel_id} ${tag}`
const sizeOf = ({ identity, gzip, brotli }: FeedBytes) =>
  identity.length + gzip.length + (brotli?.length ?? 0)
