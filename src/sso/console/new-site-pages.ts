import { type Html, html } from '../core/pages/html.ts'
import { type Fault, field, form, layOut, links } from '../core/pages/layout.ts'
import type { FullSite } from '../partners/sites/sites.ts'

const toSites = links({ href: '/console/sites', text: 'Sites' })

export const newSitePage = (form_token: string, faults?: readonly Fault[]): Html =>
  layOut({
    title: 'New site',
    faults,
    main: html`${form(
      '/console/sites/new',
      form_token,
      html`${field({ name: 'name', label: 'Name', autocomplete: 'off', faults })}
        <div class="field">
          <label for="environment">Environment</label>
          <select id="environment" name="environment">
            <option value="sandbox">Sandbox, to try things out</option>
            <option value="production">Production</option>
          </select>
        </div>
        ${field({
          name: 'callback_url',
          label: 'Address that people return to after sign-in',
          autocomplete: 'off',
          isOptional: true,
          isName: true,
          faults,
        })}
        <button type="submit">Make the site</button>`,
    )}
    ${toSites}`,
  })

type Made = Pick<FullSite, 'site_id' | 'name' | 'status'> & {
  site_key: string
  webhook_secret: string
  jwt_secret: string
}

/** The only page that shows the secrets of a new site. */
export const siteMadePage = (made: Made, sso: string): Html =>
  layOut({
    title: `${made.name} is made`,
    main: html`<p class="notice" role="status">Copy these secrets now: they are shown only once.</p>
      ${secretOf('Site key', made.site_key)} ${secretOf('Secret of webhooks', made.webhook_secret)}
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

const secretOf = (name: string, value: string): Html =>
  html`<h2>${name}</h2>
    <code class="secret">${value}</code>`
