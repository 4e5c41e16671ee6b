import { one, type Tx, violates } from '#foundation/database/database.ts'
import { conflict, forbidden } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { byNobody, byOneself, recordAct } from '../../core/audit/audit.ts'
import { type ConsentAsked, isAllowed } from '../../sign-in/completing/ask-consent.ts'
import { grantByOrganisation } from '../../sign-in/consent/consents.ts'
import { keepProven } from '../../sign-in/consent/proven.ts'
import type { Purpose } from '../../sign-in/consent/purpose.ts'
import { methodsOf, openChallenge, type SecondFactorAsked } from '../../sign-in/factors/challenges.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { suspended } from '../../people/sessions/open-session.ts'
import { toldTo } from '../../core/told/told.ts'
import { billRegistration } from '../../core/ledger.ts'
import { completeUnlessFactor, type SignIn } from '../../sign-in/completing/complete.ts'
import { tellNewDevice } from '../../sign-in/completing/new-device.ts'
import { isEmail } from '../../people/person/fields.ts'
import { insertUser } from '../../people/person/insert.ts'
import { claimEmails, domainOf } from '../../people/person/email-claims.ts'
import { lockActiveUser, userColumns, type UserRow } from '../../people/person/users.ts'
import { recordFact } from '../../events/facts/facts.ts'
import { userCreated } from '../../events/facts/telling.ts'
import { ssoFailed } from './faults.ts'
import { isName, type Proof, readProof, roleOf, type Told } from './proof.ts'
import type { Provider } from './provider.ts'
import { compareRoles, giveRole } from '../../people/roles/provider-roles.ts'

/** Ends an attempt of a sign-in whose identity another one has made meanwhile; the next attempt finds it. */
const OVERTAKEN = new Error('a parallel sign-in was faster')

/** `amr` of an enterprise sign-in. Which methods the provider used is not recorded. */
const AUTH_METHODS = ['sso']

/**
 * Signs in a person proven by the provider; the first time it links or creates their account. Asks for a second factor
 * of ours as after a password, and for consent unless the site's tenant made the account. 401 sso_failed without an
 * address, 401 account_suspended, 403 connection_disabled, 409 account_exists.
 */
export async function admit(
  parts: SsoParts,
  site: Site,
  proven: ProvenAt,
  { from, purpose }: Visiting,
): Promise<SignIn | SecondFactorAsked | ConsentAsked> {
  const { proof } = proven
  if (!isName(proof.issuer, proof.subject, proof.idp_session))
    throw ssoFailed(new Error('the provider names the person by what is no name'))
  for (let attempt = 1; ; attempt++) {
    try {
      return await parts.database.transaction(async (tx) => {
        const { user, is_new, sign_in } = await admitOnce(tx, parts, site, proven, { from, purpose })
        if ('session' in sign_in) await tellNewDevice(tx, parts, site, sign_in)
        // Last, because every registration of the site waits for the same row.
        if (is_new) {
          const { user_id, email } = user
          await billRegistration(tx, parts, { user_id, site_id: site.site_id, email })
        }
        return sign_in
      })
    } catch (error) {
      // Two first sign-ins ran in parallel. The loser retries and finds what the other one created.
      const hasLost =
        error === OVERTAKEN || violates(error, 'identities_by_subject') || violates(error, 'users_by_email')
      if (!hasLost || attempt === 2) throw error
    }
  }
}

type Visiting = { from: Origin; purpose: Purpose }
type ProvenAt = { provider: Provider; proof: Proof }
type Admitted = { user: UserRow; is_new: boolean; sign_in: SignIn | SecondFactorAsked | ConsentAsked }

