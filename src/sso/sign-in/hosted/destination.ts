import { isIP } from 'node:net'
import { isLoopback } from '#foundation/outbound/addresses.ts'
import type { Config } from '#foundation/settings/config.ts'
import { badRequest } from '#foundation/errors.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { type Authorization, openAuthorization } from '../openid-requests/authorization.ts'
import type { SsoParts } from '../../core/parts.ts'
import { type Visit, withQuery } from '../../core/pages/visit.ts'
import { isFirstPartyOrigin } from '../../core/pages/own-services.ts'

export type Asked = {
  site_code?: string | undefined
  return_to?: string | undefined
  /** A sealed request of an OpenID client; it replaces the other parameters. */
  openid?: string | undefined
  /** PKCE (RFC 7636) for the code that a partner's site receives. */
  code_challenge?: string | undefined
  code_challenge_method?: string | undefined
}

/** The site a visit to the pages comes from, and the address it returns to. */
export type Destination = {
  site: Site
  site_name: string
  /** Normalised URL with an allowed origin; undefined if the visit named none. */
  return_to: string | undefined
  /** `?site_code=…&return_to=…`, which every link and form of this visit carries. */
  query: string
  code_challenge?: string | undefined
  /** The OpenID client's request that started the visit. */
  openid?: Authorization
}

/** A visit to the pages, and where it leads in the end. */
export type Context = { parts: SsoParts; visit: Visit; destination: Destination }

/** Errors as those of findDestination. */
export async function contextOf(parts: SsoParts, visit: Visit, asked: Asked): Promise<Context> {
  const destination = await findDestination(parts, asked, visit.address)
  visit.locale = destination.openid?.language
  return { parts, visit, destination }
}

type Found = Site & { name: string; callback_url: string | null; return_urls: string[] }

/**
 * The site (`learning` by default) and the address to return to. `address` is that of the sso, as the visitor calls it.
 * 400 for a site that does not exist and for an address whose origin is not allowed: nobody is sent there.
 */
export async function findDestination(
  parts: Pick<SsoParts, 'database' | 'config' | 'keys'>,
  { site_code = 'learning', return_to, openid, ...pkce }: Asked,
  address: string,
): Promise<Destination> {
  const { database, config } = parts
  if (openid !== undefined) return findClient(parts, openid)
  const [found] = await database.fast<Found[]>`
    select site_id, site_code, tenant_id, environment, is_first_party, trust_client_ip, name, callback_url,
           return_urls
      from sso.sites where site_code = ${site_code} and deleted_at is null and status = 'active'`
  if (!found) throw badRequest('site_unknown', 'The link that led here names a site that does not exist')
  const { name, callback_url, return_urls, ...site } = found
  const code_challenge = readChallenge(pkce)
  const registered = callback_url === null ? return_urls : [callback_url, ...return_urls]
  const isAllowed = site.is_first_party
    ? (url: URL) => isFirstPartyOrigin(config, url, address)
    : (url: URL) => registered.some((address) => isSamePlace(url, new URL(address)))
  const home = site.site_code === 'console' ? `${address}/console` : undefined
  // A partner's site without a callback has no page to return to; the empty address is refused below.
  const wanted = return_to ?? (site.is_first_party ? home : (registered[0] ?? ''))
  const target = wanted === undefined ? undefined : requireAllowed(wanted, isAllowed)
  const challenge = code_challenge === undefined ? {} : { code_challenge, code_challenge_method: 'S256' }
  const query = withQuery('', { site_code, return_to: target, ...challenge })
  return { site, site_name: name, return_to: target, query, code_challenge }
}

/** Compares scheme, host, port and path. The query belongs to the partner, for a `state` for instance. */
const isSamePlace = (url: URL, registered: URL) =>
  url.origin === registered.origin && url.pathname === registered.pathname && url.hash === ''

function readChallenge({
  code_challenge,
  code_challenge_method,
}: Pick<Asked, 'code_challenge' | 'code_challenge_method'>) {
  if (code_challenge === undefined && code_challenge_method === undefined) return undefined
  if (code_challenge_method === 'S256' && /^[\w-]{43}$/.test(code_challenge ?? '')) return code_challenge
  throw badRequest(
    'code_challenge_invalid',
    'The link that led here carries a code_challenge that is not S256',
  )
}

/** The destination of an OpenID client's request: only the address it registered. */
async function findClient(
  { database, keys }: Pick<SsoParts, 'database' | 'keys'>,
  sealed: string,
): Promise<Destination> {
  const openid = openAuthorization({ keys }, sealed)
  const { site_id, redirect_uri } = openid
  const [found] = await database.fast<(Site & { name: string })[]>`
    select i.site_id, i.site_code, i.tenant_id, i.environment, i.is_first_party, i.trust_client_ip, i.name
      from sso.sites i join sso.openid_clients c using (site_id)
     where i.site_id = ${site_id} and i.deleted_at is null and i.status = 'active' and ${redirect_uri} = any(c.redirect_uris)`
  if (!found) throw badRequest('client_unknown', 'The client that led here is none any more')
  const { name, ...site } = found
  const query = withQuery('', { site_code: site.site_code, openid: sealed })
  return { site, site_name: name, return_to: redirect_uri, query, openid }
}

/** 400 unless the address is absolute, http or https, without credentials, and of an allowed origin. */
function requireAllowed(return_to: string, isAllowed: (url: URL) => boolean): string {
  const url = URL.canParse(return_to) ? new URL(return_to) : undefined
  const isAddress = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (!isAddress || !isAllowed(url))
    throw badRequest(
      'return_to_forbidden',
      'The link that led here wants to return to an address that is not allowed',
    )
  return url.href
}

/** As findDestination, for signing out. No site is named, so only first-party addresses are allowed. */
export const requireFirstPartyAddress = (config: Config, return_to: string, address: string): string =>
  requireAllowed(return_to, (url) => isFirstPartyOrigin(config, url, address))

/**
 * 127.0.0.1 and localhost are one machine but two hosts for cookies. Returns the sso's address under the name that the
 * visitor's page uses; undefined if nothing has to change.
 */
export function sameLoopbackName(
  { SSO_URL, LEARNING_URL }: Config,
  return_to: string | undefined,
  address: string,
): string | undefined {
  if (SSO_URL !== undefined || LEARNING_URL !== undefined) return undefined
  if (return_to === undefined || !URL.canParse(return_to)) return undefined
  const [own, other] = [new URL(address), new URL(return_to)]
  if (own.hostname === other.hostname || !isOwnMachine(own) || !isOwnMachine(other)) return undefined
  own.hostname = other.hostname
  return own.origin
}

function isOwnMachine({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || (isIP(host) !== 0 && isLoopback(host))
}
