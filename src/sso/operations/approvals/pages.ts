import { type Html, html, textsOf } from '../../core/pages/html.ts'
import { layOut, links } from '../../core/pages/layout.ts'
import type { RegisteredSite } from './approval.ts'
import words from './words.json' with { type: 'json' }

export const t = textsOf(words)

type ApprovalsPage = {
  items: readonly RegisteredSite[]
  page: number
  pages: number
  form_token: string
  /** Confirms the action just taken. */
  notice?: Html | undefined
}

/** The pending production sites, each with what is known about the person who registered it. */
export const approvalsPage = ({ items, page, pages, form_token, notice }: ApprovalsPage) =>
  layOut({
    title: t('title'),
    main: html` ${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
      <p class="lead">${t(items.length === 0 ? 'none' : 'lead')}</p>
      ${items.map((site) => siteOf(site, page, form_token))}
      ${links(
        ...(page > 1 ? [{ href: `/console/approvals?page=${page - 1}`, text: t('earlier') }] : []),
        ...(page < pages ? [{ href: `/console/approvals?page=${page + 1}`, text: t('later') }] : []),
        { href: '/account', text: t('account') },
      )}`,
  })

const siteOf = (site: RegisteredSite, page: number, form_token: string): Html =>
  html`<article class="site" aria-labelledby="site-${site.site_id}">
    <h2 id="site-${site.site_id}">${site.name}</h2>
    <dl class="facts">
      ${fact(t('code'), site.site_code)}
      <div>
        <dt>${t('domain')}</dt>
        <dd>
          ${site.domain}
          ${site.domain_verified ? html`<span class="mark">${t('verified')}</span>` : html`<span class="mark warn">${t('not_verified')}</span>`}
        </dd>
      </div>
      ${fact(t('run_by'), site.tenant_name)}
      ${fact(t('asked_by'), site.created_by_email ?? t('erased_account'))}
      ${fact(t('since'), site.created_at.slice(0, 10))}
    </dl>
    <form method="post" action="/console/approvals?page=${page}">
      <input type="hidden" name="form_token" value="${form_token}" />
      <input type="hidden" name="site_id" value="${site.site_id}" />
      <button type="submit" class="second">${t('approve', { site: site.name })}</button>
    </form>
  </article>`

const fact = (name: Html, value: Html | string): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`

export const operatorsOnlyPage = () =>
  layOut({
    title: t('operators_only'),
    main: html`<p class="lead">${t('operators_only_lead')}</p>
      ${links({ href: '/account', text: t('account') })}`,
  })
