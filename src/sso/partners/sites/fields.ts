import { randomInt } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { unprocessable } from '#foundation/errors.ts'
import { Nullable, OneOf, Uuid } from '#foundation/http/schemas.ts'
import { fold } from '#foundation/text.ts'
import { hostOf } from '#foundation/outbound/vetting.ts'
import { isHostName } from '../../people/person/fields.ts'
import { isLocal, mayReturnTo, type Reach } from '../../events/webhooks/policy.ts'

/** URLs that visitors may return to besides the callback. */
const ReturnUrls = Type.Array(Type.String({ minLength: 1, maxLength: 2_048 }), { maxItems: 20 })

export type SiteBody = Static<typeof SiteBody>
export const SiteBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  site_code: Type.Optional(Type.String()),
  domain: Type.Optional(Type.String()),
  callback_url: Type.Optional(Type.String({ maxLength: 2_048 })),
  return_urls: Type.Optional(ReturnUrls),
  webhook_url: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
  environment: OneOf(['sandbox', 'production'], { default: 'sandbox' }),
  token_signing: OneOf(['HS256', 'RS256', 'dual'], { default: 'HS256' }),
  /**
   * The tenant of a site that the token administers; the new site joins it. By default an ADMIN's site joins their own
   * tenant.
   */
  tenant_id: Type.Optional(Uuid),
  /** The site gets a tenant of its own, also if an ADMIN makes it. */
  is_apart: Type.Optional(Type.Boolean()),
})

type ToCheck = {
  site_code?: string | undefined
  domain?: string | undefined
  callback_url?: string | null | undefined
  return_urls?: readonly string[] | undefined
  environment: 'sandbox' | 'production'
}

export type SiteChange = Static<typeof SiteChange>
/** A merge patch (RFC 7396): null removes a URL or a number of days, absent fields stay. */
export const SiteChange = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  domain: Type.Optional(Type.String()),
  callback_url: Type.Optional(Nullable(Type.String({ maxLength: 2_048 }))),
  return_urls: Type.Optional(ReturnUrls),
  token_signing: Type.Optional(OneOf(['HS256', 'RS256', 'dual'])),
  refresh_reuse_policy: Type.Optional(OneOf(['tolerant', 'strict'])),
  /** Only operators may set it. */
  trust_client_ip: Type.Optional(Type.Boolean()),
  retention_days: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 3_650 }))),
  session_max_days: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 3_650 }))),
  require_mfa: Type.Optional(OneOf(['none', 'admins', 'all'])),
  version: Type.Optional(Type.Integer({ minimum: 1 })),
})

const SITE_CODE = /^[a-z0-9-]{3,40}$/

/** 422 for an invalid code, domain or callback URL. Returns the host of the callback URL, if any. */
export function checkSite(given: ToCheck, reach: Reach): string | undefined {
  const { site_code, domain, callback_url, return_urls = [], environment } = given
  if (site_code !== undefined && !SITE_CODE.test(site_code))
    throw unprocessable('site_code', 'invalid_site_code', 'must be 3 to 40 of a-z 0-9 -')
  if (domain !== undefined && domain !== 'localhost' && !isHostName(domain))
    throw unprocessable('domain', 'invalid_domain', 'must be a host name such as school.example.org')
  for (const address of return_urls) checkAddress('return_urls', address, environment, reach)
  return callback_url === undefined || callback_url === null
    ? undefined
    : checkAddress('callback_url', callback_url, environment, reach)
}

/** 422 unless people may be redirected there. Returns the host. */
export function checkAddress(
  field: string,
  address: string,
  environment: SiteBody['environment'],
  reach: Reach,
): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw unprocessable(field, 'invalid_url', 'must be an address that begins with https://')
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw unprocessable(field, 'invalid_url', 'must carry neither a user name nor a fragment')
  const host = hostOf(url)
  if (environment === 'production' && (url.protocol !== 'https:' || isLocal(host)))
    throw unprocessable(field, 'https_required', 'must be https and not this machine on a production site')
  if (!mayReturnTo(host, reach))
    throw unprocessable(field, 'address_refused', 'must not lead to this machine: the installation is public')
  return url.hostname
}

/**
 * Candidate codes for a site without one, in order: its name, its name with a number, its name with a random number.
 */
export function codesFor(name: string): string[] {
  const plain = fold(name)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 34)
  const code = plain.length < 3 ? `site${plain && '-'}${plain}` : plain
  const numbers = Array.from({ length: 99 }, (_, i) => i + 2)
  const chances = Array.from({ length: 20 }, () => randomInt(10_000, 100_000))
  return [code, ...[...numbers, ...chances].map((number) => `${code}-${number}`)]
}
