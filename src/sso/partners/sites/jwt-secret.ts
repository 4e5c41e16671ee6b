import { type Static, Type } from 'typebox'
import { one } from '#foundation/database/database.ts'
import { conflict } from '#foundation/errors.ts'
import { Nullable, Time } from '#foundation/http/schemas.ts'
import type { Caller, Site } from '#foundation/security/session-gate.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { HS_OVERLAP } from '../../core/tokens/tokens.ts'
import { lockSite } from '../../core/access/managed-site.ts'

export const RotateBody = Type.Object({ revoke_old: Type.Boolean({ default: false }) })
/** The secret is shown only here. Without `old_valid_until`, tokens signed with the old secret are already refused. */
export const NewJwtSecret = Type.Object({ jwt_secret: Type.String(), old_valid_until: Nullable(Time) })

type Rotated = Pick<Site, 'site_id' | 'environment'> & {
  hs_generation: number
  old_valid_until: string | null
}

/**
 * Rotates the HS256 key of a site. Tokens of the old key stay valid for 31 minutes, so that no good token is refused;
 * `revoke_old` ends them at once. 404, 403, 409 rotation_running: a second rotation in that time would refuse good
 * tokens.
 */
export async function rotateJwtSecret(
  { database, tokens }: SsoParts,
  caller: Caller,
  site_id: string,
  { revoke_old }: Static<typeof RotateBody>,
  from: Origin,
) {
  const { old_valid_until, ...site } = await database.transaction(async (tx) => {
    const { environment } = await lockSite(tx, caller, site_id)
    const rows = await tx<Rotated[]>`
        update sso.sites
           set hs_generation = hs_generation + 1,
               hs_rotated_at = case when ${revoke_old} then null else clock_timestamp() end
         where site_id = ${site_id}
           and (${revoke_old} or hs_rotated_at is null
                or hs_rotated_at <= clock_timestamp() - make_interval(mins => ${HS_OVERLAP}))
        returning site_id, environment, hs_generation,
                  hs_rotated_at + make_interval(mins => ${HS_OVERLAP}) as old_valid_until`
    if (rows.length === 0)
      throw conflict(
        'rotation_running',
        `Tokens of the secret before are still in use, come back ${HS_OVERLAP} minutes after the last turn`,
      )
    await recordAct(
      tx,
      {
        action: 'jwt_secret.rotated',
        environment,
        site_id,
        actor_user_id: caller.user_id,
        subject_user_id: null,
        details: { revoke_old },
      },
      from,
    )
    return one(rows)
  })
  return { jwt_secret: tokens.jwtSecret(site), old_valid_until }
}
