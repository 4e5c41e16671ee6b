import { type Static, Type } from 'typebox'
import { one, type Tx, violates } from '#foundation/database/database.ts'
import { badRequest, notFound } from '#foundation/errors.ts'
import { Nullable, OneOf } from '#foundation/http/schemas.ts'
import type { Viewer } from '../access/access.ts'
import { lockForEdit } from '../channels/change.ts'
import type { Learning } from '../learning.ts'
import { text } from '../values.ts'
import { applyPatch, isUnchanged } from './apply.ts'
import type { Target } from '../finding.ts'
import { columns, type Suggestion, SUGGESTION_STATUSES, type SuggestionStatus } from './suggestion.ts'

export const Review = Type.Object({
  status: Type.Optional(Nullable(OneOf([...SUGGESTION_STATUSES]))),
  review_note: Type.Optional(Nullable(Type.String({ maxLength: 2_000 }))),
  apply: Type.Optional(Nullable(Type.Boolean())),
})
export type Review = Static<typeof Review>

/** The status changes an ADMIN may make; keeping the status is always allowed. Only the service sets `expired`. */
const MOVES: Record<SuggestionStatus, SuggestionStatus[]> = {
  pending: ['approved', 'rejected'],
  approved: ['applied', 'rejected'],
  rejected: ['pending'],
  applied: [],
  expired: [],
}

type Current = {
  status: SuggestionStatus
  kind: string
  channel_id: string
  target_type: Target['type']
  target_id: string
  target_stamp: string
  patch: object | null
}

/**
 * Reviews a suggestion and applies its patch in one transaction. 404 when it is unknown or its channel is deleted; 400
 * for a move that is not allowed, `apply` without a patch, and a target that has changed since.
 */
export async function reviewSuggestion(
  learning: Learning,
  viewer: Viewer,
  id: string,
  { status: wanted, review_note, apply }: Review,
): Promise<Suggestion> {
  if (wanted === undefined && review_note === undefined && apply === undefined)
    throw badRequest('nothing_to_change', 'The body has no field that can be changed')
  if (wanted === 'expired') throw badRequest('illegal_transition', 'Suggestions expire by themselves only')
  if (apply && wanted !== 'approved')
    throw badRequest('illegal_transition', 'apply goes with the status approved')
  const { tenant_id } = viewer
  try {
    return await learning.db.transaction(async (tx) => {
      const current = await lock(tx, tenant_id, id)
      const move = apply ? 'applied' : (wanted ?? current.status)
      requireMove(current.status, move, Boolean(apply))
      const isApplying = move === 'applied' && current.status !== 'applied'
      if (isApplying && (apply || current.patch !== null)) await perform(learning, tx, viewer, current)
      return save(tx, viewer, id, move, review_note)
    })
  } catch (error) {
    if (violates(error, 'suggestions_open'))
      throw badRequest('already_open', 'The same suggestion has been made again and is open')
    throw error
  }
}

async function lock(tx: Tx, tenant_id: string, id: string): Promise<Current> {
  const [current] = await tx<Current[]>`
    select s.status, s.kind, s.channel_id, s.target_type, s.target_id, s.target_stamp, s.patch
      from learning.suggestions s
      join learning.channels c on c.tenant_id = s.tenant_id and c.id = s.channel_id and c.deleted_at is null
     where s.tenant_id = ${tenant_id} and s.id = ${id}
       for update of s`
  if (!current) throw notFound()
  return current
}

function requireMove(from: SuggestionStatus, to: SuggestionStatus, isApplied: boolean) {
  const allowed = isApplied
    ? from === 'pending' || from === 'approved'
    : from === to || MOVES[from].includes(to)
  if (!allowed) throw badRequest('illegal_transition', `A suggestion that is ${from} cannot become ${to}`)
}

async function perform(learning: Learning, tx: Tx, viewer: Viewer, current: Current) {
  const { kind, channel_id, target_type, target_id, target_stamp, patch } = current
  if (patch === null) throw badRequest('nothing_to_apply', 'The suggestion has no patch to apply')
  const target = { type: target_type, id: target_id }
  // Checked under the lock of the channel, or a concurrent change would be missed.
  await lockForEdit(tx, viewer, channel_id)
  if (!(await isUnchanged(tx, viewer.tenant_id, { ...target, kind }, target_stamp)))
    throw badRequest('target_changed', 'The target has changed since, run the agent again')
  await applyPatch(learning, tx, viewer, { target, channel_id, patch })
}

async function save(
  tx: Tx,
  { tenant_id, user_id }: Viewer,
  id: string,
  status: SuggestionStatus,
  note: string | null | undefined,
): Promise<Suggestion> {
  return one(
    await tx<Suggestion[]>`
      update learning.suggestions s
         set status = ${status}, reviewed_by = ${user_id}, reviewed_at = clock_timestamp(), updated_at = clock_timestamp(),
             review_note = ${note === undefined ? tx`s.review_note` : text(note ?? '')}
       where s.tenant_id = ${tenant_id} and s.id = ${id}
      returning ${columns(tx)}`,
  )
}
