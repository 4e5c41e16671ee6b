import { backTo, signInFor, visitorOf } from '../account/visitor.ts'
import { formAnswer } from '../hosted/faults.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { listSessions } from '../../people/sessions/list.ts'
import { deleteOwnSessions, deleteSession } from '../../people/sessions/sessions.ts'
import { listActivity } from './activity.ts'
import { activityPage, sessionsPage } from './pages.ts'

const MOST = 50

const PAGE = '/account/sessions'
export const DONE = {
  one: 'The session has ended.',
  none: 'The session had ended already.',
  others: 'All other sessions have ended.',
} as const

export async function getSessions(
  parts: SsoParts,
  visit: Visit,
  { done }: { done?: keyof typeof DONE },
): Promise<Answer> {
  const caller = await visitorOf(parts, visit)
  return caller ? show(parts, visit, caller, done && DONE[done]) : signInFor(visit, PAGE)
}

/** Ends one session of the visitor, or all others. It only takes access away, so it asks for no fresh proof. */
export async function postSessions(
  parts: SsoParts,
  visit: Visit,
  session_id: string | undefined,
): Promise<Answer> {
  const caller = await visitorOf(parts, visit)
  if (!caller) return signInFor(visit, PAGE)
  if (session_id === undefined) {
    await deleteOwnSessions(parts, caller, true, visit.from)
    return backTo(visit, PAGE, 'others')
  }
  const hasEnded = await deleteSession(parts, caller, session_id, visit.from)
  return backTo(visit, PAGE, hasEnded ? 'one' : 'none')
}

export async function getActivity(parts: SsoParts, visit: Visit): Promise<Answer> {
  const caller = await visitorOf(parts, visit)
  if (!caller) return signInFor(visit, '/account/activity')
  return { page: activityPage(await listActivity(parts.database, caller)) }
}

async function show(parts: SsoParts, visit: Visit, caller: Caller, notice?: string): Promise<Answer> {
  const { items, total } = await listSessions(parts.database, caller, {
    status: 'active',
    page: 1,
    per_page: MOST,
  })
  return formAnswer(visit, ({ form_token }) => sessionsPage({ sessions: items, total, form_token, notice }))
}
