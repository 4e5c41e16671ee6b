import { parseSetCookie } from 'cookie'
import { type World, world } from './world.ts'

type Jar = Map<string, { value: string; path: string }>
type Sent = { headers?: Record<string, string>; host?: string }

/**
 * An HTTP client that acts as a browser: it keeps cookies by path, posts the forms it received, and sends the origin
 * headers that browsers send. Two tabs can share one `jar`.
 */
export function aVisitor({ jar = new Map(), lyceum }: { jar?: Jar; lyceum?: World } = {}) {
  const HOST = '127.0.0.1:8064'

  async function request(
    method: 'GET' | 'POST',
    url: string,
    fields?: Record<string, string>,
    sent: Sent = {},
  ) {
    const { sso } = lyceum ?? (await world())
    const { host = HOST, headers = {} } = sent
    const path = url.replace(/[?#].*$/, '')
    const cookie = [...jar]
      .filter(([, kept]) => path === kept.path || path.startsWith(kept.path.replace(/\/?$/, '/')))
      .map(([name, { value }]) => `${name}=${encodeURIComponent(value)}`)
      .join('; ')
    const reply = await sso.inject({
      method,
      url,
      headers: {
        host,
        ...(cookie !== '' && { cookie }),
        ...(fields && {
          'content-type': 'application/x-www-form-urlencoded',
          origin: `http://${host}`,
          'sec-fetch-site': 'same-origin',
        }),
        ...headers,
      },
      ...(fields && { payload: new URLSearchParams(fields).toString() }),
    })
    for (const text of [reply.headers['set-cookie'] ?? []].flat()) {
      const { name, value = '', path: kept = '/', maxAge } = parseSetCookie(text)
      if (maxAge === 0) jar.delete(name)
      else jar.set(name, { value, path: kept })
    }
    return reply
  }

  const get = (url: string, sent?: Sent) => request('GET', url, undefined, sent)
  /** The form token on the page at this address. */
  const formToken = async (url: string) =>
    /name="form_token" value="([^"]+)"/.exec((await get(url)).body)?.[1] ?? 'no form'

  /** Presses a button on the consent page if `shown` is or redirects to it; any other reply is returned unchanged. */
  async function decide(shown: Awaited<ReturnType<typeof get>>, decision: 'allow' | 'cancel', sent?: Sent) {
    const location = String(shown.headers.location ?? '')
    const page = location.startsWith('/sign-in/consent') ? await get(location, sent) : shown
    const [, action] = /action="(\/sign-in\/consent[^"]*)"/.exec(page.body) ?? []
    const [, form_token = 'no form'] = /name="form_token" value="([^"]+)"/.exec(page.body) ?? []
    return action === undefined
      ? page
      : request('POST', action.replaceAll('&amp;', '&'), { form_token, decision }, sent)
  }

  return {
    jar,
    get,
    formToken,
    decide,
    allow: (shown: Awaited<ReturnType<typeof get>>, sent?: Sent) => decide(shown, 'allow', sent),
    post: (url: string, fields: Record<string, string>, sent?: Sent) => request('POST', url, fields, sent),
    /** Follows redirects within the sso, as a browser does, and returns the last answer. */
    async follow(reply: Awaited<ReturnType<typeof get>>) {
      let last = reply
      for (let n = 0; n < 5 && last.headers.location !== undefined; n++)
        last = await get(last.headers.location.replace(`http://${HOST}`, ''))
      return last
    },
    /** A POST without a body, as a script sends it. */
    ask: (url: string, sent: Sent) => request('POST', url, undefined, sent),
    /** Opens the page, fills in its form and posts it. */
    async submit(url: string, fields: Record<string, string>, sent?: Sent) {
      const form_token = await formToken(url)
      return request('POST', url, { form_token, ...fields }, sent)
    },
  }
}

/** The Set-Cookie headers of a reply, by cookie name, with their attributes. */
export const cookiesOf = ({ headers }: { headers: NodeJS.Dict<number | string | string[]> }) =>
  new Map(
    [headers['set-cookie'] ?? []]
      .flat()
      .map((text) => parseSetCookie(String(text)))
      .map((cookie) => [cookie.name, cookie]),
  )
