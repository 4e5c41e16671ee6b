import { Type } from 'typebox'
import type { App } from '#foundation/http/http.ts'
import { OneOf, Uuid } from '#foundation/http/schemas.ts'
import { NoQuery, pagesOf } from '../../core/pages/requests.ts'
import type { SsoParts } from '../../core/parts.ts'
import { DONE, getActivity, getSessions, postSessions } from './visit-sessions.ts'

/** Pages on which people see where they are signed in and what happened with their account. */
export function accountSessionsRoutes(app: App, parts: SsoParts) {
  const { get, post } = pagesOf(app, parts)
  const done = Type.Optional(OneOf(Object.keys(DONE) as (keyof typeof DONE)[]))
  get('/account/sessions', Type.Object({ done }), (visit, query) => getSessions(parts, visit, query))
  post(
    '/account/sessions',
    { querystring: NoQuery, fields: { session_id: Type.Optional(Uuid) } },
    (visit, _, { session_id }) => postSessions(parts, visit, session_id),
  )
  get('/account/activity', NoQuery, (visit) => getActivity(parts, visit))
}
