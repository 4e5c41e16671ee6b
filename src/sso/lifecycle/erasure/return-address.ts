import { badRequest } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isFirstPartyOrigin } from '../../core/pages/own-services.ts'
import type { Visit } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'

/** More sites than any person is a member of. */
const MAX_SITES = 1_000

/**
 * Accepts a URL of our own services, or one that a site of the person has registered, with any query. 400 for all
 * others, to prevent open redirects.
 */
export async function requireReturnAddress(
  { database, config }: Pick<SsoParts, 'database' | 'config'>,
  visit: Visit,
  { user_id, environment }: Caller,
  return_to: string,
): Promise<string> {
  const url = URL.canParse(return_to) ? new URL(return_to) : undefined
  const isAddress = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (isAddress && isFirstPartyOrigin(config, url, visit.address)) return url.href
  const registered = await database.fast<{ address: string }[]>`
    select a.address
      from sso.memberships m join sso.sites i using (site_id) left join sso.openid_clients c using (site_id)
      cross join lateral unnest(array_append(c.redirect_uris, i.callback_url)) as a (address)
     where m.user_id = ${user_id} and i.environment = ${environment} and i.deleted_at is null and a.address is not null
     order by a.address limit ${MAX_SITES}`
  if (isAddress && registered.some(({ address }) => isSamePage(url, address))) return url.href
  throw badRequest(
    'return_to_forbidden',
    'The link that led here wants to return to an address that is not allowed',
  )
}

function isSamePage(url: URL, registered: string): boolean {
  if (!URL.canParse(registered)) return false
  const { origin, pathname } = new URL(registered)
  return url.origin === origin && url.pathname === pathname
}
