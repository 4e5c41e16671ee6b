import { type Html, html } from '../hosted/html.ts'
import { layOut, links } from '../hosted/layout.ts'
import type { ConnectedSite } from './connected-sites.ts'
import type { Parties } from './parties.ts'
import { OF_MEMBERS, wordsOf } from './words.ts'

type ConsentPage = {
  parties: Parties
  scopes: readonly string[]
  query: string
  form_token: string
  /** The host the visitor goes to, whatever they choose. */
  returns_to: string
}

/** Asks whether a partner's site may know the person. Both answers look alike, and none of them is chosen already. */
export const consentPage = ({ parties, scopes, query, form_token, returns_to }: ConsentPage) =>
  layOut({
    title: `Sign in to ${parties.site_name}?`,
    main: html` <p class="lead">You are signed in as <strong>${parties.email}</strong>.</p>
      ${factsOf(parties)}
      <h2>If you allow it, ${parties.site_name} receives</h2>
      ${listOf(scopes)}
      <p class="hint">${OF_MEMBERS}</p>
      <form method="post" action="/sign-in/consent${query}">
        <input type="hidden" name="form_token" value="${form_token}" />
        <div class="choice">
          <button type="submit" name="decision" value="cancel" class="second">Cancel</button>
          <button type="submit" name="decision" value="allow" class="second">Allow</button>
        </div>
      </form>
      ${links({ href: `/sign-in${query}&other=1`, text: 'Sign in as somebody else' })}`,
    footer: html`<p>You will go on to ${returns_to}</p>`,
  })

/** A domain that nobody proved is not shown: it may be anybody's. */
const factsOf = ({ domain, is_domain_verified, tenant_name }: Omit<Parties, 'email' | 'site_name'>): Html =>
  html`<dl class="facts">
    <div>
      <dt>Domain</dt>
      <dd>
        ${is_domain_verified ? html`${domain} <span class="mark">verified</span>` : html`<span class="mark warn">not verified</span>`}
      </dd>
    </div>
    <div>
      <dt>Run by</dt>
      <dd>${tenant_name}</dd>
    </div>
  </dl>`

const listOf = (scopes: readonly string[]): Html =>
  html`<ul class="receives">
    ${wordsOf(scopes).map((words) => html`<li>${words}</li>`)}
  </ul>`

type SitesPage = {
  items: readonly ConnectedSite[]
  page: number
  pages: number
  form_token: string
  /** What was just done. */
  notice?: string | undefined
}

const SINCE: Record<ConnectedSite['given_by'], string> = {
  page: 'Allowed by you',
  password: 'Signed in by password at the site',
  organisation: 'Connected by the organisation that made your account',
  site: 'Added as a member by the site',
}

/** The sites a person is connected with, each with a way out. */
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
