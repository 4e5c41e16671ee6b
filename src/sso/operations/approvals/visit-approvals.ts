import { ApiError } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOperator } from '../../core/access/access.ts'
import { visitorOf } from '../../core/pages/visitor.ts'
import type { Html } from '../../core/pages/html.ts'
import { type Answer, type Visit, withQuery } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { approveSite, listRegisteredSites } from './approval.ts'
import { approvalsPage, operatorsOnlyPage, t } from './pages.ts'

const PER_PAGE = 20

type Query = { page: number }

/** Shows the list to operators. Visitors who are not signed in at the console are sent to sign in there. */
export async function getApprovals(parts: SsoParts, visit: Visit, query: Query): Promise<Answer> {
  const caller = await visitorOf(parts, visit)
  if (caller?.site_code !== 'console') return toConsole(visit)
  return isOperator(caller) ? showApprovals(parts, visit, caller, query) : forOperators
}

/** Approves one site and shows the rest. A form is valid only for the operator it was shown to. */
export async function postApproval(
  parts: SsoParts,
  visit: Visit,
  query: Query,
  { form_token, site_id }: { form_token: string; site_id: string },
): Promise<Answer> {
  const caller = await visitorOf(parts, visit)
  if (caller?.site_code !== 'console') return toConsole(visit)
  if (!isOperator(caller)) return forOperators
  visit.requireOwnForm(form_token, subjectOf(caller))
  return showApprovals(parts, visit, caller, query, await approve(parts, visit, caller, site_id))
}

async function approve(parts: SsoParts, visit: Visit, caller: Caller, site_id: string): Promise<Html> {
  try {
    const { name } = await approveSite(parts, caller, site_id, visit.from)
    return t('approved', { site: name })
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return t('gone')
    throw error
  }
}

async function showApprovals(
  parts: SsoParts,
  visit: Visit,
  caller: Caller,
  { page }: Query,
  notice?: Html,
): Promise<Answer> {
  const asked = { page, per_page: PER_PAGE, status: 'pending' as const }
  const { items, pages } = await listRegisteredSites(parts.database, caller, asked)
  const { form_token, cookie } = visit.nextForm(subjectOf(caller))
  return { page: approvalsPage({ items, page, pages, form_token, notice }), cookies: [cookie] }
}

const subjectOf = ({ user_id }: Caller) => `approvals ${user_id}`

const forOperators: Answer = { page: operatorsOnlyPage(), status: 403 }

const toConsole = ({ address }: Visit): Answer => ({
  location: withQuery('/sign-in', { site_code: 'console', return_to: `${address}/console/approvals` }),
})
