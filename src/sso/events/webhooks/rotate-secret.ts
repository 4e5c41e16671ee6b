import { type Static, Type } from 'typebox'
import { one } from '#foundation/database/database.ts'
import { Time } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { lockManaged } from './access.ts'
import { newSecret, sealSecret } from './secrets.ts'

export const RotateSecretBody = Type.Object({
  switch_in_seconds: Type.Integer({ minimum: 0, maximum: 86_400, default: 3_600 }),
})
/** The secret is shown only here. */
export const RotatedSecret = Type.Object({
  webhook_secret: Type.String(),
  switch_at: Time,
  old_valid_until: Time,
})

type Switch = { switch_at: string; old_valid_until: string }

/**
 * Creates a new secret for the site. `webhook-signature` carries both secrets until 24 hours after `switch_at`;
 * X-SSO-Signature changes at `switch_at`. A new secret that has not been switched to yet is replaced, so there are
 * never three. 403, 404.
 */
export async function rotateWebhookSecret(
  { database, keys }: SsoParts,
  caller: Caller,
  site_id: string,
  { switch_in_seconds }: Static<typeof RotateSecretBody>,
  from: Origin,
) {
  const webhook_secret = newSecret()
  const switched = await database.transaction(async (tx) => {
    const { environment } = await lockManaged(tx, caller, { site_id })
    const rows = await tx<Switch[]>`
      update sso.sites
         set webhook_secret_old_enc = case when webhook_switch_at > clock_timestamp() then webhook_secret_old_enc
                                           else webhook_secret_enc end,
             webhook_secret_enc = ${sealSecret(keys, site_id, webhook_secret)},
             webhook_switch_at = clock_timestamp() + make_interval(secs => ${switch_in_seconds})
       where site_id = ${site_id}
      returning webhook_switch_at as switch_at, webhook_switch_at + interval '24 h' as old_valid_until`
    await recordAct(
      tx,
      {
        action: 'webhook_secret.rotated',
        environment,
        site_id,
        actor_user_id: caller.user_id,
        subject_user_id: null,
        details: { switch_in_seconds },
      },
      from,
    )
    return one(rows)
  })
  return { webhook_secret, ...switched }
}
