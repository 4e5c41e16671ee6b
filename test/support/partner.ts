import { createHmac } from 'node:crypto'
import { createLyceum, type Lyceum, type LyceumOptions } from '../../packages/server/src/index.ts'
import { adminHeaders, call, type Product } from './product.ts'
import { startRelay } from './relay.ts'

const CALLBACK = 'http://127.0.0.1:3999/auth/callback'
export const ACCOUNT = { email: 'zoe@example.org', password: 'a horse of many colours' }
export const SECRET = 'a secret of thirty-two characters'

type Tokens = { access_token: string; access_token_hs256: string; refresh_token: string }
type Part = Record<string, unknown>

/** A partner's site at a program, with a person, and servers of it that reach the program through a relay. */
export async function aPartner(product: Product) {
  const relay = await startRelay(() => product.sso)
  const headers = await adminHeaders(product, 'console')
  const body = { name: 'Partner', callback_url: CALLBACK, token_signing: 'dual' }
  const site = (await call(`${product.sso}/api/v1/sites`, { headers, body })).body as Record<string, string>
  const asSite = { 'x-sso-site-key': site['site_key'] ?? '' }
  await call(`${product.sso}/api/v1/auth/register`, { headers: asSite, body: ACCOUNT })
  const issuer = `${product.sso}${site['environment'] === 'sandbox' ? '/sandbox' : ''}`
  const options: LyceumOptions = {
    sso: relay.url,
    issuer,
    siteKey: site['site_key'] ?? '',
    siteCode: site['site_code'] ?? '',
    jwtSecret: site['jwt_secret'],
    webhookSecret: site['webhook_secret'],
    cookieSecret: SECRET,
    callbackUrl: CALLBACK,
  }
  const servers: Lyceum[] = []
  return {
    site,
    relay,
    issuer,
    headers,
    /** A server of the partner. */
    aServer(given: Partial<LyceumOptions> = {}): Lyceum {
      const server = createLyceum({ ...options, ...given })
      servers.push(server)
      return server
    },
    async signIn(): Promise<Tokens> {
      const { body: tokens } = await call(`${product.sso}/api/v1/auth/login`, {
        headers: asSite,
        body: ACCOUNT,
      })
      return tokens as unknown as Tokens
    },
    /** Ends all sessions of the person. */
    signOut: (token: string) =>
      call(`${product.sso}/api/v1/sessions`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${token}` },
      }),
    /** Ends one session, so that the access tokens of the others have to be renewed. */
    endSession: (refresh_token: string) =>
      call(`${product.sso}/api/v1/auth/logout`, { headers: asSite, body: { refresh_token } }),
    /** Ends the servers: a site may have few streams at a time. */
    stopServers() {
      for (const server of servers.splice(0)) server.close()
    },
    close() {
      for (const server of servers) server.close()
      relay.close()
    },
  }
}

/** How a server judges a token: `good`, or why not. */
export const verdictOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'good',
    (error: Error & { code?: string }) => error.code ?? error.message,
  )

const partOf = (part: string): Part => JSON.parse(Buffer.from(part, 'base64url').toString()) as Part
const encode = (part: Part) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** The token with other claims and header, signed by whoever has this secret; without one as it was signed before. */
export function forge(
  token: string,
  { claims = {}, head = {}, secret }: { claims?: Part; head?: Part; secret?: Buffer },
) {
  const [was = '', said = '', signature = ''] = token.split('.')
  const input = `${encode({ ...partOf(was), ...head })}.${encode({ ...partOf(said), ...claims })}`
  return `${input}.${secret ? createHmac('sha256', secret).update(input).digest('base64url') : signature}`
}
