import { setTimeout as sleep } from 'node:timers/promises'
import { answers, startReceiver } from '#testing/receiver.ts'
import type { Cluster } from './cluster-run.ts'

type Answer = { status: number; body: Record<string, unknown> }
export type Headers = Record<string, string>

/** One request; status 0 is a lost connection, or no answer in time: whether it was done is then unknown. */
export async function call(url: string, headers: Headers, body?: unknown, method?: string): Promise<Answer> {
  try {
    const reply = await fetch(url, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    })
    const text = await reply.text()
    return { status: reply.status, body: text ? (JSON.parse(text) as Answer['body']) : {} }
  } catch {
    return { status: 0, body: {} }
  }
}

/** Began and ended in ms of `performance.now`. */
export type Span = { began: number; ended: number }

/** What the clients were told, and what they saw that must never be. */
export type Record_ = {
  acknowledged: { id: string; title: string; at: string }[]
  writes: (Span & { status: number })[]
  signOuts: { token: string; session_id: string }[]
  /** Requests of a limited caller that were let in, one after the other. */
  letIn: Span[]
  statuses: Map<string, number>
  violations: string[]
  received: Set<string>
  revoked: Set<string>
}

export const N = 100
/** ⌈100·5/60⌉ more may pass while the last five seconds are quiet. */
export const E = 9

const account = { email: 'chaos@example.org', password: 'a horse of many colours' }

/** Signs in again and again until it is answered. */
export async function signIn(sso: string, site_key: string, who: { email: string; password: string }) {
  for (;;) {
    const { status, body } = await call(`${sso}/api/v1/auth/login`, { 'x-sso-site-key': site_key }, who)
    if (status === 200) return `Bearer ${String(body['access_token'])}`
    await sleep(200)
  }
}

/** Headers of somebody who signs in again before the token ends, or when it was refused. */
function aVisitor(sso: string, site_key: string, who: { email: string; password: string }) {
  const TOKEN_MS = 10 * 60_000
  let headers: Headers = {}
  let until = 0
  return {
    async headers() {
      if (performance.now() < until) return headers
      headers = { authorization: await signIn(sso, site_key, who) }
      until = performance.now() + TOKEN_MS
      return headers
    },
    refused: () => void (until = 0),
  }
}

/** Clients that write, sign out and are limited until `stop`. */
export async function startClients({ proxy, firstRun, nodes }: Cluster) {
  const { sso, learning, collections } = proxy.addresses
  const keyOf = (site: string) => firstRun.sites[site]?.site_key ?? ''
  const seen: Record_ = {
    acknowledged: [],
    writes: [],
    signOuts: [],
    letIn: [],
    statuses: new Map(),
    violations: [],
    received: new Set(),
    revoked: new Set(),
  }
  const count = (what: string, status: number) =>
    seen.statuses.set(`${what} ${status}`, (seen.statuses.get(`${what} ${status}`) ?? 0) + 1)
  const receiver = await startReceiver((socket, request) => {
    const event = JSON.parse(request.body.toString() || '{}') as { data?: { session_id?: string } }
    const id = request.headers['x-sso-event-id']
    if (id) seen.received.add(id)
    if (event.data?.session_id) seen.revoked.add(event.data.session_id)
    answers(204)(socket, request)
  })
  const visitor = aVisitor(sso, keyOf('learning'), firstRun.admin)
  const made = await call(`${sso}/api/v1/sites`, await visitor.headers(), {
    name: 'Chaos',
    webhook_url: receiver.url,
  })
  if (made.status !== 201) throw new Error(`The partner site was not made: ${JSON.stringify(made)}`)
  const site = made.body
  const siteKey = String(site['site_key'])
  const registered = await call(`${sso}/api/v1/auth/register`, { 'x-sso-site-key': siteKey }, account)
  if (registered.status !== 201) throw new Error(`Nobody was registered: ${JSON.stringify(registered)}`)

  let isOver = false
  const forEver = async (work: (n: number) => Promise<void>, pauseMs: number) => {
    for (let n = 0; !isOver; n++) {
      await work(n)
      await sleep(pauseMs)
    }
  }
  const writer = (name: string) =>
    forEver(async (n) => {
      const title = `${name} ${n}`
      const headers = await visitor.headers()
      const began = performance.now()
      const { status, body } = await call(`${learning}/api/channels`, headers, { title })
      if (status === 401) visitor.refused()
      seen.writes.push({ began, ended: performance.now(), status })
      count('write', status)
      if (status === 201) {
        const at = new Date().toISOString().slice(11, 23)
        seen.acknowledged.push({ id: String(body['id']), title, at })
      }
    }, 60)
  const leaver = () =>
    forEver(async () => {
      const token = await signIn(sso, siteKey, account)
      const headers = { authorization: token, 'x-sso-site-key': siteKey }
      const session_id = sessionOf(token)
      const { status } = await call(`${sso}/api/v1/auth/logout`, headers, {})
      count('sign-out', status)
      if (status < 200 || status > 299) return
      seen.signOuts.push({ token, session_id })
      for (const { name, ports } of nodes) {
        const after = await call(`http://127.0.0.1:${ports.sso}/api/v1/sessions`, { authorization: token })
        count('use after sign-out', after.status)
        if (after.status === 200) seen.violations.push(`${name} took a token after its sign-out`)
      }
    }, 300)
  const limited = async () => {
    const caller = aVisitor(sso, keyOf('collections'), firstRun.admin)
    return forEver(async () => {
      const headers = await caller.headers()
      const began = performance.now()
      const { status } = await call(`${collections}/api/collections?per_page=1`, headers)
      if (status === 401) caller.refused()
      count('limited', status)
      if (status === 200) seen.letIn.push({ began, ended: performance.now() })
    }, 150)
  }
  const running = [writer('one'), writer('two'), leaver(), limited()]
  return {
    seen,
    visitor,
    site,
    receiver,
    async stop() {
      isOver = true
      await Promise.all(running)
    },
  }
}

function sessionOf(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >
  return String(claims['sid'] ?? claims['session_id'])
}

/**
 * The most that 60 s let in for certain: the time of a decision is between those of its request and of its answer. Only
 * those minutes count that touch one of the `spans`, or none of them.
 */
export function mostInAMinute(letIn: readonly Span[], spans: readonly Span[], touches: boolean): number {
  let most = 0
  for (let first = 0, last = 0; last < letIn.length; last++) {
    const { ended } = letIn[last] as Span
    while (ended - (letIn[first] as Span).began >= 60_000 && first < last) first++
    const { began } = letIn[first] as Span
    const isTouched = spans.some((span) => span.began < ended && span.ended > began - 60_000)
    if (isTouched === touches) most = Math.max(most, last - first + 1)
  }
  return most
}
