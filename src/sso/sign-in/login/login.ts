import { type Static, Type } from 'typebox'
import { Typed } from '#foundation/http/schemas.ts'
import type { Database, Tx } from '#foundation/database/database.ts'
import { ApiError, missingField } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { byNobody, byOneself, recordAct } from '../../core/audit/audit.ts'
import { completeOrAsk, type ConsentAsked } from '../completing/ask-consent.ts'
import { grantByPassword } from '../consent/consents.ts'
import type { Purpose } from '../consent/purpose.ts'
import { methodsOf, openChallenge, type SecondFactorAsked } from '../factors/challenges.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { suspended } from '../../people/sessions/open-session.ts'
import { userColumns, type UserRow } from '../../people/person/users.ts'
import { refused } from '../../people/sessions/answer.ts'
import { completeUnlessFactor, type SignIn } from '../completing/complete.ts'
import { tellNewDevice } from '../completing/new-device.ts'

export type LoginBody = Static<typeof LoginBody>
export const LoginBody = Type.Object({
  email: Type.Optional(Typed()),
  username: Type.Optional(Typed()),
  password: Type.String(),
  device_name: Type.Optional(Type.String({ maxLength: 100 })),
})

const PASSWORD_ONLY = ['pwd']

/**
 * Signs in by password, or asks for the second factor; the first sign-in at a site creates the membership. Computes
 * exactly one hash in every case. 401 invalid_credentials (unknown, wrong or no password), account_suspended only after
 * the right password; 429 too_many_attempts; 503 if the hash queue is full. Refusals leave at a fixed time.
 */
export async function login(
  parts: SsoParts,
  site: Site,
  body: LoginBody,
  from: Origin,
): Promise<SignIn | SecondFactorAsked> {
  const result = await loginOnPage(parts, site, body, { from, purpose: undefined })
  if ('consent_token' in result) throw new Error('a server that has the password was asked for consent')
  return result
}

/** As login, for our own pages, which ask for consent before a partner's site learns anything. */
export async function loginOnPage(
  parts: SsoParts,
  site: Site,
  body: LoginBody,
  { from, purpose }: { from: Origin; purpose: Purpose | undefined },
): Promise<SignIn | SecondFactorAsked | ConsentAsked> {
  return parts.passwords.refuseInTime(from.ip_address, async () => {
    const account = await verifyCredentials(parts, site, body, from)
    try {
      return await enter(parts, site, account, { body, from, purpose })
    } catch (error) {
      if (error instanceof ApiError && error.code === 'account_suspended')
        await recordFailure(parts, site, account, { from, reason: error.code })
      throw error
    }
  })
}

/** Runs after the right password, in one transaction. Returns the session, or the challenge for the second factor. */
async function enter(
  parts: SsoParts,
  site: Site,
  { user_id, password_hash, status }: Account & { password_hash: string },
  { body, from, purpose }: { body: LoginBody; from: Origin; purpose: Purpose | undefined },
): Promise<SignIn | SecondFactorAsked | ConsentAsked> {
  const { database, passwords } = parts
  if (status !== 'active') throw suspended()
  const fresh_hash = passwords.needsRehash(password_hash) ? await passwords.hashPassword(body.password) : null
  const sign_in = {
    auth_methods: PASSWORD_ONLY,
    device_name: body.device_name ?? null,
    login_id: newId(),
    openid_scope: purpose?.openid_scope,
  }
  return database.transaction(async (tx) => {
    const admitted = admitUser(tx, site, user_id, password_hash)
    const opening = { ...sign_in, proven_methods: PASSWORD_ONLY, from }
    const complete = purpose?.needs
      ? undefined
      : await completeUnlessFactor(tx, site, user_id, opening, admitted)
    const user = await admitted
    if (fresh_hash !== null)
      await tx`update sso.users set password_hash = ${fresh_hash} where user_id = ${user_id}`
    if (complete && !purpose && !site.is_first_party) await grantByPassword(tx, site, user_id, from)
    if (complete) return tellNewDevice(tx, parts, site, complete)
    const methods = await methodsOf(tx, user_id)
    const asked =
      purpose?.needs && methods.length === 0
        ? await completeOrAsk(tx, site, user, opening, purpose)
        : undefined
    if (asked) return 'session' in asked ? tellNewDevice(tx, parts, site, asked) : asked
    // A person who has not consented is unknown to the site: no actor, as after a wrong password.
    const who = (purpose?.needs ? byNobody : byOneself)(site, user_id)
    await recordAct(tx, { action: 'login.second_factor_asked', ...who }, from)
    return openChallenge(tx, site, { user_id, methods, ...sign_in })
  })
}

type Account = { user_id: string; password_hash: string | null; status: 'active' | 'suspended' }

/**
 * The account, if the password matches. The throttle counts guesses by the typed name, known or not: one count for
 * address and username would reveal that they belong together.
 */
async function verifyCredentials(parts: SsoParts, site: Site, body: LoginBody, from: Origin) {
  const { database, passwords, throttle } = parts
  const typed = body.email ?? body.username
  if (typed === undefined) throw missingField('email')
  const { environment } = site
  const guess = { kind: 'password', environment, email: typed, client_ip: from.ip_address } as const
  return throttle.guard(guess, async () => {
    const account = await findAccount(database, site, body)
    const isRight = await passwords.verifyPassword(account?.password_hash, body.password)
    if (account?.password_hash && isRight) return { ...account, password_hash: account.password_hash }
    await recordFailure(parts, site, account, { from })
    throw wrongCredentials()
  })
}

async function findAccount(
  { fast }: Database,
  { environment }: Site,
  { email, username = '' }: LoginBody,
): Promise<Account | undefined> {
  const [account] =
    email === undefined
      ? await fast<Account[]>`
          select user_id, password_hash, status from sso.users
           where environment = ${environment} and username_fold = ${username.toLowerCase()}
             and status <> 'deleted'`
      : await fast<Account[]>`
          select user_id, password_hash, status from sso.users
           where environment = ${environment} and email_fold = ${foldEmail(email)} and status <> 'deleted'`
  return account
}

const recordFailure = (
  { database }: SsoParts,
  site: Site,
  account: Account | undefined,
  { from, ...details }: { from: Origin; reason?: string },
) =>
  recordAct(
    database.pool,
    { action: 'login.failed', ...byNobody(site, account?.user_id ?? null), details },
    from,
  )

/** Locks the person. Their password must still be the verified one, and the account active. */
async function admitUser(tx: Tx, site: Site, user_id: string, verified: string): Promise<UserRow> {
  const [user] = await tx<UserRow[]>`
    select ${userColumns(tx, site.tenant_id)} from sso.users u
     where u.user_id = ${user_id} and u.status = 'active' and u.password_hash = ${verified}
       for no key update of u`
  if (!user) throw wrongCredentials()
  return user
}

const wrongCredentials = () => refused('invalid_credentials', 'E-mail address or password is wrong')
