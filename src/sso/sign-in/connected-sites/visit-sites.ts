import { ApiError } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { signInFor, visitorOf } from '../account/visitor.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { disconnectSite, listConnectedSites } from './connected-sites.ts'
import { sitesPage } from './pages.ts'

const PER_PAGE = 20

type Query = { page: number }

/** Shows the visitor's connected sites. Leads to the sign-in page if they are not signed in. */
export async function getSites(parts: SsoParts, visit: Visit, { page }: Query): Promise<Answer> {
  const caller = await visitorOf(parts, visit)
  return caller ? showSites(parts, visit, caller, { page }) : signInFor(visit, '/account/sites')
}

/** Disconnects a site and shows the rest. A visitor who was signed out meanwhile signs in, and nothing changes. */
export async function postSites(
  parts: SsoParts,
  visit: Visit,
  { page }: Query,
  { form_token, site_id }: { form_token: string; site_id: string },
): Promise<Answer> {
  const caller = await visitorOf(parts, visit)
  if (!caller) return signInFor(visit, '/account/sites')
  visit.requireOwnForm(form_token, subjectOf(caller))
  const notice = await disconnect(parts, visit, caller, site_id)
  return showSites(parts, visit, caller, { page, notice })
}

async function disconnect(parts: SsoParts, visit: Visit, caller: Caller, site_id: string): Promise<string> {
  try {
    const { name } = await disconnectSite(parts, caller, site_id, visit.from)
    return `${name} is disconnected. You are signed out there.`
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'This site was disconnected already.'
    throw error
  }
}

async function showSites(
  parts: SsoParts,
  visit: Visit,
  caller: Caller,
  { page, notice }: Query & { notice?: string },
): Promise<Answer> {
  const listed = await listConnectedSites(parts.database, caller, { page, per_page: PER_PAGE })
  const { items, pages } = listed
  // The last site of the last page may be gone now.
  if (items.length === 0 && page > 1)
    return showSites(parts, visit, caller, {
      page: Math.max(1, Math.min(page - 1, pages)),
      ...(notice !== undefined && { notice }),
    })
  const { form_token, cookie } = visit.nextForm(subjectOf(caller))
  return { page: sitesPage({ items, page, pages, form_token, notice }), cookies: [cookie] }
}

/** Binds the form to the person it was shown to. */
const subjectOf = ({ user_id }: Caller) => `sites ${user_id}`
