import { html, nothing, type TemplateResult } from 'lit-html'
import { showDialog } from '#foundation/web/client/dialog.ts'
import { texts } from '#foundation/web/client/page.ts'
import { copyButton } from '#foundation/web/client/parts.ts'
import type { DomainProof, FullSite, ImportQuota, ManagedSite, OpenIdClient, SiteKey } from './api-types.ts'
import { SITE_TEXTS, type SiteText } from './site-texts.ts'

/* What the sections of the page about one site share. */

const t = texts(SITE_TEXTS)

/** One site, and what happens after an act: everything is read again, and the person is told. */
export type Scene = {
  is_operator: boolean
  site: FullSite
  managed: ManagedSite
  keys: readonly SiteKey[]
  proof: DomainProof
  /** Null for none. This and the quota come last. */
  client: OpenIdClient | null | undefined
  quota: ImportQuota | undefined
  done: (text?: string) => Promise<void>
}

/** A new secret, which no answer holds again. */
export const showSecret = (title: string, secret: string): void =>
  showDialog(
    title,
    html`<p>${t('secret_text')}</p>
      <p class="secret">${secret}</p>
      ${copyButton(secret)}`,
  )

export const textIn = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** One address a line. */
export const linesIn = (form: FormData, name: string): string[] =>
  textIn(form, name).split(/\s+/).filter(Boolean)

export const addressField = (name: SiteText, all: readonly string[]): TemplateResult =>
  html`<label
    >${t(name)}
    <textarea
      name=${name}
      rows="3"
      spellcheck="false"
      placeholder="https://"
      .value=${all.join('\n')}
    ></textarea
    ><small>${t('one_a_line')}</small></label
  >`

/** Addresses below each other. */
export const addressesOf = (all: readonly string[]): TemplateResult | string =>
  all.length === 0 ? '–' : html`${all.map((one, i) => html`${i > 0 ? html`<br />` : nothing}${one}`)}`
