import type { Tx } from '#foundation/database/database.ts'
import { forbidden, unauthorized } from '#foundation/errors.ts'
import type { Act } from '../../core/audit/audit.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Directory } from '../../core/access/directory-tokens.ts'
import type { Origin } from '../../core/parts.ts'
import type { RoleRules } from '../enterprise/mapping-change.ts'

/** A directory, and the origin of the request. */
export type ByDirectory = { directory: Directory; from: Origin }

/**
 * Locks the site and the connection, so that one write of a directory follows the other and last ADMINs are counted.
 * The token and the connection are judged again: they may have ended while the request waited. Returns the role mapping.
 */
export async function holdDirectory(
  tx: Tx,
  { connection_id, token_id, site }: Directory,
): Promise<RoleRules> {
  await tx`select from sso.sites where site_id = ${site.site_id} for no key update`
  const [held] = await tx<{ role_mapping: RoleRules }[]>`
    select c.role_mapping from sso.connections c join sso.sites i using (site_id)
     where c.connection_id = ${connection_id} and c.site_id = ${site.site_id} and c.status = 'active'
       and i.deleted_at is null and i.plan <> 'starter' for no key update of c`
  if (!held) throw forbidden('connection_disabled', 'This connection is switched off')
  const [token] = await tx`
    select from sso.scim_tokens where token_id = ${token_id} and connection_id = ${connection_id}`
  if (!token) throw unauthorized('token_invalid', 'The SCIM token was revoked')
  return held.role_mapping
}

type Noted = Pick<Act, 'action'> & { user_id?: string | null; details?: NonNullable<Act['details']> }

/** Writes to the audit log of the site. The directory acts, so there is no actor. */
export const noteByDirectory = (
  tx: Tx,
  { directory: { connection_id, site }, from }: ByDirectory,
  { action, user_id = null, details = {} }: Noted,
) =>
  recordAct(
    tx,
    {
      action,
      environment: site.environment,
      site_id: site.site_id,
      actor_user_id: null,
      subject_user_id: user_id,
      details: { ...details, connection_id },
    },
    from,
  )
