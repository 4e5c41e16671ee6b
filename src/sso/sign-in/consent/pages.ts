import { type Html, html, textsOf } from '../../core/pages/html.ts'
import { layOut, links } from '../../core/pages/layout.ts'
import { SCOPES } from './purpose.ts'
import words from './words.json' with { type: 'json' }
import type { Parties } from './parties.ts'

export const t = textsOf(words)

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
    title: t('title', { site: parties.site_name }),
    main: html` <p class="lead">${t('signed_in_as', { email: html`<strong>${parties.email}</strong>` })}</p>
      ${factsOf(parties)}
      <h2>${t('receives', { site: parties.site_name })}</h2>
      ${listOf(scopes)}
      <p class="hint">${t('of_members')}</p>
      <form method="post" action="/sign-in/consent${query}">
        <input type="hidden" name="form_token" value="${form_token}" />
        <div class="choice">
          <button type="submit" name="decision" value="cancel" class="second">${t('cancel')}</button>
          <button type="submit" name="decision" value="allow" class="second">${t('allow')}</button>
        </div>
      </form>
      ${links({ href: `/sign-in${query}&other=1`, text: t('somebody_else') })}`,
    footer: html`<p>${t('go_on_to', { host: returns_to })}</p>`,
  })

/** An unverified domain is not shown, since it may belong to anybody. */
export const factsOf = ({
  domain,
  is_domain_verified,
  tenant_name,
}: Omit<Parties, 'email' | 'locale' | 'site_name'>): Html =>
  html`<dl class="facts">
    <div>
      <dt>${t('domain')}</dt>
      <dd>
        ${is_domain_verified ? html`${domain} <span class="mark">${t('verified')}</span>` : html`<span class="mark warn">${t('not_verified')}</span>`}
      </dd>
    </div>
    <div>
      <dt>${t('run_by')}</dt>
      <dd>${tenant_name}</dd>
    </div>
  </dl>`

/** What each scope gives to a site, in words for the person. */
export const listOf = (scopes: readonly string[]): Html =>
  html`<ul class="receives">
    ${SCOPES.filter((scope) => scopes.includes(scope)).map((scope) => html`<li>${t(scope)}</li>`)}
  </ul>`
