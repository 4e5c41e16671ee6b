import { one, type Tx } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { byOneself, recordAct } from '../../core/audit/audit.ts'
import { queuePasswordReset } from '../../people/letters/letters.ts'
import { wasWrittenToLately } from '../../core/messages/queue.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { type User, userColumns } from '../../people/person/users.ts'
import { type Given, type Holder, holderOf } from '../../people/sessions/holder.ts'
import { proveAddress, tellOfHandOver } from './hand-over.ts'
import {
  deadLink,
  findOneTimeToken,
  type OneTimeToken,
  spendOneTimeToken,
} from '../../people/letters/one-time-tokens.ts'

type Opened = Given & { token: string; site?: Site | undefined }

/**
 * Proves the address for the holder of the link mailed to it. Returns the person as that site sees them. Whoever also
 * gives the password or is signed in registered it and keeps what they set up; otherwise every earlier way in ends. 401
 * token_invalid, invalid_credentials (the link stays), 429.
 */
export async function verifyEmail(
  parts: SsoParts,
  { token, site, ...given }: Opened,
  from: Origin,
): Promise<User> {
  const presented = { token, site, purposes: ['email_verification'] } as const
  const known = await findOneTimeToken(parts.database.fast, presented)
  if (!known) throw deadLink()
  const holder = await holderOf(parts, known, given, from)
  return await parts.database.transaction(async (tx) => {
    const link = await spendOneTimeToken(tx, presented)
    if (!link) throw deadLink()
    return prove(tx, parts, link, { from, holder })
  })
}

async function prove(
  tx: Tx,
  parts: SsoParts,
  link: OneTimeToken,
  { from, holder }: { from: Origin; holder: Holder },
): Promise<User> {
  const { user_id, site_id } = link
  const before = await proveAddress(tx, link, { from, holder })
  if (!before.is_clean) await handOver(tx, parts, link)
  const details = { was_claimed: before.was_claimed, factors_removed: !before.is_clean }
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

/** Tells the owner, and mails them a link to choose a password. */
async function handOver(tx: Tx, parts: SsoParts, link: OneTimeToken): Promise<void> {
  await tellOfHandOver(tx, parts, link, link)
  if (!(await wasWrittenToLately(tx, link.user_id, 'password_reset')))
    await queuePasswordReset(tx, parts, { user: link, site: link })
}
