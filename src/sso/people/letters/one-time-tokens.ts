import type { Lane, Tx } from '#foundation/database/database.ts'
import { unauthorized } from '#foundation/errors.ts'
import { WWW_AUTHENTICATE } from '#foundation/security/identity.ts'
import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { lockUser } from '../person/users.ts'

export type Purpose = 'email_verification' | 'password_reset' | 'invitation' | 'address_claim'

/** Whose token it is, for which address, and the site on whose behalf it was sent. */
export type OneTimeToken = {
  user_id: string
  email: string
  environment: 'sandbox' | 'production'
  purpose: Purpose
  site_id: string | null
  site_code: string
}

/**
 * A token for one link in one mail, good for `seconds` and for the address the person has now. Only its hash is kept.
 * The caller holds the lock on the person, or has just made them.
 */
export async function issueOneTimeToken(
  tx: Tx,
  {
    user_id,
    site_id,
    purpose,
    seconds,
  }: { user_id: string; site_id: string | null; purpose: Purpose; seconds: number },
): Promise<string> {
  const token = randomToken('ott_')
  await tx`
    insert into sso.one_time_tokens (token_hash, user_id, site_id, purpose, email_fold, expires_at)
    select ${sha256(token)}, user_id, ${site_id}, ${purpose}, email_fold,
           clock_timestamp() + make_interval(secs => ${seconds})
      from sso.users where user_id = ${user_id}`
  return token
}

/** What a caller may present a token as: for which purposes, and from which site. The hosted pages name no site. */
export type Presented = { token: string; purposes: readonly Purpose[]; site?: Site | undefined }

/**
 * Whose token this is while it works; nothing changes. Undefined for one that is unknown, spent, too old, of another
 * site, for an address the person has no more, or of a person who may not sign in.
 */
export async function findOneTimeToken(
  sql: Lane,
  { token, purposes, site }: Presented,
): Promise<OneTimeToken | undefined> {
  const [found] = await sql<OneTimeToken[]>`
    select t.user_id, u.email, u.environment, t.purpose, t.site_id, coalesce(i.site_code, 'lyceum') as site_code
      from sso.one_time_tokens t join sso.users u using (user_id) left join sso.sites i on i.site_id = t.site_id
     where t.token_hash = ${sha256(token)} and t.spent_at is null and t.expires_at > statement_timestamp()
       and t.purpose = any(${purposes as Purpose[]}) and t.email_fold = u.email_fold
       -- A suspended account keeps nobody from claiming its address.
       and (u.status = 'active' or t.purpose = 'address_claim')
       and i.deleted_at is null and (${site === undefined} or t.site_id = ${site?.site_id ?? null})`
  return found
}

/**
 * Locks the person and spends their token, under the conditions of findOneTimeToken. Of any number at once exactly one
 * gets it. From then on no other link of the same purposes works for this person either.
 */
export async function spendOneTimeToken(tx: Tx, presented: Presented): Promise<OneTimeToken | undefined> {
  const found = await findOneTimeToken(tx, presented)
  if (!found) return undefined
  await lockUser(tx, found.user_id)
  // A new statement, hence what is true under the lock.
  const spendable = await findOneTimeToken(tx, presented)
  if (!spendable) return undefined
  await voidOneTimeTokens(tx, spendable.user_id, presented.purposes)
  return spendable
}

/** No link of these purposes that was sent to the person so far works any more. */
export async function voidOneTimeTokens(
  tx: Tx,
  user_id: string,
  purposes: readonly Purpose[],
): Promise<void> {
  await tx`
    update sso.one_time_tokens set spent_at = clock_timestamp()
     where user_id = ${user_id} and purpose = any(${purposes as Purpose[]}) and spent_at is null`
}

/** Unknown, spent, too old, of another site or for another address: nobody learns which it was. */
export const deadLink = () =>
  unauthorized('token_invalid', 'The link does not work any more: ask for a new one', WWW_AUTHENTICATE)
