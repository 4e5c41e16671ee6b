import { ApiError } from '../errors.ts'
import type { Caller } from './session-gate.ts'

/**
 * The permissions of a token, decided in one place for all three services. A token has the power of the site it was
 * issued for: docs/decisions/powers-by-token-site.md.
 */

/** Administrative permissions: the caller needs a role at the token's site that lists them. */
const ADMINISTRATIVE = [
  'users:read',
  'users:write',
  'roles:assign',
  'sessions:revoke',
  'webhooks:manage',
  'bulk:import',
  'payments:read',
  'site:manage',
  'audit:read',
] as const

/** Permissions of every member of the token's site, for their own account and the use of the services. */
const OF_MEMBERS = ['profile:read', 'profile:write', 'learning:use', 'collections:use'] as const

export type Permission = (typeof ADMINISTRATIVE)[number] | (typeof OF_MEMBERS)[number]

/** The permission a route needs, or several of which one suffices, if members see their own data and ADMINs more. */
export type Needed = Permission | readonly [Permission, ...Permission[]]

/**
 * Whether the caller's token has one of the permissions that a route needs. A token that also reaches other sites may
 * have them there, so the statement that reads or writes decides (sso/core/access/access.ts).
 */
export const holds = (caller: Holder & Pick<Caller, 'permissions'>, needed: Needed): boolean =>
  isClient(caller)
    ? [needed].flat().some((one) => isClientScope(one) && caller.permissions.includes(one))
    : reachOf(caller) !== 'site_of_token' ||
      [needed].flat().some((one) => isOfMembers(one) || caller.permissions.includes(one))

/** Permissions that a machine client may get: those of an ADMIN of its site, none of a person. */
export const CLIENT_SCOPES = ADMINISTRATIVE
export const isClientScope = (one: string): boolean => ADMINISTRATIVE.some((scope) => scope === one)
export const CLIENT_ROLE = 'CLIENT'

/**
 * Whether the caller is a machine client, which acts for its own site only. Its `user_id` is the id of the site; no
 * person has that id, so lookups of a person find nothing.
 */
export const isClient = ({ user_id, site_id }: Pick<Caller, 'user_id' | 'site_id'>): boolean =>
  user_id === site_id

const isOfMembers = (permission: Permission) => OF_MEMBERS.some((one) => one === permission)

/** The sites that a token's administrative permissions cover. */
export type Reach = 'every_site' | 'sites_of_holder' | 'partner_sites_of_holder' | 'site_of_token'

/**
 * A `console` token administers the sites its holder is ADMIN of, or every site if its holder is ADMIN of `console` (an
 * operator). A token of another first-party site: its own site and the partner sites its holder is ADMIN of. A token of
 * a partner's site: at most that site, whatever else its holder is ADMIN of.
 */
export function reachOf(holder: Holder): Reach {
  const { site_code, is_first_party, role } = holder
  if (isClient(holder)) return 'site_of_token'
  if (site_code === 'console') return role === 'ADMIN' ? 'every_site' : 'sites_of_holder'
  return is_first_party ? 'partner_sites_of_holder' : 'site_of_token'
}

export type Holder = Pick<Caller, 'user_id' | 'site_id' | 'site_code' | 'is_first_party' | 'role'>

/** ADMIN at the token's own site: an administrator in learning and collections. */
export const isSiteAdmin = ({ role }: Pick<Caller, 'role'>): boolean => role === 'ADMIN'

/**
 * Throws 403 `first_party_required` unless the token is first-party: such a token is needed to change what belongs to
 * the person and not to one site. `page`: the path below the sso's address where the person can do it.
 */
export function requireFirstParty({ is_first_party }: Caller, address: string, page: string): void {
  if (is_first_party) return
  throw new ApiError(
    403,
    'first_party_required',
    'Only a page of the network may do this: see the header Link',
    {
      headers: { Link: `<${address}${page}>; rel="edit-form"` },
    },
  )
}
