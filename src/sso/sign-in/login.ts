import { type Static, Type } from 'typebox'
import { type Database, one, type Tx } from '#foundation/database.ts'
import { ApiError } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { randomToken, sha256 } from '#foundation/secrets.ts'
import type { Site } from '#foundation/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { recordAct } from '../audit.ts'
import type { Origin, SsoParts } from '../parts.ts'
import { userColumns, type UserRow } from '../users/users.ts'
import { type Membership, type OpenSession, REFRESH_SECONDS, refused } from './answer.ts'

export type LoginBody = Static<typeof LoginBody>
export const LoginBody = Type.Object({
  email: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  password: Type.String(),
  device_name: Type.Optional(Type.String({ maxLength: 100 })),
})

export type SignIn = { user: UserRow; member: Membership; session: OpenSession; refresh_token: string }

/**
 * Opens a session for the person whose password it is; the first sign-in at a site makes them a member of it.
 * Exactly one hash, whoever is asked for. 401 invalid_credentials (the same for unknown, wrong and no password), 401
 * account_suspended only after the right password, 503 when the queue of hashes is full.
 */
export async function login(parts: SsoParts, site: Site, body: LoginBody, from: Origin): Promise<SignIn> {
  const { database, passwords } = parts
  const account = await findAccount(database, site, body)
  const isRight = await passwords.verifyPassword(account?.password_hash, body.password)
  if (!account?.password_hash || !isRight) {
    await noteFailure(database, site, account?.user_id ?? null, from)
    throw wrongCredentials()
  }
  if (account.status !== 'active') throw suspended()
  const { user_id, password_hash } = account
  const fresh_hash = passwords.needsRehash(password_hash) ? await passwords.hashPassword(body.password) : null
  const refresh_token = randomToken('rt_')
  return database.transaction(async (tx) => {
    const user = await admitUser(tx, user_id, password_hash, fresh_hash)
    const { session_id, auth_time, ...member } = await openSession(tx, site, user_id, {
      token_hash: sha256(refresh_token),
      device_name: body.device_name ?? null,
      from,
    })
    await recordAct(
      tx,
      {
        action: 'login.succeeded',
        environment: site.environment,
        site_id: site.site_id,
        actor_user_id: user_id,
        subject_user_id: user_id,
        details: { session_id, auth_methods: PASSWORD_ONLY },
      },
      from,
    )
    return { user, member, session: { session_id, auth_time, auth_methods: PASSWORD_ONLY }, refresh_token }
  })
}

const PASSWORD_ONLY = ['pwd']

type Account = { user_id: string; password_hash: string | null; status: 'active' | 'suspended' }

async function findAccount(
  { fast }: Database,
  { environment }: Site,
  { email, username }: LoginBody,
): Promise<Account | undefined> {
  if (email === undefined && username === undefined)
    throw new ApiError(400, 'missing_field', 'email: is required', {
      errors: [{ field: 'email', code: 'required', message: 'is required' }],
    })
  const [account] =
    email === undefined
      ? await fast<Account[]>`
          select user_id, password_hash, status from sso.users
           where environment = ${environment} and username_fold = ${(username ?? '').toLowerCase()}
             and status <> 'deleted'`
      : await fast<Account[]>`
          select user_id, password_hash, status from sso.users
           where environment = ${environment} and email_fold = ${foldEmail(email)} and status <> 'deleted'`
  return account
}

/** L1: the lock on the person. The password that was verified must still be theirs, and the account active. */
async function admitUser(
  tx: Tx,
  user_id: string,
  verified: string,
  fresh_hash: string | null,
): Promise<UserRow> {
  const [user] = await tx<UserRow[]>`
    update sso.users u
       set last_login_at = clock_timestamp(), password_hash = coalesce(${fresh_hash}, password_hash)
     where u.user_id = ${user_id} and u.status = 'active' and u.password_hash = ${verified}
    returning ${userColumns(tx)}`
  if (!user) throw wrongCredentials()
  return user
}

type Opening = { token_hash: Buffer; device_name: string | null; from: Origin }
type Opened = Membership & { session_id: string; auth_time: string }

/**
 * L2 and L3, a new statement and hence a fresh snapshot after the lock: the membership as it is or a new one (nobody
 * else can add it meanwhile, that takes the same lock), the session, its first refresh token.
 */
async function openSession(tx: Tx, site: Site, user_id: string, { token_hash, device_name, from }: Opening) {
  const session_id = newId()
  const rows = await tx<(Opened & { is_suspended: boolean })[]>`
    with known as (
      select role, external_id, suspended_at is not null as is_suspended from sso.memberships
       where user_id = ${user_id} and site_id = ${site.site_id}),
    joined as (
      insert into sso.memberships (user_id, site_id, role)
      select ${user_id}, site_id, role from sso.roles
       where site_id = ${site.site_id} and is_default and not exists (select from known)
      returning role, external_id, false as is_suspended),
    member as (
      select role, external_id, is_suspended from known union all select role, external_id, is_suspended from joined),
    session as (
      insert into sso.sessions (session_id, login_id, user_id, site_id, auth_methods, ip_address, user_agent,
                                device_name, expires_at)
      select ${session_id}, ${newId()}, ${user_id}, ${site.site_id}, ${PASSWORD_ONLY}, ${from.ip_address},
             ${from.user_agent}, ${device_name}, clock_timestamp() + make_interval(secs => ${REFRESH_SECONDS})
        from member where not is_suspended
      returning session_id, auth_time, expires_at),
    token as (
      insert into sso.refresh_tokens (token_hash, session_id, generation, expires_at)
      select ${token_hash}, session_id, 1, expires_at from session)
    select member.role, r.permissions, member.external_id, member.is_suspended, i.token_signing, i.hs_generation,
           session.session_id, session.auth_time
      from member
      join sso.roles r on r.site_id = ${site.site_id} and r.role = member.role
      join sso.sites i on i.site_id = r.site_id
      left join session on true`
  const { is_suspended, ...opened } = one(rows)
  if (is_suspended) throw suspended()
  return opened
}

async function noteFailure({ pool }: Database, site: Site, subject_user_id: string | null, from: Origin) {
  const { environment, site_id } = site
  await recordAct(
    pool,
    { action: 'login.failed', environment, site_id, actor_user_id: null, subject_user_id },
    from,
  )
}

const wrongCredentials = () => refused('invalid_credentials', 'E-mail address or password is wrong')
const suspended = () => refused('account_suspended', 'This account is suspended')
