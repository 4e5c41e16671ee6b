import { type Static, Type } from 'typebox'
import { one } from '#foundation/database/database.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { requireOperator } from '../../core/access/operator.ts'
import type { SsoParts } from '../../core/parts.ts'

/** What a new installation needs; true is done. */
export const Checklist = Type.Object({
  /** The operator who asks has one. */
  second_factor: Type.Boolean(),
  mail_server: Type.Boolean(),
  public_address: Type.Boolean(),
  /** There is a site that is not one of our own services. */
  first_site: Type.Boolean(),
  /** `npm start -- backup` has written one. */
  backup: Type.Boolean(),
})

/** For operators. 403. */
export async function readChecklist({ database: { fast }, config }: SsoParts, caller: Caller) {
  requireOperator(caller)
  const { SMTP_URL, SSO_URL } = config
  const found = one(
    await fast<Pick<Static<typeof Checklist>, 'second_factor' | 'first_site' | 'backup'>[]>`
      select exists (select from sso.mfa_factors f
                      where f.user_id = ${caller.user_id} and f.activated_at is not null) as second_factor,
             exists (select from sso.sites i where not i.is_first_party and i.deleted_at is null) as first_site,
             exists (select from foundation.backups) as backup`,
  )
  return {
    ...found,
    mail_server: SMTP_URL !== undefined,
    public_address: SSO_URL !== undefined,
  }
}
