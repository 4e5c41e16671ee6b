import { one, type Tx } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { byOneself, recordAct } from '../../core/audit/audit.ts'
import { queuePasswordReset } from '../../people/letters/letters.ts'
import { wasWrittenToLately } from '../../core/messages/queue.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { tellProfileChanged } from '../../people/person/tell.ts'
import { type User, userColumns } from '../../people/person/users.ts'
import { endSignIns, proveAddress, removeWaysIn, tellOfHandOver } from './hand-over.ts'
import { deadLink, type OneTimeToken, spendOneTimeToken } from '../../people/letters/one-time-tokens.ts'

/**
 * Proves the address for the holder of the link mailed to it. Returns the person as that site sees them. An account
 * that others made becomes theirs, without its earlier password and factors. 401 token_invalid.
 */
export async function verifyEmail(
  parts: SsoParts,
  { token, site }: { token: string; site?: Site | undefined },
  from: Origin,
): Promise<User> {
  return await parts.database.transaction(async (tx) => {
    const link = await spendOneTimeToken(tx, { token, site, purposes: ['email_verification'] })
    if (!link) throw deadLink()
    return prove(tx, parts, link, from)
  })
}

async function prove(tx: Tx, parts: SsoParts, link: OneTimeToken, from: Origin): Promise<User> {
  const { user_id, site_id } = link
  const before = await proveAddress(tx, user_id)
  // A reset meanwhile may have proven the address already.
  if (!before.was_proven) await tellProfileChanged(tx, user_id, ['email_verified'])
  if (!before.was_claimed) await handOver(tx, parts, link, from)
  const details = { was_claimed: before.was_claimed }
  await recordAct(tx, { action: 'email.verified', ...byOneself(link, user_id), details }, from)
  return one(
    await tx<User[]>`
        select ${userColumns(tx, null)}, m.external_id,
               case when m.role is null then '[]'::jsonb
                    else jsonb_build_array(jsonb_build_object('site_code', i.site_code, 'role', m.role)) end as roles
          from sso.users u
          left join sso.memberships m on m.user_id = u.user_id and m.site_id = ${site_id}
          left join sso.sites i on i.site_id = m.site_id
         where u.user_id = ${user_id}`,
  )
}

/** Removes every way in that others set up, and mails the owner a link to choose a password. */
async function handOver(tx: Tx, parts: SsoParts, link: OneTimeToken, from: Origin): Promise<void> {
  const { user_id, site_id } = link
  await removeWaysIn(tx, user_id)
  await endSignIns(tx, { user_id, site_id, from })
  await tellOfHandOver(tx, parts, link, link)
  if (!(await wasWrittenToLately(tx, user_id, 'password_reset')))
    await queuePasswordReset(tx, parts, { user: link, site: link })
}
