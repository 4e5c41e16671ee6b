import { request } from 'node:http'
import { parseSetCookie } from 'cookie'

/** The public address of the program. A TLS proxy would stand in front of it; the tests call the port behind that. */
export const ADDRESS = 'https://op.example.org'
export const CALLBACK = 'https://client.example.net/callback'

export type Reply = { status: number; headers: Record<string, string | string[] | undefined>; text: string }
type Sent = {
  method?: string
  headers?: Record<string, string>
  form?: URLSearchParams | undefined
  json?: object
}

export type Send = ReturnType<typeof sender>

/** Sends a request for a public address to the program's port, with the Host that a proxy forwards. */
export function sender(port: string) {
  return (url: string, { method = 'GET', headers = {}, form, json }: Sent = {}): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const { host, pathname, search } = new URL(url, ADDRESS)
      const body = form?.toString() ?? (json && JSON.stringify(json))
      const kind = form ? 'application/x-www-form-urlencoded' : 'application/json'
      const type = body === undefined ? {} : { 'content-type': kind }
      const sent = request(
        { host: '127.0.0.1', port, method, path: pathname + search, headers: { host, ...type, ...headers } },
        (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => (text += part))
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
}

export type Person = { name: string; password: string }
/** The end of a visit: back at the client with `params`, or on a page that does not continue. */
export type Visit = { pages: string[]; params?: URLSearchParams; last: Reply }
export type Browser = ReturnType<typeof createBrowser>

/** An HTTP client that acts as a browser. It signs `person` in and consents until it is back at the client. */
export function createBrowser(send: Send, person: Person) {
  const jar = new Map<string, { value: string; path: string }>()

  async function visit(url: URL, form?: URLSearchParams): Promise<Reply> {
    const cookie = [...jar]
      .filter(([, { path }]) => `${url.pathname}/`.startsWith(path.replace(/\/?$/, '/')))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
    const own = { origin: ADDRESS, 'sec-fetch-site': 'same-origin' }
    const headers = { ...(cookie && { cookie }), ...(form && own) }
    const reply = await send(url.href, { method: form ? 'POST' : 'GET', headers, form })
    for (const text of [reply.headers['set-cookie'] ?? []].flat()) {
      const { name, value = '', path = '/' } = parseSetCookie(text)
      if (value === '') jar.delete(name)
      else jar.set(name, { value, path })
    }
    return reply
  }

  /** The filled-in form of a sign-in or consent page; undefined for any other page. */
  function fillIn(page: string): { action: string; fields: URLSearchParams } | undefined {
    const [, action] = /<form method="post" action="([^"]+)"/.exec(page) ?? []
    const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(page) ?? []
    const [path] = action?.split('?') ?? []
    if (action === undefined || (path !== '/sign-in' && path !== '/sign-in/consent')) return undefined
    const given = path === '/sign-in' ? person : { decision: 'allow' }
    return { action: action.replaceAll('&amp;', '&'), fields: new URLSearchParams({ form_token, ...given }) }
  }

  return {
    /** Follows redirects and fills in forms. `form`: what the client's own page posts first. */
    async follow(start: string, form?: URLSearchParams): Promise<Visit> {
      const pages: string[] = []
      let url = new URL(start, ADDRESS)
      let reply = await visit(url, form)
      for (let steps = 0; steps < 12; steps++) {
        const location = reply.headers['location']
        if (typeof location === 'string') {
          url = new URL(location, url)
          if (url.href.startsWith(CALLBACK)) return { pages, params: url.searchParams, last: reply }
          reply = await visit(url)
          continue
        }
        const filled = reply.status === 200 ? fillIn(reply.text) : undefined
        if (!filled) return { pages, last: reply }
        url = new URL(filled.action, url)
        pages.push(url.pathname)
        reply = await visit(url, filled.fields)
      }
      throw new Error(`The visit goes on after ${pages.join(', ')}`)
    },
  }
}
