import { readEvents, type StreamEvent } from './events.ts'
import type { Parts, Revocation } from './options.ts'
import type { Claims } from './verify.ts'

/** Longer than a token lives: what was heard before concerns none. */
const KEPT_MS = 31 * 60_000
const SWEEP_MS = 60_000
/** The sso says something every ten seconds: a stream that is silent for longer is broken. */
const SILENT_MS = 15_000
const CONNECT_MS = 5_000
/** Between two attempts to connect: short, because revocations wait meanwhile; longer once every token is asked about. */
const RETRY_MS = 200
const RETRY_LATER_MS = 1_000
const LATER_MS = 30_000
/** After a refusal, such as of a site key that is no more. */
const REFUSED_MS = 2_000
/** Whoever asks for a longer wait is not obeyed: a timer takes no more than 24 days and fires at once beyond. */
const LONGEST_WAIT_MS = 60_000
/** What may go back in a header; our ids are numbers. */
const ID = /^[\w.-]{1,100}$/

export type Revocations = {
  /** Whether the token of these claims is known to be dead. */
  isRevoked: (claims: Pick<Claims, 'sub' | 'sv'>) => boolean
  /** Milliseconds since everything was known: 0 while the stream is open, Infinity before it was. */
  silentFor: () => number
  close: () => void
}

/**
 * Keeps the stream of revocations open. It begins with what the last half hour brought, because a process that starts knows
 * nothing; from then on it goes on where it was.
 */
export function watchRevocations({ sso, siteKey, onRevoked }: Parts): Revocations {
  /** The lowest session_version that is good, by person. */
  const versions = new Map<string, { version: number; at: number }>()
  const closing = new AbortController()
  let last_id: string | undefined
  let isReady = false
  let heard: { steady: number; wall: number } | undefined

  const sweep = setInterval(() => {
    const border = performance.now() - KEPT_MS
    for (const [sub, { at }] of versions) if (at < border) versions.delete(sub)
  }, SWEEP_MS)
  sweep.unref()
  void follow()

  async function follow() {
    while (!closing.signal.aborted) {
      const wait = await listen().catch(() => undefined)
      isReady = false
      const usual = silence() < LATER_MS ? RETRY_MS : RETRY_LATER_MS
      await pause((wait ?? usual) * (0.5 + Math.random() / 2), closing.signal)
    }
  }

  /** Until the connection ends; how long to wait before the next one, where the answer says so (ms). */
  async function listen(): Promise<number | undefined> {
    const broken = new AbortController()
    const end = () => broken.abort()
    closing.signal.addEventListener('abort', end, { once: true })
    let timer = setTimeout(end, CONNECT_MS)
    try {
      const reply = await fetch(`${sso}/api/v1/revocations`, {
        headers: { 'X-SSO-Site-Key': siteKey, ...(last_id !== undefined && { 'Last-Event-ID': last_id }) },
        redirect: 'manual',
        signal: broken.signal,
      })
      if (!reply.ok || reply.body === null) {
        await reply.body?.cancel()
        // An id that cannot be read is given up; what matters is told again.
        if (reply.status === 422) last_id = undefined
        const asked = 1_000 * Number(reply.headers.get('Retry-After') ?? 0) || 0
        return Math.min(LONGEST_WAIT_MS, Math.max(REFUSED_MS, asked))
      }
      for await (const event of readEvents(reply.body)) {
        clearTimeout(timer)
        timer = setTimeout(end, SILENT_MS)
        hear(event)
      }
      return undefined
    } finally {
      clearTimeout(timer)
      closing.signal.removeEventListener('abort', end)
    }
  }

  function hear({ type, data, id }: StreamEvent) {
    if (type === 'revoked' && data !== undefined) note(JSON.parse(data) as Revocation)
    if (id !== undefined) last_id = ID.test(id) ? id : undefined
    // Everything of before has been told: what is not known to be dead is good.
    if (type === 'ready') isReady = true
    if (isReady) heard = { steady: performance.now(), wall: Date.now() }
  }

  function note(revocation: Revocation) {
    const { sub, session_version } = revocation
    // Compared with anything else, every token would be good.
    if (typeof sub !== 'string' || !Number.isSafeInteger(session_version)) return
    const known = versions.get(sub)?.version ?? 0
    versions.set(sub, { version: Math.max(session_version, known), at: performance.now() })
    if (session_version > known) void tell(revocation)
  }

  async function tell(revocation: Revocation) {
    try {
      await onRevoked?.(revocation)
    } catch {
      // What the site does about it must break neither the stream nor, as a promise that nobody waits for, its process.
    }
  }

  /** The steady clock stands still while a machine sleeps, the other one may be set. */
  function silence(): number {
    if (heard === undefined) return Infinity
    return Math.max(performance.now() - heard.steady, Date.now() - heard.wall)
  }

  return {
    isRevoked: ({ sub, sv }) => sv < (versions.get(sub)?.version ?? 0),
    silentFor: () => (isReady && silence() < SILENT_MS ? 0 : silence()),
    close() {
      closing.abort()
      clearInterval(sweep)
    },
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
