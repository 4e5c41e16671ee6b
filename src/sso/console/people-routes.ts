import { Type } from 'typebox'
import { notFound, unprocessable } from '#foundation/errors.ts'
import { OneOf, Uuid } from '#foundation/http/schemas.ts'
import type { SsoParts } from '../core/parts.ts'
import { deleteUser } from '../lifecycle/erasure/delete.ts'
import { findUser } from '../people/person/users.ts'
import { assignRole } from '../people/roles/assign.ts'
import { deleteSessionsOf } from '../people/sessions/sessions.ts'
import { listUsers } from '../people/users/list.ts'
import { updateUser } from '../people/users/update.ts'
import { resetFactors } from '../sign-in/factors/reset.ts'
import { ownSites } from './own-sites.ts'
import { overviewPage } from './overview-pages.ts'
import { erasedPage, peoplePage, personPage } from './people-pages.ts'
import { defined, given, type Pages, required, Version, versionOf, type Visitor } from './visitor-routes.ts'

const Text = Type.Optional(Type.String({ maxLength: 254 }))
const PER_PAGE = 50

const list = {
  params: {},
  query: {
    q: Text,
    site_code: Text,
    status: Text,
    cursor: Type.Optional(Type.String({ maxLength: 10_000 })),
  },
}
const person = { params: { user_id: Uuid }, query: {} }
const ACTS = ['suspend', 'reactivate', 'sessions', 'role', 'factors', 'erase'] as const

/** The people of the caller's sites, and what an ADMIN or operator may do for one of them. */
export function peoplePages({ get, post }: Pages, parts: SsoParts): void {
  const db = parts.database
  const showPerson = async (visitor: Visitor, { params }: { params: { user_id: string } }) => {
    const user = await findUser(db.fast, visitor.caller, params.user_id)
    if (!user) throw notFound()
    return personPage({ ...visitor, user, is_self: user.user_id === visitor.caller.user_id })
  }

  get('/console/people', list, async (visitor, { query }) => {
    const { caller, is_operator } = visitor
    const sites = is_operator ? [] : await ownSites(db, caller)
    if (!is_operator && sites.length === 0) return overviewPage({ ...visitor, tiles: [] })
    const asked = {
      q: given(query.q),
      status: statusOf(given(query.status)),
      site_code: given(query.site_code) ?? sites[0]?.site_code,
    }
    const { cursor } = query
    const page = { page: 1, per_page: PER_PAGE, sort: '-created_at' } as const
    const found = await listUsers(db, caller, { ...page, ...defined({ ...asked, cursor }) })
    return peoplePage({ ...visitor, asked, sites, ...found })
  })

  get('/console/people/:user_id', person, showPerson)
  const fields = {
    act: OneOf([...ACTS]),
    version: Version,
    site_code: Text,
    role: Type.Optional(Type.String({ maxLength: 64 })),
    confirmation: Text,
  }
  post('/console/people/:user_id', { ...person, fields }, showPerson, async (visitor, { params }, typed) => {
    const { caller, from } = visitor
    const { user_id } = params
    if (typed.act === 'sessions') {
      await deleteSessionsOf(parts, caller, user_id, from)
      return { notice: 'All sessions at your sites have ended.' }
    }
    if (typed.act === 'factors') {
      await resetFactors(parts, caller, user_id, from)
      return { notice: 'The second steps are removed, and the person was told.' }
    }
    if (typed.act === 'role') {
      // Without a code it would be the site of the token: the console, whose ADMINs are operators.
      const [site_code, role] = [required('site_code', typed.site_code), required('role', typed.role)]
      await assignRole(parts, caller, user_id, { role, site_code }, from)
      return { notice: `The role at ${site_code} is ${role} now.` }
    }
    if (typed.act === 'erase') {
      const user = await findUser(db.fast, caller, user_id)
      if (!user) throw notFound()
      if (given(typed.confirmation) !== user.email)
        throw unprocessable('confirmation', 'mismatch', `must be ${user.email}`)
      await deleteUser(parts, caller, user_id, {}, from)
      return { page: erasedPage(visitor, user.email) }
    }
    const status = typed.act === 'suspend' ? 'suspended' : 'active'
    const patch = { status, ...versionOf(typed.version) } as const
    await updateUser(parts, caller, user_id, { patch, if_match: undefined, site_code: undefined }, from)
    return { notice: status === 'suspended' ? 'The account is suspended.' : 'The account is active again.' }
  })
}

const statusOf = (text: string | undefined): 'active' | 'suspended' | undefined =>
  text === 'active' || text === 'suspended' ? text : undefined
