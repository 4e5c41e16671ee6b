import assert from 'node:assert/strict'

type Account = { email: string; password: string }

/** An HTTP client that keeps cookies and follows nothing, as a browser without script between two pages. */
export function aBrowser() {
  const jar = new Map<string, string>()
  return {
    jar,
    visit: async (url: URL, init: RequestInit = {}): Promise<Response> => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = new Headers(init.headers)
      if (cookie !== '') headers.set('cookie', cookie)
      const reply = await fetch(url, { ...init, redirect: 'manual', headers })
      keepCookies(jar, reply)
      return reply
    },
  }
}

export function keepCookies(jar: Map<string, string>, reply: Response): void {
  for (const line of reply.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (/; Max-Age=0(?:;|$)/i.test(line)) jar.delete(name)
    else jar.set(name, value)
  }
}

/** Signs in on our page at `start`, allows the site what it asks for, and gives the address that leads back. */
export async function signInOnThePage(start: URL, { email, password }: Account): Promise<URL> {
  const { visit } = aBrowser()
  const send = async (page: URL, fields: Record<string, string>) => {
    const html = await (await visit(page)).text()
    const form_token = /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? 'no form'
    const headers = { origin: page.origin, 'sec-fetch-site': 'same-origin' }
    const body = new URLSearchParams({ form_token, ...fields })
    const reply = await visit(page, { method: 'POST', headers, body })
    return new URL(
      reply.headers.get('location') ?? assert.fail(`${reply.status}: ${await reply.text()}`),
      page,
    )
  }
  const to = await send(start, { name: email, password })
  return to.pathname === '/sign-in/consent' ? send(to, { decision: 'allow' }) : to
}
