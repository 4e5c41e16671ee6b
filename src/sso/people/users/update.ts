import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '#foundation/database/database.ts'
import { forbidden, notFound } from '#foundation/errors.ts'
import { requireFirstParty } from '#foundation/security/powers.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import {
  isOperator,
  lockPerson,
  type Person,
  requireSite,
  rightsOver,
  sitesOfAdmin,
} from '../../core/access/access.ts'
import { toldTo } from '../../core/told/told.ts'
import { recordAct } from '../../core/audit/audit.ts'
import { refuseStale } from '../../core/stale.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { PROFILE_FIELDS } from '../../core/profile.ts'
import { profileFaults, refuseFaults } from '../person/fields.ts'
import { isKnownTo, orTaken } from '../person/insert.ts'
import { tellProfileChanged } from '../person/tell.ts'
import { findUser, memberStatus, type User } from '../person/users.ts'
import { lockSitesOf, refuseLastAdmin } from '../roles/last-admin.ts'
import { requireFreshProof } from '../sessions/fresh-proof.ts'
import { mergePatch } from './merge-patch.ts'
import { changeAddressLater, moveAddress } from './move-address.ts'
import { ACCOUNT, type Change, endOf, faultsOf, OF_PERSON, type UserPatch } from './patch.ts'

type Asked = {
  patch: UserPatch
  /** The If-Match header. */
  if_match: string | undefined
  /** The site whose external_id and member_status are changed; by default the token's site. */
  site_code: string | undefined
}

/**
 * Applies a JSON merge patch to oneself, or as ADMIN to a membership or an exclusive person. One's own new address
 * waits for proof (email-change.ts); a no-op keeps the version. 403 user_shared, field_not_allowed, email_proven; own
 * account: first_party_required, reauthentication_required; 404; 409 version_conflict, email_taken, username_taken,
 * external_id_taken, last_admin; 422.
 */
export async function updateUser(
  parts: SsoParts,
  caller: Caller,
  user_id: string,
  { patch, if_match, site_code }: Asked,
  from: Origin,
): Promise<User> {
  if (user_id === caller.user_id && OF_PERSON.some((field) => patch[field] !== undefined))
    requireFirstParty(caller, parts.ssoUrl(), patch.email === undefined ? '/account' : '/account/email')
  refuseFaults(faultsOf(patch))
  if (user_id === caller.user_id) await requireProofToChange(parts, caller, patch, from)
  const site = await requireSite(parts.database.fast, caller, site_code)
  const suspends = patch.status === 'suspended' || patch.member_status === 'suspended'
  const is_named = patch.email !== undefined || patch.username !== undefined
  const is_self = user_id === caller.user_id
  const told = !is_named ? [] : is_self ? toldTo.oneself(user_id) : toldTo.admin(caller, site)
  const change = () =>
    parts.database.transaction(async (tx) => {
      const locked = suspends ? await lockSitesOf(tx, user_id) : []
      const { person, is_self, is_exclusive } = await lockPerson(tx, caller, user_id)
      refuseStale(person.version, { version: patch.version, if_match })
      const change = { caller, user_id, patch, site, person, is_self, locked, from }
      refuseForbidden(change, is_exclusive)
      refuseProven(change)
      const fields = [...(await changePerson(tx, parts, change)), ...(await changeMember(tx, change))]
      if (fields.length > 0) await finish(tx, change, fields)
      const user = await findUser(tx, caller, user_id, site.site_id)
      if (!user) throw notFound()
      return user
    })
  return parts.told.counted(
    told,
    () => orTaken(change),
    async () =>
      !is_self && isKnownTo(parts.database.fast, (sql) => sitesOfAdmin(sql, caller), site, patch.email ?? ''),
  )
}

/**
 * Identifiers and the destinations of links need a fresh proof: a stolen access token must not be enough to change
 * them.
 */
async function requireProofToChange(
  parts: SsoParts,
  caller: Caller,
  { email, username, phone, current_password }: UserPatch,
  from: Origin,
): Promise<void> {
  if ([email, username, phone].every((value) => value === undefined)) return
  const [known] = await parts.database.fast<Pick<Person, 'email_fold' | 'username' | 'phone'>[]>`
    select email_fold, username, phone from sso.users where user_id = ${caller.user_id}`
  const changes =
    (email !== undefined && foldEmail(email) !== known?.email_fold) ||
    (username !== undefined && username !== known?.username) ||
    (phone !== undefined && phone !== known?.phone)
  if (changes) await requireFreshProof(parts, caller, current_password, from)
}

function refuseForbidden({ patch, is_self, site }: Change, is_exclusive: boolean) {
  // People cannot set their own status: suspending is done by others, leaving is DELETE.
  if (is_self && patch.status !== undefined)
    throw forbidden('field_not_allowed', 'status: cannot be changed by oneself')
  const isMembership = patch.external_id !== undefined || patch.member_status !== undefined
  if (isMembership && !site.is_admin) throw notAdmin()
  const isAccount = ACCOUNT.some((field) => patch[field] !== undefined)
  if (isAccount && !is_self && !is_exclusive) throw shared()
}

/**
 * Owning the mailbox means owning the account. An ADMIN must not be able to take over an account by changing an address
 * its owner has proven.
 */
