import { type Static, Type } from 'typebox'
import { Typed } from '#foundation/http/schemas.ts'
import type { Tx } from '#foundation/database/database.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { recordAct } from '../../core/audit/audit.ts'
import { toldTo } from '../../core/told/told.ts'
import { billRegistration } from '../../core/ledger.ts'
import { queueInvitation, queueVerification } from '../letters/letters.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { unknownRole } from '../roles/roles.ts'
import { recordFacts } from '../../events/facts/facts.ts'
import { roleAssigned, userCreated } from '../../events/facts/telling.ts'
import { requireMayAssign, requireOwnSite, type SeenSite, sitesOfAdmin } from '../../core/access/access.ts'
import { EXTERNAL_ID, ProfileBody, profileFaults, refuseFaults } from '../person/fields.ts'
import { insertUser, isKnownTo, orTaken } from '../person/insert.ts'
import { namesOf, PasswordBody, passwordFaults } from '../person/password-rules.ts'
import type { User } from '../person/users.ts'

export type NewUser = Static<typeof NewUser>
export const NewUser = Type.Object({
  email: Typed(),
  password: Type.Optional(PasswordBody),
  ...ProfileBody,
  avatar_url: Type.Optional(Type.String()),
  role: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  external_id: Type.Optional(EXTERNAL_ID),
  site_code: Type.Optional(Type.String()),
})

/**
 * An ADMIN creates an account and its membership at their site. Without a password the person gets an invitation,
 * otherwise a verification link. 403 not ADMIN, 404 unknown site, 409 email_taken, username_taken, external_id_taken,
 * 422 invalid field, password or role, 503 when hashing is overloaded.
 */
export async function createUser(
  parts: SsoParts,
  caller: Caller,
  body: NewUser,
  from: Origin,
): Promise<User> {
  const { password, role, external_id = null, site_code, ...profile } = body
  const owner = { email: profile.email, site_id: caller.site_id, names: namesOf(profile) }
  const faults = password === undefined ? [] : await passwordFaults(parts.database, password, owner)
  refuseFaults([...profileFaults(profile), ...faults])
  const site = await requireOwnSite(parts.database.fast, caller, site_code)
  if (role !== undefined) requireMayAssign(caller)
  const password_hash = password === undefined ? null : await parts.passwords.hashPassword(password)
  const create = () =>
    parts.database.transaction(async (tx) => {
      const user = await insertUser(tx, site, { ...profile, password_hash, source: 'admin' })
      const member = await join(tx, caller, user.user_id, site, role, external_id)
      const letter = { user, site }
      if (password_hash === null) await queueInvitation(tx, parts, letter)
      else await queueVerification(tx, parts, letter)
      const assignment = { user_id: user.user_id, assigned_by: caller.user_id, ...member }
      // Every account gets the default role, so only a requested role counts as role.assigned.
      const granted = role === undefined ? [] : [roleAssigned(site, assignment)]
      await recordFacts(tx, [userCreated(site, user), ...granted])
      await recordAct(
        tx,
        {
          action: 'user.created',
          environment: site.environment,
          site_id: site.site_id,
          actor_user_id: caller.user_id,
          subject_user_id: user.user_id,
          details: { role: member.role },
        },
        from,
      )
      await billRegistration(tx, parts, { user_id: user.user_id, site_id: site.site_id, email: user.email })
      const roles = [{ site_code: site.site_code, role: member.role }]
      return { ...user, external_id, member_status: 'active' as const, roles }
    })
  return parts.told.counted(
    toldTo.admin(caller, site),
    () => orTaken(create),
    () => isKnownTo(parts.database.fast, (sql) => sitesOfAdmin(sql, caller), site, profile.email),
  )
}

type Joined = { role: string; permissions: string[]; assigned_at: string }

/** Adds the membership with the requested or default role, if the caller is still ADMIN there. 422 unknown role. */
async function join(
  tx: Tx,
  caller: Caller,
  user_id: string,
  { site_id }: SeenSite,
  role: string | undefined,
  external_id: string | null,
): Promise<Joined> {
  const [member] = await tx<Joined[]>`
    with given as (
      select r.site_id, r.role, r.permissions from sso.roles r
       where r.site_id = ${site_id} and r.site_id in (${sitesOfAdmin(tx, caller)})
         and ${role === undefined ? tx`r.is_default` : tx`r.role = ${role}`}),
    joined as (
      insert into sso.memberships (user_id, site_id, role, external_id, assigned_by)
      select ${user_id}, site_id, role, ${external_id}, ${caller.user_id} from given
      returning role, assigned_at)
    select role, permissions, assigned_at from joined join given using (role)`
  if (!member) throw unknownRole()
  return member
}
