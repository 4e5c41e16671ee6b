import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { parseSetCookie } from 'cookie'
import { aSite, type Person, type TestSite } from './people.ts'
import { shared } from './endings.ts'
import { freePort } from './shared-product.ts'
import { buildWorld, type World } from './world.ts'

export const HOME = 'http://127.0.0.1:39999/partner'

export type ListeningWorld = World & { address: string }

let common: Promise<ListeningWorld> | undefined

/** The one that all files of this process share, which therefore keep apart by their sites and people. */
export const sharedListeningWorld = (): Promise<ListeningWorld> => (common ??= shared(listeningWorld))

/** A world that listens on a port, so that providers and browsers can reach it. */
export async function listeningWorld(env: Record<string, string> = {}): Promise<ListeningWorld> {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const lyceum = await buildWorld({ env: { SSO_URL: address, ...env } })
  await lyceum.sso.listen({ port, host: '127.0.0.1' })
  return { ...lyceum, address }
}

export type PlannedSite = TestSite & { owner: Person }

/** A partner site with a plan that includes connections, and a page to return to. */
export async function aPlannedSite(
  lyceum: World,
  {
    environment = 'sandbox',
    plan = 'business',
  }: { environment?: 'sandbox' | 'production'; plan?: string } = {},
): Promise<PlannedSite> {
  const site = await aSite({ environment, lyceum })
  const callback_url = environment === 'sandbox' ? HOME : 'https://partner.example.org/partner'
  await lyceum.db.pool`
    update sso.sites set plan = ${plan}, callback_url = ${callback_url} where site_id = ${site.site_id}`
  return site
}

export type MadeConnection = {
  connection_id: string
  redirect_uri: string
  backchannel_logout_uri: string
  acs_url: string
  sp_entity_id: string
  slo_url: string
}

export async function aConnection(lyceum: World, site: PlannedSite, body: object): Promise<MadeConnection> {
  const reply = await lyceum.sso.inject({
    method: 'POST',
    url: `/api/v1/sites/${site.site_id}/connections`,
    headers: site.owner.headers,
    payload: { name: 'School', ...body },
  })
  assert.equal(reply.statusCode, 201, reply.body)
  return reply.json()
}

/** Assigns a verified domain to the connection, as an operator can. */
export const verifiedDomain = (lyceum: World, site: TestSite, connection_id: string, domain: string) =>
  lyceum.db.pool`
    insert into sso.connection_domains (site_id, domain, connection_id, challenge, verified_at, verified_by)
    values (${site.site_id}, ${domain}, ${connection_id}, 'x', clock_timestamp(), 'operator')`

/** Exchanges the code in the return address for tokens, as the partner's server does. */
export async function exchange(lyceum: World, site: TestSite, back: URL) {
  const reply = await lyceum.sso.inject({
    method: 'POST',
    url: '/api/v1/auth/exchange',
    headers: site.headers,
    payload: { code: back.searchParams.get('code') ?? '' },
  })
  return { status: reply.statusCode, body: reply.json() }
}

export const unique = () => randomBytes(5).toString('hex')

type Step = { url: URL; status: number; body: string }

/**
 * An HTTP client that acts as a browser: it keeps cookies by host, name and path, follows redirects and refreshes, and
 * submits self-posting forms. It stops before the partner's page and on every page that needs user input.
 */
export function aWalker() {
  const jar = new Map<string, { value: string; path: string }>()

  async function request(url: URL, form?: string): Promise<{ response: Response; body: string }> {
    const cookie = [...jar]
      .filter(([, { path }]) => url.pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        ...(cookie !== '' && { cookie }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form !== undefined && { method: 'POST', body: form }),
    })
    for (const text of response.headers.getSetCookie()) {
      const { name, value = '', path = '/' } = parseSetCookie(text)
      if (value === '') jar.delete(name)
      else jar.set(name, { value: encodeURIComponent(value), path })
    }
    return { response, body: await response.text() }
  }

  /** `until`: stops before the first address for which it is true. */
  async function walk(
    from: string,
    until: (url: URL) => boolean = ({ href }) => href.startsWith(HOME),
  ): Promise<Step> {
    let url = new URL(from)
    let form: string | undefined
    for (let steps = 0; steps < 20; steps++) {
      if (until(url)) return { url, status: 0, body: form ?? '' }
      const { response, body } = await request(url, form)
      form = undefined
      const location = response.headers.get('location')
      const refresh = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(body)?.[1]
      const action = /<form method="post"[^>]* action="([^"]+)"/i.exec(body)?.[1]
      const next = location ?? refresh ?? (body.includes('SAMLResponse') ? action : undefined)
      if (next === undefined) return { url, status: response.status, body }
      url = new URL(unescape(next), url)
      if (next === action && location === null) form = fieldsOf(body)
    }
    throw new Error('the walk does not end')
  }
  return { jar, walk, request }
}

const unescape = (text: string) =>
  text.replaceAll('&amp;', '&').replaceAll('&#x2F;', '/').replaceAll('&#x3D;', '=').replaceAll('&#39;', "'")

const fieldsOf = (body: string) =>
  new URLSearchParams(
    [...body.matchAll(/<input type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"/g)].map(
      ([, name = '', value = '']): [string, string] => [name, unescape(value)],
    ),
  ).toString()
