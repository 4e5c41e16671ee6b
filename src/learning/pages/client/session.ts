import { keep, kept } from './kept.ts'

/*
 * Keeps the visitor signed in. The access token lives in a cookie that scripts cannot read, for 30 minutes; the sso
 * exchanges its own refresh cookie for a new one.
 */

/** Renew this long before the token ends (s). */
const EARLY = 60
/** A renewal of another tab that is younger than this holds for this tab too (ms). */
const YOUNG_MS = 20_000
const LIFE = 1_800

let timer: ReturnType<typeof setTimeout> | undefined

/** Remembers on this device that somebody is signed in, and renews before the session ends. */
export function keepSession(sso_url: string): void {
  keep('signed_in', true)
  renewIn(LIFE - EARLY, sso_url)
}

/** Whether somebody was signed in here, so that a renewal is worth a try. */
export const wasSignedIn = (): boolean => kept<boolean>('signed_in') === true

/** True if the visitor is signed in afterwards. Tabs take turns, and the first renews for all. */
export async function renewSession(sso_url: string): Promise<boolean> {
  if (!wasSignedIn()) return false
  // Locks exist on https and loopback only.
  const { locks } = navigator as Partial<Pick<Navigator, 'locks'>>
  return locks ? locks.request('lyceum.renew', () => renewOnce(sso_url)) : renewOnce(sso_url)
}

async function renewOnce(sso_url: string): Promise<boolean> {
  if (Date.now() - (kept<number>('renewed_at') ?? 0) < YOUNG_MS) return true
  let reply: Response
  try {
    reply = await fetch(`${reachable(sso_url)}/sign-in/renew?site_code=learning`, {
      method: 'POST',
      credentials: 'include',
      signal: AbortSignal.timeout(15_000),
      // Leaving the page must not lose the new cookies: the old one is spent.
      keepalive: true,
    })
  } catch {
    return false
  }
  // 409: another browser window without shared locks has just renewed, and its cookies are ours too.
  if (!reply.ok && reply.status !== 409) {
    if (reply.status === 401) keep('signed_in', undefined)
    return false
  }
  keep('renewed_at', Date.now())
  const { expires_in = LIFE } = (await reply.json().catch(() => ({}))) as { expires_in?: number }
  renewIn(expires_in - EARLY, sso_url)
  return true
}

/** A sleeping device may wake late; the first refused request then renews. */
function renewIn(seconds: number, sso_url: string) {
  clearTimeout(timer)
  timer = setTimeout(() => void renewSession(sso_url), seconds * 1_000)
}

/** On localhost, cookies belong to a host name. So the sso is called by the same host name as this page. */
export function reachable(sso_url: string): string {
  const url = new URL(sso_url)
  const isOwn = (hostname: string) => hostname === 'localhost' || hostname.startsWith('127.')
  if (!isOwn(url.hostname) || !isOwn(location.hostname)) return sso_url
  url.hostname = location.hostname
  return url.origin
}
