import { type Static, Type } from 'typebox'
import type { Tx } from '#foundation/database/database.ts'
import { Nullable, OneOf, Typed } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import type { Person, SeenSite } from '../../core/access/access.ts'
import type { Origin } from '../../core/parts.ts'
import { ChangedTexts, PROFILE_FIELDS } from '../../core/profile.ts'
import { EXTERNAL_ID, isReleased, profileFaults } from '../person/fields.ts'
import { endSessions, type Revocation } from '../sessions/sessions.ts'
import { deleteChallenges } from '../sessions/waiting.ts'

export type UserPatch = Static<typeof UserPatch>
export const UserPatch = Type.Object({
  email: Type.Optional(Typed()),
  ...ChangedTexts,
  metadata: Type.Optional(Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })),
  status: Type.Optional(OneOf(['active', 'suspended'])),
  external_id: Type.Optional(Nullable(EXTERNAL_ID)),
  member_status: Type.Optional(OneOf(['active', 'suspended'])),
  version: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Replaces a fresh proof for a person without a second factor who changes their address, name or number. */
  current_password: Type.Optional(Type.String()),
})

/** The fields in the person's row; the others belong to a membership. */
export const ACCOUNT = ['email', ...PROFILE_FIELDS, 'metadata', 'status'] as const

/** The fields that belong to the person rather than to one site. */
export const OF_PERSON = ['email', 'username', 'phone', 'metadata'] as const

export type Change = {
  caller: Caller
  user_id: string
  patch: UserPatch
  site: SeenSite
  person: Person
  is_self: boolean
  locked: string[]
  from: Origin
}

/** Cleared fields are not validated. metadata is validated after the merge. */
export function faultsOf(patch: UserPatch) {
  const { email, metadata: _, ...texts } = patch
  return profileFaults({ ...texts, email: email !== undefined && isReleased(email) ? undefined : email })
}

/** Ends sessions and pending sign-ins of the person. */
export async function endOf(
  tx: Tx,
  { user_id, caller, from }: Change,
  scope: Revocation['scope'],
  reason: Revocation['reason'],
) {
  await deleteChallenges(tx, user_id)
  await endSessions(tx, { user_id, scope, reason, always_bump: true, caller, from })
}
