import { takeFirst, texts } from './page.ts'

/**
 * A refused call. `status` 0: no connection. `errors`: what is wrong in which field. `message` is for people, `code` for
 * programs.
 */
export type Refusal = Error & {
  status: number
  code: string
  errors: readonly { field: string; message: string }[]
}

type Answer = { detail?: string; code?: string; errors?: Refusal['errors'] }

const t = texts({
  en: {
    offline: 'The service cannot be reached.',
    signedOut: 'You are signed out.',
    odd: 'Something went wrong.',
  },
  de: {
    offline: 'Der Dienst ist nicht erreichbar.',
    signedOut: 'Sie sind abgemeldet.',
    odd: 'Etwas ist schiefgegangen.',
  },
  es: {
    offline: 'No se puede acceder al servicio.',
    signedOut: 'Su sesión ha terminado.',
    odd: 'Algo ha salido mal.',
  },
})

/** A token is renewed so long before it ends (s). */
const EARLY = 60

/** The access token lives in memory only: whoever reads storage or cookies does not find it. */
let token: { text: string; ends_at: number } | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/** GET. The first data of the page is already here. Throws a Refusal. */
export async function get<T>(path: string): Promise<T> {
  const known = takeFirst(path)
  return known === undefined ? call<T>('GET', path) : (known as T)
}

/** Writes. `version` goes into If-Match: the change is refused if somebody else was faster. Throws a Refusal. */
export const send = <T>(
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  version?: number | string,
): Promise<T> => call<T>(method, path, body, version)

/** Sends a form with a file. With the same `key` again, the service does what it did before, once. Throws a Refusal. */
export const upload = <T>(path: string, form: FormData, key: string): Promise<T> =>
  call<T>('POST', path, form, undefined, { 'Idempotency-Key': key })

/** A file of the API, which a link cannot ask for; with a body, one made of it. Throws a Refusal. */
export async function getFile(path: string, body?: unknown): Promise<Blob> {
  const reply = await reach(body === undefined ? 'GET' : 'POST', path, body)
  if (!reply.ok) await read(reply)
  return reply.blob()
}

/** Any error as a Refusal. */
export const refusalOf = (error: unknown): Refusal =>
  error instanceof Error && 'status' in error ? (error as Refusal) : refusal(-1, t('odd'))

/** What a page itself finds wrong with a form, at a field if it names one. */
export const fault = (message: string, field?: string): Refusal =>
  refusal(-1, message, field === undefined ? {} : { errors: [{ field, message }] })

async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  version?: number | string,
  more: Record<string, string> = {},
): Promise<T> {
  const headers = { ...(version !== undefined && { 'If-Match': `"${version}"` }), ...more }
  return read<T>(await reach(method, path, body, headers))
}

/** Calls with the token. A 401 renews it once: a request that was refused for its token has changed nothing. */
async function reach(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const attempt = (access_token: string) => ask(path, initOf(method, access_token, body, headers))
  const sent = await heldToken()
  const reply = await attempt(sent)
  if (reply.status !== 401) return reply
  if (token?.text === sent) token = undefined
  return attempt(await heldToken(true))
}

function initOf(method: string, token: string, body: unknown, more: Record<string, string>): RequestInit {
  const headers = { Authorization: `Bearer ${token}`, ...more }
  if (body === undefined) return { method, headers }
  if (body instanceof FormData) return { method, headers, body }
  return { method, headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
}

async function read<T>(reply: Response): Promise<T> {
  const answer = (await reply.json().catch(() => ({}))) as Answer
  if (reply.ok) return answer as T
  throw refusal(reply.status, answer.detail ?? t('odd'), answer)
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch {
    throw refusal(0, t('offline'))
  }
}

async function heldToken(isRefused = false): Promise<string> {
  if (!token || token.ends_at <= performance.now()) await renewToken(isRefused)
  return token?.text ?? ''
}

/** Tabs take turns: the first renews the session, the others find its new cookie. Locks exist on https and loopback. */
async function renewToken(isRefused: boolean): Promise<void> {
  const { locks } = navigator as Partial<Pick<Navigator, 'locks'>>
  const renew = async () => {
    const { token: tokens = '', renew: renewal = '' } = document.body.dataset
    const kept = isRefused ? undefined : await tokenFrom(tokens)
    if (kept) return keep(kept)
    await ask(renewal, { method: 'POST', credentials: 'include' })
    const fresh = await tokenFrom(tokens, 0)
    if (!fresh) throw refusal(401, t('signedOut'))
    keep(fresh)
  }
  await (locks ? locks.request('lyceum.token', renew) : renew())
}

type PageToken = { access_token: string; expires_in: number }

/** The token of the cookie, if it lives for longer than `least` seconds. */
async function tokenFrom(address: string, least = EARLY): Promise<PageToken | undefined> {
  const reply = await ask(address, { method: 'POST' })
  const found = reply.ok ? ((await reply.json()) as PageToken) : undefined
  return found && found.expires_in > least ? found : undefined
}

function keep({ access_token, expires_in }: PageToken) {
  const life = Math.max(expires_in - EARLY, 1) * 1_000
  token = { text: access_token, ends_at: performance.now() + life }
  clearTimeout(timer)
  // A device that slept wakes late; the next refused call renews then.
  timer = setTimeout(() => void renewToken(false).catch(() => {}), life)
}

const refusal = (status: number, message: string, { code = '', errors = [] }: Answer = {}): Refusal =>
  Object.assign(new Error(message), { status, code, errors })
