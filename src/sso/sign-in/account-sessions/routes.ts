import { Type } from 'typebox'
import type { App } from '#foundation/http/http.ts'
import { OneOf, Uuid } from '#foundation/http/schemas.ts'
import { NoQuery, pagesOf } from '../../core/pages/requests.ts'
import type { SsoParts } from '../../core/parts.ts'
import { listSessions } from '../../people/sessions/list.ts'
import { deleteOwnSessions, deleteSession } from '../../people/sessions/sessions.ts'
import { asVisitor, backTo } from '../account/visitor.ts'
import { formAnswer } from '../hosted/faults.ts'
import { listActivity } from './activity.ts'
import { activityPage, sessionsPage, t } from './pages.ts'

const MOST = 50

const PAGE = '/account/sessions'
const ACTIVITY = '/account/activity'
const DONE = ['one', 'none', 'others'] as const

/** Pages on which people see where they are signed in and what happened with their account. */
export function accountSessionsRoutes(app: App, parts: SsoParts) {
  const { get, post } = pagesOf(app, parts)
  const querystring = Type.Object({ done: Type.Optional(OneOf([...DONE])) })
  get(PAGE, querystring, (visit, { done }) =>
    asVisitor(parts, visit, PAGE, async (caller) => {
      const query = { status: 'active', page: 1, per_page: MOST } as const
      const { items: sessions, total } = await listSessions(parts.database, caller, query)
      const shown = { sessions, total, notice: done && t(`done_${done}`) }
      return formAnswer(visit, ({ form_token }) => sessionsPage({ ...shown, form_token }))
    }),
  )
  // Ends one session of the visitor, or all others. It only takes access away, so it asks for no fresh proof.
  const fields = { session_id: Type.Optional(Uuid) }
  post(PAGE, { querystring: NoQuery, fields }, (visit, _, { session_id }) =>
    asVisitor(parts, visit, PAGE, async (caller) => {
      if (session_id === undefined) {
        await deleteOwnSessions(parts, caller, true, visit.from)
        return backTo(visit, PAGE, 'others')
      }
      const hasEnded = await deleteSession(parts, caller, session_id, visit.from)
      return backTo(visit, PAGE, hasEnded ? 'one' : 'none')
    }),
  )
  get(ACTIVITY, NoQuery, (visit) =>
    asVisitor(parts, visit, ACTIVITY, async (caller) => ({
      page: activityPage(await listActivity(parts.database, caller)),
    })),
  )
}
