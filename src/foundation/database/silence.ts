import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { clock } from '../clock.ts'

/** The address of a connection, as postgres.js parsed it from the URL. */
type Target = { host: string[]; port: number[]; path?: string | false }
/** A group of database sockets. */
export type Sockets = {
  open: (target: Target) => Duplex
  destroyAll: () => void
  all: () => Iterable<Socket>
}

const TICK_MS = 200
/** A socket without traffic for this long is either idle or waiting; a probe tells which. */
const QUIET_MS = 400
/** If `select 1` gets no answer within this time, the server is hung. */
export const ANSWER_MS = 1_700

/**
 * While `isClosed` returns true, every new connection fails at once. Groups that share `turn` ask the same one of several
 * hosts, until a connection to it is refused, lost or given up because it is not the primary.
 */
export function openSockets(isClosed: () => boolean, turn = { host: 0 }): Sockets {
  const sockets = new Set<Socket>()
  return {
    open({ host, port, path }) {
      if (isClosed()) return refused()
      const at = turn.host % host.length
      const name = host[at] ?? 'localhost'
      const socket = path ? connect(path) : connect(port[at] ?? 5_432, name)
      sockets.add(socket)
      socket.once('close', () => {
        sockets.delete(socket)
        if (turn.host === at) turn.host = (at + 1) % host.length
      })
      // postgres.js reads `host` as the TLS server name.
      return Object.assign(socket, { host: name })
    },
    destroyAll() {
      for (const socket of sockets) socket.destroy()
    },
    all: () => sockets,
  }
}

/** The error of every statement while the database is silent. */
export class DatabaseSilent extends Error {
  readonly code = 'ECONNREFUSED'
  constructor() {
    super('The database does not answer')
  }
}

/** Accepts writes and then fails, like a port without a listener. */
function refused(): Duplex {
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  setImmediate(() => stream.destroy(new DatabaseSilent()))
  return stream
}

/** Whether the question settles in time. An error counts as an answer, because a server that refuses is not silent. */
export async function isAnswered(question: Promise<unknown>, within: number): Promise<boolean> {
  let isSettled = false
  const settled = question.then(
    () => (isSettled = true),
    () => (isSettled = true),
  )
  const over = new AbortController()
  await Promise.race([settled, sleep(within, undefined, { signal: over.signal }).catch(() => {})])
  over.abort()
  // If our own event loop was busy, the answer may be unread in the socket, so poll the sockets once more.
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  return isSettled
}

type Seen = { read: number; written: number; since: number }

/**
 * Detects a hung database server. Statement timeouts are enforced by the server, so they do not fire when it hangs.
 * Watches only the byte counts of the sockets, and sends a probe when one stays quiet after a write.
 */
export function watchSilence(
  sockets: readonly Sockets[],
  ask: () => Promise<unknown>,
  within: number,
  onSilence: () => void,
): () => void {
  const seen = new WeakMap<Socket, Seen>()
  let isAsking = false
  const timer = setInterval(() => {
    const now = clock.monotonic()
    const quiet = sockets.flatMap((group) => [...group.all()].filter((socket) => isQuiet(socket, now)))
    if (quiet.length === 0 || isAsking) return
    isAsking = true
    void isAnswered(ask(), within).then((isAlive) => {
      isAsking = false
      if (!isAlive) return onSilence()
      // These sockets are idle; they cause no further probe until they are used again.
      for (const socket of quiet) if (isUnchanged(socket)) remember(socket, Number.POSITIVE_INFINITY)
    })
  }, TICK_MS).unref()

  function isQuiet(socket: Socket, now: number): boolean {
    if (isUnchanged(socket)) return now - (seen.get(socket)?.since ?? now) > QUIET_MS
    remember(socket, now)
    return false
  }

  function isUnchanged(socket: Socket): boolean {
    const last = seen.get(socket)
    return last?.read === socket.bytesRead && last.written === socket.bytesWritten
  }

  function remember(socket: Socket, since: number) {
    seen.set(socket, { read: socket.bytesRead, written: socket.bytesWritten, since })
  }

  return () => clearInterval(timer)
}
