import { conflict, notFound } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { requirePerson } from '../../core/access/access.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { type Addressee, REPEATABLE, type Sender } from '../../people/letters/letters.ts'
import { isRepeatable, isShown } from './outbox.ts'

type Failed = Addressee & Sender & { kind: string; is_repeatable: boolean; resent_as: string | null }

/**
 * Writes a failed letter anew, with a new link, and returns the message_id; a repeat returns the same one. 404, 409
 * not_repeatable.
 */
export async function resendMessage(
  parts: SsoParts,
  caller: Caller,
  message_id: string,
  from: Origin,
): Promise<string> {
  requirePerson(caller)
  return parts.database.transaction(async (tx) => {
    const [failed] = await tx<Failed[]>`
      select m.kind, m.environment, m.site_id, i.site_code, u.user_id, u.email, m.resent_as,
             ${isRepeatable(tx)} as is_repeatable
        from sso.messages m join sso.users u using (user_id) left join sso.sites i using (site_id)
       where m.message_id = ${message_id} and ${isShown(tx, caller)}
         for no key update of u, m`
    if (!failed) throw notFound()
    const { kind, environment, site_id, site_code, user_id, email, is_repeatable, resent_as } = failed
    if (resent_as !== null) return resent_as
    const write = REPEATABLE[kind]
    if (!is_repeatable || !write)
      throw conflict(
        'not_repeatable',
        'Only a failed letter can be sent again, while its person has the address',
      )
    const sent = await write(tx, parts, {
      user: { user_id, email },
      site: { site_id, site_code, environment },
    })
    await tx`update sso.messages set resent_as = ${sent} where message_id = ${message_id}`
    const details = { message_id, kind, resent_as: sent }
    const act = { action: 'message.resent', environment, site_id, actor_user_id: caller.user_id } as const
    await recordAct(tx, { ...act, subject_user_id: user_id, details }, from)
    return sent
  })
}