async function admitOnce(
  tx: Tx,
  parts: SsoParts,
  site: Site,
  { provider, proof }: ProvenAt,
  { from, purpose }: Visiting,
): Promise<Admitted> {
  const { connection_id } = provider
  await holdConnection(tx, connection_id)
  const wanted = roleOf(provider, proof)
  const known = await findIdentity(tx, connection_id, proof)
  const mayChange = wanted !== undefined && (await lockSiteForRole(tx, site, known?.user_id, wanted))
  const { user, identity_id, is_new } = known
    ? { user: await lockUser(tx, site, known.user_id), identity_id: known.identity_id, is_new: false }
    : await linkOrCreateUser(tx, parts, site, { provider, proof }, from)
  const { user_id } = user
  // Read again under the lock: a password reset may have removed the identity.
  if (known && (await findIdentity(tx, connection_id, proof))?.user_id !== user_id) throw ssoFailed()
  await grantByOrganisation(tx, site, user_id, from)
  const isPassing = await isAllowed(tx, site, user_id, purpose)
  if (mayChange && isPassing) await giveRole(tx, site, user_id, wanted, from)
  const login_id = newId()
  await rememberSignIn(tx, { login_id, identity_id, user_id, idp_session: proof.idp_session })
  // Read again: a changed role has raised session_version.
  const now = mayChange ? await lockUser(tx, site, user_id) : user
  const proven = { auth_methods: AUTH_METHODS, device_name: null, login_id, connection_id }
  const opening = { ...proven, from, openid_scope: purpose.openid_scope }
  const complete = isPassing && (await completeUnlessFactor(tx, site, user_id, opening, Promise.resolve(now)))
  if (complete) return { user, is_new, sign_in: complete }
  const methods = await methodsOf(tx, user_id)
  if (methods.length === 0 && !isPassing) {
    const waiting = { user_id, login_id, auth_methods: AUTH_METHODS, role: mayChange ? wanted : undefined }
    return { user, is_new, sign_in: { consent_token: await keepProven(tx, site, waiting) } }
  }
  const who = (isPassing ? byOneself : byNobody)(site, user_id)
  await recordAct(tx, { action: 'login.second_factor_asked', ...who, details: { connection_id } }, from)
  return { user, is_new, sign_in: await openChallenge(tx, site, { user_id, methods, ...proven }) }
}

/** Locks the connection. It may have been disabled or deleted while the visitor was at the provider. */
async function holdConnection(tx: Tx, connection_id: string): Promise<void> {
  const [held] = await tx`
    select from sso.connections c join sso.sites i using (site_id)
     where c.connection_id = ${connection_id} and c.status = 'active' and i.plan <> 'starter' and i.deleted_at is null
       for key share of c`
  if (!held) throw forbidden('connection_disabled', 'This connection is switched off')
}

type Identity = { identity_id: string; user_id: string }

async function findIdentity(
  tx: Tx,
  connection_id: string,
  { issuer, subject }: Proof,
): Promise<Identity | undefined> {
  const [identity] = await tx<Identity[]>`
    select identity_id, user_id from sso.identities
     where connection_id = ${connection_id} and issuer = ${issuer} and subject = ${subject}`
  return identity
}

/** Lock order: sites before people. The site is locked only if the role changes. */
async function lockSiteForRole(
  tx: Tx,
  site: Site,
  user_id: string | undefined,
  wanted: string | null,
): Promise<boolean> {
  const { before, next } = await compareRoles(tx, site, user_id, wanted)
  if (before?.role === next.role) return false
  await tx`select from sso.sites where site_id = ${site.site_id} for no key update`
  return true
}

async function lockUser(tx: Tx, site: Site, user_id: string): Promise<UserRow> {
  const user = await lockActiveUser(tx, site, user_id)
  if (!user) throw suspended()
  return user
}

