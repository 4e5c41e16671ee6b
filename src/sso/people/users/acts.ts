import { type Static, Type } from 'typebox'
import { ApiError, forbidden } from '#foundation/errors.ts'
import { Nullable, OneOf, Uuid } from '#foundation/http/schemas.ts'
import { holds } from '#foundation/security/powers.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { requireOwnSite, requirePerson } from '../../core/access/access.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { deleteSessionsOf } from '../sessions/sessions.ts'
import { updateUser } from './update.ts'

/** People of one call. Each is a transaction of their own, one after the other. */
const MAX_PEOPLE = 100

export type PeopleAct = Static<typeof PeopleAct>
export const PeopleAct = Type.Object({
  act: OneOf(['suspend', 'end_sessions']),
  user_ids: Type.Array(Uuid, { minItems: 1, maxItems: MAX_PEOPLE, uniqueItems: true }),
  /** Suspends at this site only; by default the account, which must be the caller's alone. */
  site_code: Type.Optional(Type.String()),
})

export const PeopleResults = Type.Object({
  items: Type.Array(
    Type.Object({
      user_id: Uuid,
      /** Null where the person is as asked now, also when they were before. */
      code: Nullable(Type.String()),
      detail: Nullable(Type.String()),
    }),
  ),
})

/**
 * Suspends people or ends their sessions, with a result for each in the order asked: a refusal touches nobody else.
 * 403 person_required, insufficient_scope, admin_required; 404 for a site the caller may not see.
 */
export async function actOnPeople(
  parts: SsoParts,
  caller: Caller,
  { act, user_ids, site_code }: PeopleAct,
  from: Origin,
): Promise<Static<typeof PeopleResults>> {
  requirePerson(caller)
  if (act === 'end_sessions' && !holds(caller, 'sessions:revoke'))
    throw forbidden('insufficient_scope', 'Ending sessions of others needs the permission sessions:revoke')
  if (site_code !== undefined) await requireOwnSite(parts.database.fast, caller, site_code)
  const patch =
    site_code === undefined ? ({ status: 'suspended' } as const) : ({ member_status: 'suspended' } as const)
  const actOn = (user_id: string) =>
    act === 'suspend'
      ? updateUser(parts, caller, user_id, { patch, site_code, if_match: undefined }, from)
      : deleteSessionsOf(parts, caller, user_id, from)
  const items = []
  for (const user_id of user_ids) items.push({ user_id, ...(await refusalOf(caller, user_id, actOn)) })
  return { items }
}

/** Nobody locks themselves out by a row too many. */
async function refusalOf(caller: Caller, user_id: string, actOn: (user_id: string) => Promise<unknown>) {
  try {
    if (user_id === caller.user_id) throw forbidden('oneself', 'This is your own account')
    await actOn(user_id)
    return { code: null, detail: null }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return { code: error.code, detail: error.detail }
  }
}
