import { ApiError } from '../errors.ts'
import type { Caller } from './session-gate.ts'

/**
 * What a token may do, decided in one place for all three services. A token's power is the power of the site it was
 * issued for: docs/decisions/powers-by-token-site.md.
 */

/** Administrative permissions: held where the role at the token's site lists them. */
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

/** Permissions of everybody who is a member of the token's site: their own account, and the use of the services. */
const OF_MEMBERS = ['profile:read', 'profile:write', 'learning:use', 'collections:use'] as const

export type Permission = (typeof ADMINISTRATIVE)[number] | (typeof OF_MEMBERS)[number]

/** What a route needs: one permission, or any of several where members get their own and ADMINs more. */
export type Needed = Permission | readonly [Permission, ...Permission[]]

/**
 * Whether the caller, with this token, has one of the permissions a route needs. A token that reaches other sites may have
 * them there: then the statement that reads or writes decides (sso/core/access/access.ts).
 */
export const holds = (caller: Holder & Pick<Caller, 'permissions'>, needed: Needed): boolean =>
  isClient(caller)
    ? [needed].flat().some((one) => isClientScope(one) && caller.permissions.includes(one))
    : reachOf(caller) !== 'site_of_token' ||
      [needed].flat().some((one) => isOfMembers(one) || caller.permissions.includes(one))

/** What the back end of a site can be given for itself: what an ADMIN has there, and nothing of a person. */
export const CLIENT_SCOPES = ADMINISTRATIVE
export const isClientScope = (one: string): boolean => ADMINISTRATIVE.some((scope) => scope === one)
export const CLIENT_ROLE = 'CLIENT'

/**
 * The caller is no person but the back end of a site, which acts for that site alone. `user_id` is the id of the site then:
 * nobody has it, so whatever a person is looked up by finds nothing.
 */
export const isClient = ({ user_id, site_id }: Pick<Caller, 'user_id' | 'site_id'>): boolean =>
  user_id === site_id

const isOfMembers = (permission: Permission) => OF_MEMBERS.some((one) => one === permission)

/** Over which sites the administrative rights of a token reach. */
export type Reach = 'every_site' | 'sites_of_holder' | 'partner_sites_of_holder' | 'site_of_token'

/**
 * A token of `console` administers the sites its holder is ADMIN of, and every site where the holder is ADMIN of `console`
 * (an operator). A token of another site of the network administers its own site and the partner sites its holder is ADMIN
 * of. A token of a partner's site administers that site at most, whatever else its holder is ADMIN of.
 */
export function reachOf(holder: Holder): Reach {
  const { site_code, is_first_party, role } = holder
  if (isClient(holder)) return 'site_of_token'
  if (site_code === 'console') return role === 'ADMIN' ? 'every_site' : 'sites_of_holder'
  return is_first_party ? 'partner_sites_of_holder' : 'site_of_token'
}

export type Holder = Pick<Caller, 'user_id' | 'site_id' | 'site_code' | 'is_first_party' | 'role'>

/** ADMIN at the token's own site: what learning and collections call an administrator. */
export const isSiteAdmin = ({ role }: Pick<Caller, 'role'>): boolean => role === 'ADMIN'

/**
 * What belongs to the person and not to one site is changed with a token of the network itself. `page`: where the person does
 * it, below the address of the sso.
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
