import { Type } from 'typebox'
import { isUuid } from '#foundation/ids.ts'
import { unprocessable } from '#foundation/errors.ts'
import { listAudit } from '../core/audit/list.ts'
import type { SsoParts } from '../core/parts.ts'
import { auditPage } from './audit-pages.ts'
import { ownSites } from './own-sites.ts'
import { defined, given, type Pages } from './visitor-routes.ts'

const Text = Type.Optional(Type.String({ maxLength: 64 }))
const PER_PAGE = 50

/** What happened at a site of the caller, or in the whole environment for an operator. */
export function auditPages({ get }: Pages, parts: SsoParts): void {
  const db = parts.database

  const query = {
    action: Text,
    subject: Text,
    actor: Text,
    site_code: Text,
    cursor: Type.Optional(Type.String({ maxLength: 2_000 })),
  }
  get('/console/audit', { params: {}, query }, async (visitor, { query: typed }) => {
    const { caller, is_operator } = visitor
    const sites = is_operator ? [] : await ownSites(db, caller)
    const asked = {
      action: given(typed.action),
      subject: given(typed.subject),
      actor: given(typed.actor),
      site_code: given(typed.site_code) ?? sites[0]?.site_code,
    }
    for (const field of ['subject', 'actor'] as const)
      if (asked[field] !== undefined && !isUuid(asked[field]))
        throw unprocessable(field, 'uuid', 'must be the id of a person')
    const page = { page: 1, per_page: PER_PAGE }
    const found = await listAudit(db, caller, { ...page, ...defined({ ...asked, cursor: typed.cursor }) })
    return auditPage({ ...visitor, asked, sites, ...found })
  })
}
