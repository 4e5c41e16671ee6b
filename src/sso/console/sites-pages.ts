import { type Html, html } from '../core/pages/html.ts'
import { form } from '../core/pages/layout.ts'
import type { SiteKey } from '../partners/sites/keys.ts'
import type { FullSite } from '../partners/sites/sites.ts'
import { choice, consolePage, fact, more, table, timeOf, typed } from './shell.ts'
import type { Visitor } from './visitor-routes.ts'

const trail = [{ href: '/console/sites', text: 'Sites' }]

type Row = Pick<
  FullSite,
  'site_id' | 'site_code' | 'name' | 'environment' | 'status' | 'domain' | 'domain_verified' | 'created_at'
>
type SitesPage = Visitor & { items: readonly Row[]; total: number; next_cursor: string | null }

export const sitesPage = ({ is_operator, items, total, next_cursor }: SitesPage) =>
  consolePage({
    title: 'Sites',
    place: 'sites',
    is_operator,
    main: html`<p class="lead">${total === 1 ? 'One site' : `${total} sites`}</p>
      ${
        items.length > 0 &&
        table(
          'Sites',
          ['Name', 'Code', 'Environment', 'Status', 'Domain', 'Since'],
          items.map((site) => [
            html`<a href="/console/sites/${site.site_id}">${site.name}</a>`,
            html`${site.site_code}`,
            html`${site.environment}`,
            markOf(site.status),
            html`${site.domain} ${!site.domain_verified && html`<span class="mark">not verified</span>`}`,
            timeOf(site.created_at),
          ]),
        )
      }
      ${more('/console/sites', {}, next_cursor)}
      <p><a href="/console/sites/new">New site</a></p>`,
  })

export const newSitePage = ({ is_operator, form_token, faults }: Visitor) =>
  consolePage({
    title: 'New site',
    place: 'sites',
    is_operator,
    trail,
    faults,
    main: form(
      '/console/sites/new',
      form_token,
      html`${typed('name', 'Name', undefined)}
        ${choice('environment', 'Environment', 'sandbox', [
          { value: 'sandbox', text: 'Sandbox, to try things out' },
          { value: 'production', text: 'Production' },
        ])}
        ${typed('callback_url', 'Address that people return to after sign-in (optional)', undefined)}
        <button type="submit">Make the site</button>`,
    ),
  })

type Made = Pick<FullSite, 'site_id' | 'site_code' | 'name' | 'status'> & {
  site_key: string
  webhook_secret: string
  jwt_secret: string
}

/** The only page that shows the secrets of a new site. */
export const siteMadePage = ({ is_operator, made, sso }: Visitor & { made: Made; sso: string }) =>
  consolePage({
    title: `${made.name} is made`,
    place: 'sites',
    is_operator,
    trail,
    notice: 'Copy these secrets now: they are shown only once.',
    main: html`${secretOf('Site key', made.site_key)} ${secretOf('Secret of webhooks', made.webhook_secret)}
      ${secretOf('Secret of tokens', made.jwt_secret)}
      ${made.status === 'pending' && html`<p class="lead">Nobody can sign in there until an operator approves the site.</p>`}
      <h2>Try it</h2>
      <p class="hint">Registers a person and signs them in:</p>
      <pre><code>curl ${sso}/api/v1/auth/register -H 'X-SSO-Site-Key: ${made.site_key}' \\
  -H 'Content-Type: application/json' -d '{"email":"ada@example.org","password":"analytical engine 1843"}'
curl ${sso}/api/v1/auth/login -H 'X-SSO-Site-Key: ${made.site_key}' \\
  -H 'Content-Type: application/json' -d '{"email":"ada@example.org","password":"analytical engine 1843"}'</code></pre>
      <p><a href="/console/sites/${made.site_id}">To the site</a></p>`,
  })

export const newKeyPage = ({
  is_operator,
  site_id,
  site_key,
}: Visitor & { site_id: string; site_key: string }) =>
  consolePage({
    title: 'New key',
    place: 'sites',
    is_operator,
    trail: [...trail, { href: `/console/sites/${site_id}`, text: 'Site' }],
    notice: 'Copy this key now: it is shown only once. The other one works until you revoke it.',
    main: secretOf('Site key', site_key),
  })

const secretOf = (name: string, value: string): Html =>
  html`<h2>${name}</h2>
    <code class="secret">${value}</code>`

type SitePage = Visitor & { site: FullSite; keys: readonly SiteKey[] }

export const sitePage = ({ is_operator, notice, faults, form_token, site, keys }: SitePage) => {
  const act = (name: string, fields: Html): Html =>
    form(
      `/console/sites/${site.site_id}`,
      form_token,
      html`<input type="hidden" name="act" value="${name}" /> ${fields}`,
    )
  return consolePage({
    title: site.name,
    place: 'sites',
    is_operator,
    trail,
    notice,
    faults,
    main: html`<dl class="facts">
        ${fact('Code', site.site_code)} ${fact('Environment', site.environment)}
        ${fact('Status', markOf(site.status))}
        ${fact('Domain', html`${site.domain} ${!site.domain_verified && html`<span class="mark">not verified</span>`}`)}
        ${fact('Plan', site.plan)} ${fact('Tokens', site.token_signing)}
        ${fact('Webhook', site.webhook_url ?? 'none')} ${fact('Id', site.site_id)}
        ${fact('Since', timeOf(site.created_at))}
      </dl>
      <p>
        <a href="/console/people?site_code=${site.site_code}">People</a> ·
        <a href="/console/audit?site_code=${site.site_code}">Audit log</a>
      </p>
      <section aria-labelledby="settings">
        <h2 id="settings">Settings</h2>
        ${act(
          'save',
          html`<input type="hidden" name="version" value="${site.version}" />
            ${typed('name', 'Name', site.name)}
            ${typed('callback_url', 'Address that people return to after sign-in', site.callback_url ?? undefined)}
            <button type="submit">Save</button>`,
        )}
      </section>
      <section aria-labelledby="keys">
        <h2 id="keys">Keys</h2>
        <p class="hint">To change a key: make a second one, use it everywhere, revoke the first.</p>
        ${table(
          'Keys of the site',
          ['Ends with', 'Since', 'Last used', 'Revoke'],
          keys.map(({ hint, created_at, last_used_at }) => [
            html`${hint}`,
            timeOf(created_at),
            timeOf(last_used_at),
            keys.length > 1
              ? act(
                  'delete_key',
                  html`<input type="hidden" name="hint" value="${hint}" />
                    <button type="submit" class="danger">Revoke ${hint}</button>`,
                )
              : html``,
          ]),
        )}
        ${keys.length < 2 && act('add_key', html`<button type="submit" class="second">Make a second key</button>`)}
      </section>`,
  })
}

const markOf = (status: string): Html =>
  status === 'pending'
    ? html`<span class="mark warn">waits for approval</span>`
    : html`<span class="mark">${status}</span>`
