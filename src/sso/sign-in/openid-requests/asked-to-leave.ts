import type { SsoParts } from '../../core/parts.ts'
import { withQuery } from '../../core/pages/visit.ts'
import { addTo } from './authorization.ts'

/** The request of a client without an ID token, which names where the person goes after signing out. */
export type Asking = {
  client_id?: string | undefined
  post_logout_redirect_uri?: string | undefined
  state?: string | undefined
}

/**
 * The address, if this client registered exactly that string; otherwise undefined (RP-Initiated Logout 1.0, section 3).
 */
export async function findAddressAfter(
  { database }: Pick<SsoParts, 'database'>,
  { client_id, post_logout_redirect_uri, state }: Asking,
): Promise<string | undefined> {
  if (client_id === undefined || post_logout_redirect_uri === undefined) return undefined
  const [registered] = await database.fast`
    select from sso.openid_clients c join sso.sites i using (site_id)
     where i.site_code = ${client_id} and i.deleted_at is null
       and ${post_logout_redirect_uri} = any(c.post_logout_redirect_uris)`
  return registered && addTo(post_logout_redirect_uri, { state })
}

/** The address of the page that asks for confirmation of the sign-out. */
export const askAddress = ({ client_id, post_logout_redirect_uri, state }: Asking): string =>
  client_id === undefined || post_logout_redirect_uri === undefined
    ? '/sign-in/out'
    : withQuery('/sign-in/out', { client_id, post_logout_redirect_uri, state })