/** The first sign-in of an identity: links an existing account if the rule allows it, otherwise creates one. */
async function linkOrCreateUser(
  tx: Tx,
  parts: SsoParts,
  site: Site,
  { provider, proof }: ProvenAt,
  from: Origin,
) {
  const { connection_id } = provider
  const told = readProof(proof, provider.attribute_mapping)
  const { email } = told
  if (email === undefined || !isEmail(email))
    throw ssoFailed(undefined, 'The identity provider names no e-mail address')
  const is_own_domain = await isVerifiedDomain(tx, connection_id, email)
  const is_verified = told.is_email_verified && is_own_domain
  // Whoever runs the provider may name any address, so that a refusal tells them whose has an account.
  const { user, known } = await parts.told.counted(is_own_domain ? [] : toldTo.site(site), async () => {
    const known = await findAccount(tx, site, connection_id, email)
    if (known && !(is_verified && known.is_proven)) {
      // The account may be that of a parallel first sign-in, which has ended since this one looked for the identity.
      throw (await findIdentity(tx, connection_id, proof)) ? OVERTAKEN : accountExists()
    }
    const user = known
      ? await lockUser(tx, site, known.user_id)
      : await createUser(tx, site, { connection_id, email, is_verified, profile: told.profile }, from)
    return { user, known }
  })
  const { user_id } = user
  const identity_id = newId()
  await tx`
    insert into sso.identities (identity_id, connection_id, issuer, subject, user_id)
    values (${identity_id}, ${connection_id}, ${proof.issuer}, ${proof.subject}, ${user_id})`
  if (known) {
    const details = { connection_id }
    await recordAct(tx, { action: 'identity.linked', ...byOneself(site, user_id), details }, from)
  }
  return { user, identity_id, is_new: known === undefined }
}

/**
 * Finds an existing account and locks it in the same statement. It is linked only if the domain is verified for the
 * connection, the provider vouches for the address, and we have proven the address ourselves or the connection's own
 * directory made the account, which nobody else can open then.
 */
async function findAccount(tx: Tx, { environment }: Site, connection_id: string, email: string) {
  const [account] = await tx<{ user_id: string; is_proven: boolean }[]>`
    select user_id, email_verified and email_proven_at is not null
             or password_hash is null and exists (
               select from sso.scim_users s
                where s.user_id = users.user_id and s.connection_id = ${connection_id} and s.is_created) as is_proven
      from sso.users
     where environment = ${environment} and email_fold = ${foldEmail(email)} and status <> 'deleted'
       for no key update`
  return account
}

async function isVerifiedDomain(tx: Tx, connection_id: string, email: string): Promise<boolean> {
  const [verified] = await tx`
    select from sso.connection_domains
     where connection_id = ${connection_id} and domain = ${domainOf(email)} and verified_at is not null`
  return verified !== undefined
}

type NewUser = Pick<Told, 'profile'> & { connection_id: string; email: string; is_verified: boolean }

/**
 * Just-in-time provisioning. A verified address is only the provider's word: a claim of its tenant, not a proof of
 * ours.
 */
async function createUser(
  tx: Tx,
  site: Site,
  { connection_id, email, is_verified, profile }: NewUser,
  from: Origin,
): Promise<UserRow> {
  const account = { ...profile, email, password_hash: null, source: 'sso_jit' } as const
  const { user_id } = await insertUser(tx, site, account)
  if (is_verified) {
    const claim = { user_id, email_fold: foldEmail(email), domain: domainOf(email) }
    await claimEmails(tx, site.tenant_id, [claim])
  }
  const user = one(
    await tx<UserRow[]>`
      select ${userColumns(tx, site.tenant_id)} from sso.users u where u.user_id = ${user_id}`,
  )
  await recordFact(tx, userCreated(site, user))
  const details = { connection_id }
  await recordAct(tx, { action: 'user.registered', ...byOneself(site, user_id), details }, from)
  return user
}

/**
 * Stores the sign-in, which a logout at the provider may name. Deletes those of the identity that are older than one
 * hour and have no live session: nothing needs them.
 */
async function rememberSignIn(
  tx: Tx,
  signIn: { login_id: string; identity_id: string; user_id: string; idp_session: string | null },
): Promise<void> {
  const { login_id, identity_id, user_id, idp_session } = signIn
  await tx`
    delete from sso.identity_sign_ins i
     where i.identity_id = ${identity_id} and i.created_at <= statement_timestamp() - interval '1 hour'
       and not exists (select from sso.sessions s
                        where s.user_id = ${user_id} and s.login_id = i.login_id and s.revoked_at is null)`
  await tx`
    with used as (
      update sso.identities set last_used_at = clock_timestamp() where identity_id = ${identity_id})
    insert into sso.identity_sign_ins (login_id, identity_id, idp_session)
    values (${login_id}, ${identity_id}, ${idp_session})`
}

const accountExists = () =>
  conflict(
    'account_exists',
    'There is an account with this e-mail address already, and it is not known to be yours. Sign in with its password',
  )
