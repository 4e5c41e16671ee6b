import type { Database, Tx } from '#foundation/database/database.ts'
import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { suspended } from '../../people/sessions/open-session.ts'
import { PROVEN_SECONDS } from '../../core/tokens/lifetimes.ts'

/** A proven sign-in that waits only for the person's consent. */
export type ProvenSignIn = {
  user_id: string
  login_id: string
  auth_methods: string[]
  /** The role from the identity provider: null for the default role, undefined if it gives none. */
  role?: string | null | undefined
}

/**
 * Stores a sign-in until the person consents, in a transaction that holds the lock on the users row. Membership and
 * session do not exist yet. 401 account_suspended for a suspended membership.
 */
export async function keepProven(
  tx: Tx,
  { site_id }: Site,
  { user_id, login_id, auth_methods, role }: ProvenSignIn,
): Promise<string> {
  const token = randomToken('cons_')
  await tx`delete from sso.proven_sign_ins where expires_at <= statement_timestamp()`
  const [kept] = await tx`
    insert into sso.proven_sign_ins (token_hash, user_id, site_id, login_id, auth_methods, gives_role, role, expires_at)
    select ${sha256(token)}, ${user_id}, ${site_id}, ${login_id}, ${auth_methods}, ${role !== undefined}, ${role ?? null},
           clock_timestamp() + make_interval(secs => ${PROVEN_SECONDS})
     where not exists (select from sso.memberships
                        where user_id = ${user_id} and site_id = ${site_id} and suspended_at is not null)
    returning user_id`
  if (!kept) throw suspended()
  return token
}

type Row = Omit<ProvenSignIn, 'role'> & { gives_role: boolean; role: string | null; auth_time: string }
export type Taken = ProvenSignIn & { auth_time: string }

/** The sign-in of a consent cookie, if it waits for this site. */
export async function findProven(
  { fast }: Database,
  { site_id }: Site,
  token: string,
): Promise<Taken | undefined> {
  const [row] = await fast<Row[]>`
    select user_id, login_id, auth_methods, gives_role, role, auth_time from sso.proven_sign_ins
     where token_hash = ${sha256(token)} and site_id = ${site_id} and expires_at > statement_timestamp()`
  if (!row) return undefined
  const { gives_role, role, ...rest } = row
  return { ...rest, ...(gives_role && { role }) }
}

/** Spends the sign-in; only one presentation succeeds. False if it was spent, or the account has changed meanwhile. */
export async function spendProven(tx: Tx, { site_id }: Site, token: string): Promise<boolean> {
  const [spent] = await tx`
    delete from sso.proven_sign_ins
     where token_hash = ${sha256(token)} and site_id = ${site_id} and expires_at > clock_timestamp()
    returning user_id`
  return spent !== undefined
}
