import type { Tx } from '#foundation/database/database.ts'
import { unprocessable } from '#foundation/errors.ts'
import { requireFirstParty } from '#foundation/security/powers.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { lockSitesOf, refuseLastAdmin } from '../../people/roles/last-admin.ts'
import { endSessions } from '../../people/sessions/sessions.ts'
import { requireFreshProof } from '../../people/sessions/fresh-proof.ts'
import { lockPerson, type Person, sitesOfAdmin } from '../../core/access/access.ts'
import { erasePerson, type ErasureBody } from './erasure.ts'

/**
 * Erases oneself (needs a fresh proof and a first-party token) or an exclusive person; for others, removes only
 * memberships and sessions at the caller's sites. 403 first_party_required, reauthentication_required; 404; 409
 * last_admin (not for oneself); 422 for a `confirmation` that is not the person's address.
 */
export async function deleteUser(
  parts: SsoParts,
  caller: Caller,
  user_id: string,
  body: ErasureBody,
  from: Origin,
): Promise<void> {
  if (user_id === caller.user_id) {
    requireFirstParty(caller, parts.ssoUrl(), '/account/erase')
    await requireFreshProof(parts, caller, undefined, from)
  }
  await parts.database.transaction(async (tx) => {
    const locked = user_id === caller.user_id ? [] : await lockSitesOf(tx, user_id)
    const { person, is_self, is_exclusive } = await lockPerson(tx, caller, user_id)
    const { environment, email, email_fold } = person
    if (foldEmail(body.confirmation ?? email) !== email_fold)
      throw unprocessable('confirmation', 'mismatch', "must be the person's address")
    if (!is_self && !is_exclusive) return removeMember(tx, { caller, user_id, person, locked, from })
    if (!is_self) await refuseLastAdmin(tx, { user_id, locked })
    return erasePerson(tx, { user_id, environment, caller, body, from })
  })
}

type Removal = { caller: Caller; user_id: string; person: Person; locked: string[]; from: Origin }

async function removeMember(tx: Tx, { caller, user_id, person, locked, from }: Removal) {
  const own = await tx<{ site_id: string }[]>`
    select m.site_id from sso.memberships m
     where m.user_id = ${user_id} and m.site_id in (${sitesOfAdmin(tx, caller)}) order by m.site_id`
  const site_ids = own.map(({ site_id }) => site_id)
  await refuseLastAdmin(tx, { user_id, locked, site_ids })
  const removed = await tx<{ site_id: string }[]>`
    delete from sso.memberships
     where user_id = ${user_id} and site_id = any(${site_ids}::uuid[]) and site_id in (${sitesOfAdmin(tx, caller)})
    returning site_id`
  await tx`
    delete from sso.mfa_challenges where user_id = ${user_id} and site_id = any(${site_ids}::uuid[])`
  await tx`
    delete from sso.proven_sign_ins where user_id = ${user_id} and site_id = any(${site_ids}::uuid[])`
  await endSessions(tx, {
    user_id,
    scope: { site_ids },
    reason: 'member_removed',
    always_bump: true,
    caller,
    from,
  })
  for (const { site_id } of removed.toSorted((a, b) => (a.site_id < b.site_id ? -1 : 1)))
    await recordAct(
      tx,
      {
        action: 'member.removed',
        environment: person.environment,
        site_id,
        actor_user_id: caller.user_id,
        subject_user_id: user_id,
      },
      from,
    )
}
