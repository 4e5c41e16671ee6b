import { factsOf, listOf } from '../consent/pages.ts'
import { OF_MEMBERS } from '../consent/words.ts'
import { type Html, html } from '../../core/pages/html.ts'
import { layOut, links } from '../../core/pages/layout.ts'
import type { ConnectedSite } from './connected-sites.ts'

type SitesPage = {
  items: readonly ConnectedSite[]
  page: number
  pages: number
  form_token: string
  notice?: string | undefined
}

const SINCE: Record<ConnectedSite['given_by'], string> = {
  page: 'Allowed by you',
  password: 'Signed in by password at the site',
  organisation: 'Connected by the organisation that made your account',
  site: 'Added as a member by the site',
}

/** The connected sites of a person, each with a button to disconnect it. */
export const sitesPage = ({ items, page, pages, form_token, notice }: SitesPage) =>
  layOut({
    title: 'Connected sites',
    main: html` ${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
      <p class="lead">
        ${
          items.length === 0
            ? 'No site of anybody else knows your account.'
            : 'These sites know your account. Disconnecting ends your sessions there, and the site must ask you again. What it stored itself, it keeps.'
        }
      </p>
      ${items.length > 0 && html`<p class="hint">${OF_MEMBERS.replaceAll('Its ', 'Their ').replace('It can', 'They can')}</p>`}
      ${items.map((site) => entryOf(site, page, form_token))} ${pageLinksOf(page, pages)}`,
  })

const entryOf = (site: ConnectedSite, page: number, form_token: string): Html =>
  html`<article class="site" aria-labelledby="site-${site.site_id}">
    <h2 id="site-${site.site_id}">${site.name}</h2>
    ${factsOf(site)}
    <p class="hint">
      ${SINCE[site.given_by]}, since <time datetime="${site.since}">${dayOf(site.since)}</time>
    </p>
    ${site.scopes.length > 0 && html`<h3>It receives</h3>`} ${site.scopes.length > 0 && listOf(site.scopes)}
    <form method="post" action="/account/sites?page=${page}">
      <input type="hidden" name="form_token" value="${form_token}" />
      <input type="hidden" name="site_id" value="${site.site_id}" />
      <button type="submit" class="second" aria-describedby="site-${site.site_id}">Disconnect</button>
    </form>
  </article>`

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const dayOf = (time: string) => DAY.format(new Date(time))

const pageLinksOf = (page: number, pages: number): Html | false =>
  pages > 1 &&
  links(
    ...(page > 1 ? [{ href: `/account/sites?page=${page - 1}`, text: 'Newer' }] : []),
    ...(page < pages ? [{ href: `/account/sites?page=${page + 1}`, text: 'Older' }] : []),
  )
