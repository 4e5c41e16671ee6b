import { html } from '../core/pages/html.ts'
import type { AuditLine } from '../core/audit/list.ts'
import type { OwnSite } from './own-sites.ts'
import { consolePage, filters, more, siteFilter, table, timeOf, typed } from './shell.ts'
import type { Visitor } from './visitor-routes.ts'

type AuditPage = Visitor & {
  asked: Partial<Record<'action' | 'subject' | 'actor' | 'site_code', string | undefined>>
  sites: readonly OwnSite[]
  items: readonly AuditLine[]
  total: number
  next_cursor: string | null
}

export const auditPage = ({ is_operator, asked, sites, items, total, next_cursor }: AuditPage) =>
  consolePage({
    title: 'Audit log',
    place: 'audit',
    is_operator,
    main: html`${filters('/console/audit', [
        typed('action', 'Action, as user.updated', asked.action),
        siteFilter(sites, asked.site_code),
        typed('subject', 'Id of the person concerned', asked.subject),
        typed('actor', 'Id of who did it', asked.actor),
      ])}
      <p class="lead">${total === 1 ? 'One entry' : `${total} entries`}, newest first</p>
      ${
        items.length > 0 &&
        table(
          'Audit log',
          ['When', 'Action', 'Site', 'Person', 'Done by', 'From', 'Details'],
          items.map((line) => [
            timeOf(line.occurred_at),
            html`${line.action}`,
            html`${line.site_code ?? ''}`,
            personOf(line.subject_user_id),
            line.actor_user_id === line.subject_user_id ? html`themselves` : personOf(line.actor_user_id),
            html`${line.ip_address ?? ''}`,
            html`${Object.keys(line.details).length > 0 && JSON.stringify(line.details)}`,
          ]),
        )
      }
      ${more('/console/audit', asked, next_cursor)}`,
  })

const personOf = (user_id: string | null) =>
  user_id === null ? html`` : html`<a href="/console/people/${user_id}">${user_id.slice(-12)}</a>`
