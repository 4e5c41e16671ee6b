import { Type } from 'typebox'
import { ApiError } from '#foundation/errors.ts'
import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorPageOf, CursorQuery } from '#foundation/http/cursor-page.ts'
import { NoContent, Uuid } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import type { Html } from '../../core/pages/html.ts'
import { pageConfig, sendAnswer, visitsOf } from '../../core/pages/requests.ts'
import { originOf } from '../../core/access/identify.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { asVisitor } from '../account/visitor.ts'
import { ConnectedSite, disconnectSite, listConnectedSites } from './connected-sites.ts'
import { sitesPage, t } from './pages.ts'

const PAGE = '/account/sites'
const PER_PAGE = 20
const hide = true
const SiteId = Type.Object({ site_id: Uuid })
const querystring = Type.Object({ page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }) })
const Disconnect = Type.Object({ form_token: Type.String({ maxLength: 1_000 }), site_id: Uuid })

/** The partners' sites that know a person, for that person: as a page, and as an API for first-party programs. */
export function connectedSitesRoutes(app: App, parts: SsoParts) {
  const visitOf = visitsOf(parts)

  app.get(PAGE, { config: pageConfig, schema: { hide, querystring } }, async (request, reply) => {
    const visit = visitOf(request)
    const show = (caller: Caller) => showSites(parts, visit, caller, request.query)
    return sendAnswer(reply, await asVisitor(parts, visit, PAGE, show), visit)
  })
  // A visitor who was signed out meanwhile signs in, and nothing changes.
  app.post(
    PAGE,
    { config: { ...pageConfig, form: true }, schema: { hide, querystring, body: Disconnect } },
    async (request, reply) => {
      const visit = visitOf(request)
      const { form_token, site_id } = request.body
      const answer = await asVisitor(parts, visit, PAGE, async (caller) => {
        visit.requireOwnForm(form_token, subjectOf(caller))
        const notice = await disconnect(parts, visit, caller, site_id)
        return showSites(parts, visit, caller, { ...request.query, notice })
      })
      return sendAnswer(reply, answer, visit)
    },
  )

  app.get(
    '/api/v1/consents',
    {
      config: { auth: 'user', permission: 'profile:read', first_party: PAGE, operational: true },
      schema: { querystring: CursorQuery, response: { 200: CursorPageOf(ConnectedSite) } },
    },
    async (request) => listConnectedSites(parts.database, callerOf(request), request.query),
  )
  app.delete(
    '/api/v1/consents/:site_id',
    {
      config: { auth: 'user', permission: 'profile:write', first_party: PAGE, operational: true },
      schema: { params: SiteId, response: { 204: NoContent } },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      await disconnectSite(parts, caller, request.params.site_id, originOf(request))
      return reply.code(204).send()
    },
  )
}

async function disconnect(parts: SsoParts, visit: Visit, caller: Caller, site_id: string): Promise<Html> {
  try {
    const { name } = await disconnectSite(parts, caller, site_id, visit.from)
    return t('disconnected', { name })
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return t('gone')
    throw error
  }
}

async function showSites(
  parts: SsoParts,
  visit: Visit,
  caller: Caller,
  { page, notice }: { page: number; notice?: Html | undefined },
): Promise<Answer> {
  const { items, pages } = await listConnectedSites(parts.database, caller, { page, per_page: PER_PAGE })
  // The last site of the last page may be gone now.
  if (items.length === 0 && page > 1)
    return showSites(parts, visit, caller, { page: Math.max(1, Math.min(page - 1, pages)), notice })
  const { form_token, cookie } = visit.nextForm(subjectOf(caller))
  return { page: sitesPage({ items, page, pages, form_token, notice }), cookies: [cookie] }
}

/** Binds the form to the person it was shown to. */
const subjectOf = ({ user_id }: Caller) => `sites ${user_id}`
