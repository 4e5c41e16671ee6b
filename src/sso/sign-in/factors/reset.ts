import { conflict, forbidden } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { recordAct } from '../../core/audit/audit.ts'
import { queueNotice } from '../../people/letters/letters.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { endSessions } from '../../people/sessions/sessions.ts'
import { deleteChallenges } from '../../people/sessions/waiting.ts'
import { lockPerson } from '../../core/access/access.ts'
import { deleteRecoveryCodes } from './recovery-codes.ts'

/**
 * Removes all factors of a person who lost both phone and codes. The caller is an ADMIN to whom the person is
 * exclusive. Ends every session and tells the person. 404; 403 user_shared; 409 own_factors: own factors are deleted
 * one by one.
 */
export async function resetFactors(parts: SsoParts, caller: Caller, user_id: string, from: Origin) {
  await parts.database.transaction(async (tx) => {
    const { person, is_self, is_exclusive } = await lockPerson(tx, caller, user_id)
    if (is_self) throw conflict('own_factors', 'Take away your own factors one by one')
    if (!is_exclusive) throw forbidden('user_shared', 'This account is not yours alone to change')
    const gone = await tx<{ type: string }[]>`
        delete from sso.mfa_factors where user_id = ${user_id} returning type`
    await deleteRecoveryCodes(tx, user_id)
    await deleteChallenges(tx, user_id)
    if (gone.length === 0) return
    await endSessions(tx, {
      user_id,
      scope: 'everywhere',
      reason: 'factor_removed',
      always_bump: true,
      caller,
      from,
    })
    const { environment, email } = person
    const { site_id, site_code } = caller
    const who = { environment, site_id, actor_user_id: caller.user_id, subject_user_id: user_id }
    const details = { types: gone.map(({ type }) => type) }
    await recordAct(tx, { action: 'mfa.reset', ...who, details }, from)
    const site = { site_id, site_code, environment }
    await queueNotice(tx, parts, 'factor_removed_notice', { user: { user_id, email }, site })
  })
}
