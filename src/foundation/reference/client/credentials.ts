import { html, type TemplateResult } from 'lit-html'
import { texts } from '../../web/client/page.ts'
import type { Operation } from './description.ts'
import { REFERENCE_TEXTS } from './reference-texts.ts'

const t = texts(REFERENCE_TEXTS)

/** What somebody typed; it lives in memory, and cookies are never sent: a link to this page cannot act for anybody. */
const typed = { bearer: '', site_key: '' }
type Scheme = keyof typeof typed
const SCHEMES = ['bearer', 'site_key'] as const

const field = (scheme: Scheme, label: string): TemplateResult =>
  html`<label
    >${label}
    <input
      type="password"
      autocomplete="off"
      spellcheck="false"
      .value=${typed[scheme]}
      @input=${({ target }: { target: HTMLInputElement }) => {
        typed[scheme] = target.value.trim()
      }}
    />
  </label>`

/** The schemes that a route takes. */
export const schemesOf = ({ security = [] }: Operation): Scheme[] =>
  SCHEMES.filter((scheme) => security.some((one) => scheme in one))

/** The header of a scheme. */
export const headerOf = (scheme: Scheme, value: string): Record<string, string> =>
  scheme === 'bearer' ? { Authorization: `Bearer ${value}` } : { 'X-SSO-Site-Key': value }

export const credentials = {
  view: (): TemplateResult =>
    html`<fieldset class="credentials">
      <legend>${t('credentials')}</legend>
      <p class="quiet-text">${t('credentials_text')}</p>
      <div class="bar">${field('bearer', t('token'))} ${field('site_key', t('site_key'))}</div>
    </fieldset>`,
  /** The headers for a route: of the first scheme that it takes and somebody typed. */
  headersFor(operation: Operation): Record<string, string> {
    const scheme = schemesOf(operation).find((one) => typed[one] !== '')
    return scheme ? headerOf(scheme, typed[scheme]) : {}
  },
}
