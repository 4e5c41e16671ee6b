import { type Html, html } from '../../core/pages/html.ts'
import { layOut, links } from '../../core/pages/layout.ts'
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

/** Asks whether a partner's site may know the person. Both buttons look alike, and neither is preselected. */
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

/** An unverified domain is not shown, since it may belong to anybody. */
export const factsOf = ({
  domain,
  is_domain_verified,
  tenant_name,
}: Omit<Parties, 'email' | 'site_name'>): Html =>
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

export const listOf = (scopes: readonly string[]): Html =>
  html`<ul class="receives">
    ${wordsOf(scopes).map((words) => html`<li>${words}</li>`)}
  </ul>`
