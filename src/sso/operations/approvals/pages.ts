import { type Html, html } from '../../core/pages/html.ts'
import { layOut, links } from '../../core/pages/layout.ts'
import type { RegisteredSite } from './approval.ts'

type ApprovalsPage = {
  items: readonly RegisteredSite[]
  page: number
  pages: number
  form_token: string
  /** Confirms the action just taken. */
  notice?: string | undefined
}

/** The pending production sites, each with what is known about the person who registered it. */
export const approvalsPage = ({ items, page, pages, form_token, notice }: ApprovalsPage) =>
  layOut({
    title: 'Sites that wait for approval',
    main: html` ${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
    ${
      items.length === 0
        ? html`<p class="lead">No site waits for approval.</p>`
        : html`<p class="lead">
            Once approved, a site may sign people in and hears of new people of the network.
          </p>`
    }
    ${items.map((site) => siteOf(site, page, form_token))}
    ${links(
      ...(page > 1 ? [{ href: `/console/approvals?page=${page - 1}`, text: 'Earlier sites' }] : []),
      ...(page < pages ? [{ href: `/console/approvals?page=${page + 1}`, text: 'Later sites' }] : []),
      { href: '/account', text: 'Your account' },
    )}`,
  })

const siteOf = (site: RegisteredSite, page: number, form_token: string): Html =>
  html`<article class="site" aria-labelledby="site-${site.site_id}">
    <h2 id="site-${site.site_id}">${site.name}</h2>
    <dl class="facts">
      ${fact('Code', site.site_code)}
      <div>
        <dt>Domain</dt>
        <dd>
          ${site.domain}
          ${site.domain_verified ? html`<span class="mark">verified</span>` : html`<span class="mark warn">not verified</span>`}
        </dd>
      </div>
      ${fact('Run by', site.tenant_name)} ${fact('Asked by', site.created_by_email ?? 'an erased account')}
      ${fact('Since', site.created_at.slice(0, 10))}
    </dl>
    <form method="post" action="/console/approvals?page=${page}">
      <input type="hidden" name="form_token" value="${form_token}" />
      <input type="hidden" name="site_id" value="${site.site_id}" />
      <button type="submit" class="second">Approve ${site.name}</button>
    </form>
  </article>`

const fact = (name: string, value: string): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`

export const operatorsOnlyPage = () =>
  layOut({
    title: 'For operators only',
    main: html`<p class="lead">You are signed in, but not as an operator of this installation.</p>
      ${links({ href: '/account', text: 'Your account' })}`,
  })
