import { Type } from 'typebox'
import { afterCommit, type Tx } from '#foundation/database/database.ts'
import type { App } from '#foundation/http/http.ts'
import { CursorPageOf } from '#foundation/http/paging.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import type { Identity } from '#foundation/security/session-gate.ts'
import { type Actor, requireRole } from '../access.ts'
import { answerOnce } from '../idempotency.ts'
import { actorOf } from '../identify.ts'
import { changeRole, leaveCollection, removeMember, type RoleChange } from './change.ts'
import { findInvitees, Invitee, inviteMember } from './invite.ts'
import { listMembers, MembersQuery } from './list.ts'
import { Member, RoleWord } from './member.ts'

const CollectionId = Type.Object({ id: Uuid })
const MemberId = Type.Object({ id: Uuid, user_id: Uuid })
const Invitation = Type.Object({ user_id: Uuid, role: RoleWord }, { additionalProperties: false })
const InviteesQuery = Type.Object(
  { name: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })) },
  { additionalProperties: false },
)
const NewRole = Type.Object({ role: RoleWord }, { additionalProperties: false })

export function memberRoutes(app: App, { database: db, config }: ServiceParts, identity: Identity) {
  const inviters = config.COLLECTIONS_INVITE_ROLE
  const tell = (actor: Actor, collection_id: string, user_id: string, change: RoleChange) =>
    actor.note?.('membership_changed', { collection_id, user_id, ...change })

  app.get(
    '/api/collections/:id/members',
    {
      config: { auth: 'user', permission: 'collections:use', conditional: true },
      schema: {
        params: CollectionId,
        querystring: MembersQuery,
        response: { 200: CursorPageOf(Type.Partial(Member)), 304: NoContent },
      },
    },
    async (request) => listMembers({ db, identity }, actorOf(request), request.params.id, request.query),
  )
  app.post(
    '/api/collections/:id/members',
    {
      config: { auth: 'user', permission: 'collections:use' },
      schema: { params: CollectionId, body: Invitation, response: { 200: Member, 201: Member } },
    },
    async (request, reply) => {
      const [actor, { id }] = [actorOf(request), request.params]
      const work = async (tx: Tx) => {
        const { member, is_new } = await inviteMember(tx, { identity, inviters }, actor, id, request.body)
        if (is_new)
          afterCommit(tx, () =>
            tell(actor, id, member.user_id, { old_role: null, new_role: member.direct_role }),
          )
        return { status: is_new ? 201 : 200, body: member }
      }
      return answerOnce(db, request, reply, work, { mayReplay: (tx) => requireRole(tx, actor, id, inviters) })
    },
  )
  app.get(
    '/api/collections/:id/invitees',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true },
      schema: {
        params: CollectionId,
        querystring: InviteesQuery,
        response: { 200: Type.Object({ items: Type.Array(Invitee) }) },
      },
    },
    async (request) => {
      const sent = { collection_id: request.params.id, name: request.query.name }
      return { items: await findInvitees(db.fast, { identity, inviters }, actorOf(request), sent) }
    },
  )
  for (const method of ['PATCH', 'PUT'] as const)
    app.route({
      method,
      url: '/api/collections/:id/members/:user_id',
      config: { auth: 'user', permission: 'collections:use', operational: method === 'PUT' },
      schema: { params: MemberId, body: NewRole, response: { 200: Member } },
      handler: async (request) => {
        const [actor, { id, user_id }] = [actorOf(request), request.params]
        const { member, change } = await db.transaction((tx) =>
          changeRole(tx, identity, actor, id, { user_id, role: request.body.role }),
        )
        tell(actor, id, user_id, change)
        return member
      },
    })
  app.delete(
    '/api/collections/:id/members/:user_id',
    {
      config: { auth: 'user', permission: 'collections:use' },
      schema: { params: MemberId, response: { 204: NoContent } },
    },
    async (request, reply) => {
      const [actor, { id, user_id }] = [actorOf(request), request.params]
      tell(actor, id, user_id, await db.transaction((tx) => removeMember(tx, actor, id, user_id)))
      return reply.code(204).send()
    },
  )
  app.post(
    '/api/collections/:id/leave',
    {
      config: { auth: 'user', permission: 'collections:use', operational: true },
      schema: { params: CollectionId, response: { 204: NoContent } },
    },
    async (request, reply) => {
      const [actor, { id }] = [actorOf(request), request.params]
      return answerOnce(db, request, reply, async (tx) => {
        const change = await leaveCollection(tx, actor, id)
        afterCommit(tx, () => tell(actor, id, actor.user_id, change))
        return { status: 204 }
      })
    },
  )
}
