import { type Html, html } from '../core/pages/html.ts'
import { consolePage } from './shell.ts'
import type { Visitor } from './visitor-routes.ts'

export type Tile = { text: string; number: number; href: string }
/** What is missing for a safe installation. */
export type Lacks = Record<'factor' | 'mail' | 'address' | 'backup' | 'site', boolean>

export const overviewPage = ({
  is_operator,
  tiles,
  lacks,
}: Visitor & { tiles: readonly Tile[]; lacks?: Lacks }) => {
  const steps = lacks ? stepsOf(lacks) : []
  return consolePage({
    title: 'Overview',
    place: 'overview',
    is_operator,
    main: html`${
        tiles.length === 0 &&
        html`<p class="lead">
          You are ADMIN of no site yet. <a href="/console/sites/new">Make one</a>, or ask an ADMIN for the
          role.
        </p>`
      }
      <ul class="tiles">
        ${tiles.map(
          ({ text, number, href }) =>
            html`<li><strong>${number.toLocaleString('en-GB')}</strong> <a href="${href}">${text}</a></li>`,
        )}
      </ul>
      ${
        steps.length > 0 &&
        html`<section aria-labelledby="missing">
          <h2 id="missing">Still to do</h2>
          <ol>
            ${steps.map((step) => html`<li>${step}</li>`)}
          </ol>
        </section>`
      }`,
  })
}

/** In the order of danger. */
function stepsOf({ factor, mail, address, backup, site }: Lacks): Html[] {
  const steps = [
    factor &&
      html`<a href="/account/security">Add a second step</a> to your account: it may do everything here.`,
    mail &&
      html`Name a mail server (<code>SMTP_URL</code>): without one, letters only wait in the list of messages.`,
    address && html`Name the public address (<code>SSO_URL</code>): it is the issuer in every token.`,
    backup &&
      html`Set <code>BACKUP_PASSPHRASE</code> and run <code>npm start -- backup FILE</code> every night.`,
    site && html`<a href="/console/sites/new">Make the first site</a> of a partner.`,
  ]
  return steps.filter((step): step is Html => step !== false)
}
