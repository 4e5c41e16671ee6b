import type { Lane, Tx } from '#foundation/database/database.ts'
import { unauthorized } from '#foundation/errors.ts'
import { WWW_AUTHENTICATE } from '#foundation/security/identity.ts'
import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { lockUser } from '../person/users.ts'

export type Purpose = 'email_verification' | 'password_reset' | 'invitation' | 'address_claim'

/** The person, the address the token was sent to, and the site on whose behalf. */
export type OneTimeToken = {
  user_id: string
  email: string
  environment: 'sandbox' | 'production'
  purpose: Purpose
  site_id: string | null
  site_code: string
}

/**
 * Creates a token for one mailed link, valid for `seconds` and only for the person's current address. Only its hash is
 * stored. The caller must hold the lock on the person, or have just created them.
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

/** A presented token, with the purposes and the site it must be for. The hosted pages name no site. */
export type Presented = { token: string; purposes: readonly Purpose[]; site?: Site | undefined }

/**
 * Looks a token up without changing it. Undefined if it is unknown, spent, expired, of another site, for an address the
 * person no longer has, or of a person who may not sign in.
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
 * Locks the person and spends their token, with the checks of findOneTimeToken. Of concurrent calls exactly one
 * succeeds. All other links of the same purposes stop working for this person.
 */
export async function spendOneTimeToken(tx: Tx, presented: Presented): Promise<OneTimeToken | undefined> {
  const found = await findOneTimeToken(tx, presented)
  if (!found) return undefined
  await lockUser(tx, found.user_id)
  // A new statement, so that it sees the state under the lock.
  const spendable = await findOneTimeToken(tx, presented)
  if (!spendable) return undefined
  await voidOneTimeTokens(tx, spendable.user_id, presented.purposes)
  return spendable
}

/** Invalidates all links of these purposes sent to the person so far. */
export async function voidOneTimeTokens(
  tx: Tx,
  user_id: string,
  purposes: readonly Purpose[],
): Promise<void> {
  await tx`
    update sso.one_time_tokens set spent_at = clock_timestamp()
     where user_id = ${user_id} and purpose = any(${purposes as Purpose[]}) and spent_at is null`
}

/** One error for unknown, spent, expired, another site or another address, so that it does not reveal which. */
export const deadLink = () =>
  unauthorized('token_invalid', 'The link does not work any more: ask for a new one', WWW_AUTHENTICATE)
