import { PassThrough } from 'node:stream'
import type { Database } from '#foundation/database/database.ts'
import { tooMany } from '#foundation/errors.ts'
import type { Logger } from '#foundation/log.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { findSiteByKey } from '../../core/access/site-keys.ts'
import { listNews, listRevocations, readEldest, readMark, type Revoked } from './revocations.ts'

/** How often the database is asked whether anything was revoked (ms); one question for all streams of the process. */
const LOOK_MS = 250
/** A comment so often keeps proxies from closing the connection; the site key is checked again then (ms). */
const BEAT_MS = 10_000
/** Streams of one site at one process. Anybody can make sandbox sites. */
const MOST = { production: 20, sandbox: 5 }
/** A client that does not read so many bytes is cut off; it resumes where it was. */
const MOST_WAITING = 1_048_576
/** Lines that a stream remembers, so that it tells none twice; then it forgets all. */
const MOST_KNOWN = 10_000
/** A browser or library comes back after this time (ms). */
const RETRY_MS = 500

type Stream = {
  site: Site
  site_key: string
  cursor: string | undefined
  body: PassThrough
  told: Map<string, number>
  /** A walk is under way. */
  isBusy: boolean
  /** Something may have happened since that walk began. */
  isStale: boolean
  checked_at: number
}
type Parts = { database: Database; log: Logger; isUnready: () => boolean }

/**
 * The streams of one process: a line for each person of a site whose access tokens were revoked, as soon as the
 * transaction has committed. Nothing is missed, because every walk goes by the cursor of the list of revocations; all
 * streams end when the process stops, and clients go on elsewhere with `Last-Event-ID`.
 */
export function createRevocationStreams({ database, log, isUnready }: Parts) {
  const streams = new Set<Stream>()
  let timer: NodeJS.Timeout | undefined
  /** What the streams were told up to here: the oldest transaction that was open then. */
  let from: string | undefined
  let beginning: Promise<void> | undefined
  let latest: string | undefined

  /** A new stream of the site. 422 for a cursor that is none, 429 for one too many. */
  async function open(site: Site, site_key: string, cursor: string | undefined): Promise<PassThrough> {
    const own = [...streams].filter((one) => one.site.site_id === site.site_id)
    const most = MOST[site.environment]
    if (own.length >= most) throw tooMany('too_many_streams', `At most ${most} streams of a site`, 10)
    const body = new PassThrough()
    const stream: Stream = {
      site,
      site_key,
      cursor,
      body,
      told: new Map(),
      isBusy: false,
      isStale: false,
      checked_at: Date.now(),
    }
    streams.add(stream)
    body.on('close', () => close(stream)).on('error', () => close(stream))
    body.write(`retry: ${RETRY_MS}\n\n`)
    try {
      await begin()
      await walk(stream)
      body.write('event: ready\ndata: {}\n\n')
    } catch (error) {
      close(stream)
      throw error
    }
    timer ??= setInterval(() => void look(), LOOK_MS).unref()
    return body
  }

  /** What comes after the first stream was opened is told to all, whatever their walks have seen. */
  function begin(): Promise<void> {
    beginning ??= readEldest(database).then(
      (eldest) => void (from = eldest),
      (error: unknown) => {
        beginning = undefined
        throw error
      },
    )
    return beginning
  }

  function close(stream: Stream): void {
    if (!streams.delete(stream)) return
    stream.body.end()
    if (streams.size > 0) return
    clearInterval(timer)
    timer = beginning = from = latest = undefined
  }

  let isLooking = false
  /** One question for all streams. What it finds is told to the streams of the sites that it concerns. */
  async function look(): Promise<void> {
    if (isUnready()) return closeAll()
    if (isLooking || from === undefined) return
    isLooking = true
    try {
      const since = from
      const mark = await readMark(database, since)
      // All streams may have ended meanwhile; who comes then begins anew.
      if (from !== since) return
      if (mark !== latest) await tellNews(since)
      latest = mark
      for (const stream of streams) await check(stream)
    } catch (error) {
      log.warn({ err: error }, 'revocations could not be read; the streams wait')
    } finally {
      isLooking = false
    }
  }

  async function tellNews(since: string): Promise<void> {
    const { news, next } = await listNews(database, since)
    if (next === undefined) {
      from = await readEldest(database)
      for (const stream of streams) await walk(stream)
      return
    }
    for (const stream of streams) {
      const own = news.filter(({ site_ids }) => site_ids.includes(stream.site.site_id))
      // A walk has not come so far yet; its cursor must not be overtaken.
      if (stream.isBusy) stream.isStale = true
      else if (own.length > 0) tell(stream, own, next)
    }
    from = next
  }

  /** Cuts off who does not read, and ends the stream of a key that is no more. */
  async function check(stream: Stream): Promise<void> {
    if (stream.body.writableLength > MOST_WAITING) return close(stream)
    if (Date.now() - stream.checked_at < BEAT_MS) return
    stream.checked_at = Date.now()
    const site = await findSiteByKey(database, stream.site_key)
    if (site?.site_id !== stream.site.site_id) return close(stream)
    stream.body.write(':\n\n')
  }

  /** Tells what came after the cursor. Asked while it runs, it runs once more. */
  async function walk(stream: Stream): Promise<void> {
    stream.isStale = true
    if (stream.isBusy) return
    stream.isBusy = true
    try {
      while (stream.isStale && streams.has(stream)) {
        stream.isStale = false
        const { items, cursor, has_more } = await listRevocations(database, stream.site, stream.cursor)
        tell(stream, items, cursor)
        if (has_more) stream.isStale = true
      }
    } finally {
      stream.isBusy = false
    }
  }

  /** Writes what the client does not know, with the cursor behind it. */
  function tell(stream: Stream, items: readonly Revoked[], cursor: string): void {
    const unknown = items.filter((one) => (stream.told.get(one.user_id) ?? 0) < one.session_version)
    if (stream.told.size > MOST_KNOWN) stream.told.clear()
    for (const { user_id, session_version } of unknown) stream.told.set(user_id, session_version)
    stream.cursor = cursor
    if (!stream.body.destroyed) stream.body.write(linesOf(unknown, cursor))
  }

  function closeAll(): void {
    for (const stream of streams) close(stream)
  }

  return { open, closeAll }
}

/** The lines with the cursor behind them as the id of the last event, which a client sends to go on from here. */
const linesOf = (news: readonly Revoked[], cursor: string): string =>
  `${news.map(lineOf).join('')}id: ${cursor}\n\n`
const lineOf = ({ user_id: sub, session_version, revoked_at: at }: Revoked): string =>
  `event: revoked\ndata: ${JSON.stringify({ sub, session_version, at })}\n\n`