function refuseProven({ caller, patch: { email }, person, is_self }: Change) {
  const isMoved = email !== undefined && foldEmail(email) !== person.email_fold
  if (isMoved && !is_self && person.is_email_proven && !isOperator(caller))
    throw forbidden('email_proven', 'The person has proven this address: they or an operator may change it')
}

/** Writes the changed fields and their consequences. Returns the names of all changed fields. */
async function changePerson(tx: Tx, parts: SsoParts, change: Change): Promise<string[]> {
  const { caller, user_id, patch, person, is_self, locked } = change
  const { metadata } = patch
  // A client may send back the address it read, even one that could not be chosen.
  if (patch.email !== undefined && foldEmail(patch.email) !== person.email_fold)
    refuseFaults(profileFaults({ email: patch.email }))
  const waiting = is_self ? await changeAddressLater(tx, parts, change) : []
  // Only the ACCOUNT fields of the patch are used below.
  const next: Person = {
    ...person,
    ...patch,
    ...(waiting.length > 0 && { email: person.email }),
    metadata: metadata === null ? {} : (mergePatch(person.metadata, metadata ?? {}) as Person['metadata']),
  }
  refuseFaults(profileFaults({ metadata: next.metadata }))
  const changed = ACCOUNT.filter((field) => !isDeepStrictEqual(next[field], person[field]))
  if (changed.length === 0) return waiting
  const isSuspended = next.status === 'suspended' && person.status === 'active'
  if (isSuspended) await refuseLastAdmin(tx, { user_id, locked })
  const email_fold = foldEmail(next.email)
  const isMoved = email_fold !== person.email_fold
  const [written] = await tx`
    update sso.users u
       set email = ${next.email}, email_fold = ${email_fold},
           email_verified = u.email_verified and not ${isMoved}::boolean,
           email_proven_at = case when ${isMoved} then null else u.email_proven_at end,
           is_claimed = u.is_claimed and (${is_self} or not ${isMoved}::boolean),
           username_fold = ${next.username?.toLowerCase() ?? null},
           phone_verified = u.phone_verified and ${next.phone === person.phone}::boolean,
           ${PROFILE_FIELDS.map((name) => tx`${tx(name)} = ${next[name]},`)}
           metadata = ${tx.json(next.metadata as never)}, status = ${next.status}
     where u.user_id = ${user_id} and u.status <> 'deleted'
       and (${is_self} or (select is_exclusive from (${rightsOver(tx, caller, user_id)}) as rights))
    returning u.user_id`
  if (!written) throw shared()
  if (isMoved) await moveAddress(tx, parts, change, next.email)
  if (isSuspended) await endOf(tx, change, 'everywhere', 'user_suspended')
  return [...waiting, ...changed, ...(isMoved && person.email_verified ? ['email_verified'] : [])]
}

async function changeMember(tx: Tx, change: Change): Promise<string[]> {
  const { caller, user_id, patch, site, locked } = change
  const { site_id } = site
  if (patch.external_id === undefined && patch.member_status === undefined) return []
  const [before] = await tx<{ external_id: string | null; member_status: 'active' | 'suspended' }[]>`
    select external_id, ${memberStatus(tx)} as member_status from sso.memberships
     where user_id = ${user_id} and site_id = ${site_id}`
  if (!before) throw notFound()
  const { external_id = before.external_id, member_status = before.member_status } = patch
  const isSuspended = member_status === 'suspended' && before.member_status === 'active'
  if (isSuspended) await refuseLastAdmin(tx, { user_id, locked, site_ids: [site_id] })
  const [written] = await tx`
    update sso.memberships
       set external_id = ${external_id},
           suspended_at = case when ${member_status} = 'suspended' then coalesce(suspended_at, clock_timestamp()) end
     where user_id = ${user_id} and site_id = ${site_id} and site_id in (${sitesOfAdmin(tx, caller)})
    returning user_id`
  if (!written) throw notAdmin()
  if (isSuspended) await endOf(tx, change, { site_ids: [site_id] }, 'member_removed')
  return [
    ...(external_id === before.external_id ? [] : ['external_id']),
    ...(member_status === before.member_status ? [] : ['member_status']),
  ]
}

async function finish(tx: Tx, { caller, user_id, patch, site, person, from }: Change, fields: string[]) {
  await tx`
    update sso.users set version = version + 1, updated_at = clock_timestamp()
     where user_id = ${user_id} and status <> 'deleted'`
  await tellProfileChanged(tx, user_id, fields)
  const told = [
    patch.status && { status: patch.status },
    patch.member_status && { member_status: patch.member_status },
  ]
  await recordAct(
    tx,
    {
      action: 'user.updated',
      environment: person.environment,
      site_id: site.site_id,
      actor_user_id: caller.user_id,
      subject_user_id: user_id,
      // Field names only, never values: the log outlives an erasure.
      details: Object.assign({ fields }, ...told),
    },
    from,
  )
}

const shared = () =>
  forbidden(
    'user_shared',
    'This account is not yours alone to change: only its membership, by external_id, member_status and role',
  )
const notAdmin = () =>
  forbidden('field_not_allowed', 'external_id and member_status: are changed by an ADMIN of the site')
