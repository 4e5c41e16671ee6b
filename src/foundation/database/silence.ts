import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { clock } from '../clock.ts'

/** Where a connection leads, as postgres.js has read it from the URL. */
type Target = { host: string[]; port: number[]; path?: string | false }
/** The sockets of some connections to the database. */
export type Sockets = {
  open: (target: Target) => Duplex
  destroyAll: () => void
  all: () => Iterable<Socket>
}

const TICK_MS = 200
/** A connection that is quiet for so long is either idle or waits: the database is asked which. */
const QUIET_MS = 400
/** Whoever does not answer `select 1` for so long answers nothing. */
export const ANSWER_MS = 1_700

/** `isClosed`: no connection is made now, each attempt fails at once. */
export function openSockets(isClosed: () => boolean): Sockets {
  const sockets = new Set<Socket>()
  let attempts = 0
  return {
    open({ host, port, path }) {
      if (isClosed()) return refused()
      const at = attempts++ % host.length
      const name = host[at] ?? 'localhost'
      const socket = path ? connect(path) : connect(port[at] ?? 5_432, name)
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      // postgres.js reads it for the server name of TLS.
      return Object.assign(socket, { host: name })
    },
    destroyAll() {
      for (const socket of sockets) socket.destroy()
    },
    all: () => sockets,
  }
}

/** What every statement fails with while the database is silent. */
export class DatabaseSilent extends Error {
  readonly code = 'ECONNREFUSED'
  constructor() {
    super('The database does not answer')
  }
}

/** Takes what is written and fails, as a port would where nobody listens. */
function refused(): Duplex {
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  setImmediate(() => stream.destroy(new DatabaseSilent()))
  return stream
}

/** Whether the question is answered in time, with a refusal too: who refuses is not silent. */
export async function isAnswered(question: Promise<unknown>, within: number): Promise<boolean> {
  let isSettled = false
  const settled = question.then(
    () => (isSettled = true),
    () => (isSettled = true),
  )
  const over = new AbortController()
  await Promise.race([settled, sleep(within, undefined, { signal: over.signal }).catch(() => {})])
  over.abort()
  // Where we were busy ourselves the answer may have come and be unread: one more look at the sockets.
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  return isSettled
}

type Seen = { read: number; written: number; since: number }

/**
 * Finds out that the database has fallen silent: the limits on statements are kept by the server, so they end nothing when
 * the server itself hangs. Looks at the bytes of the sockets only, and asks a question where one of them is quiet after it
 * has been written to.
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
      // Nothing more is asked about them until somebody uses them again.
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
