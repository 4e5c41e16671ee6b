import { factsOf, listOf, t as consent } from '../consent/pages.ts'
import { type Html, html, textsOf, timeOf } from '../../core/pages/html.ts'
import { layOut, type Link, links } from '../../core/pages/layout.ts'
import type { ConnectedSite } from './connected-sites.ts'
import words from './words.json' with { type: 'json' }

export const t = textsOf(words)

type SitesPage = {
  items: readonly ConnectedSite[]
  page: number
  pages: number
  form_token: string
  notice?: Html | undefined
}

/** The connected sites of a person, each with a button to disconnect it. */
export const sitesPage = ({ items, page, pages, form_token, notice }: SitesPage) =>
  layOut({
    title: t('title'),
    main: html` ${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
      <p class="lead">${t(items.length === 0 ? 'none' : 'lead')}</p>
      ${items.length > 0 && html`<p class="hint">${consent('of_their_members')}</p>`}
      ${items.map((site) => entryOf(site, page, form_token))}
      ${links(...pageLinksOf(page, pages), { href: '/account', text: t('overview') })}`,
  })

const entryOf = (site: ConnectedSite, page: number, form_token: string): Html =>
  html`<article class="site" aria-labelledby="site-${site.site_id}">
    <h2 id="site-${site.site_id}">${site.name}</h2>
    ${factsOf(site)}
    <p class="hint">${t(site.given_by, { day: timeOf(site.since, { dateStyle: 'long' }) })}</p>
    ${
      site.scopes.length > 0 &&
      html`<h3>${t('receives')}</h3>
        ${listOf(site.scopes)}`
    }
    <form method="post" action="/account/sites?page=${page}">
      <input type="hidden" name="form_token" value="${form_token}" />
      <input type="hidden" name="site_id" value="${site.site_id}" />
      <button type="submit" class="second" aria-describedby="site-${site.site_id}">${t('disconnect')}</button>
    </form>
  </article>`

const pageLinksOf = (page: number, pages: number): Link[] => [
  ...(page > 1 ? [{ href: `/account/sites?page=${page - 1}`, text: t('newer') }] : []),
  ...(page < pages ? [{ href: `/account/sites?page=${page + 1}`, text: t('older') }] : []),
]
