import { html, type TemplateResult } from 'lit-html'
import { get } from '#foundation/web/client/api.ts'
import { ago } from '#foundation/web/client/format.ts'
import { texts } from '#foundation/web/client/page.ts'
import { MAPPED, mappedValue, valuesOf } from '../../federation/enterprise/usual-names.ts'
import type { Claims, Connection } from './api-types.ts'
import { PREVIEW_TEXTS } from './enterprise-preview-texts.ts'
import { signInPathOf } from './first-calls.ts'

/* What a mapping makes of the person who came from the provider last, while it is typed. */

const t = texts(PREVIEW_TEXTS)
/** The list of names that the provider sends, for the fields of the form. */
export const NAMES = 'claim-names'

/** Rejects with a Refusal. */
export const lastClaims = ({ site_id, connection_id }: Connection): Promise<Claims> =>
  get<Claims>(signInPathOf(site_id, connection_id, 'claims'))

export const previewNote = ({ told_at, attributes }: Claims): TemplateResult =>
  told_at === null
    ? html`<p class="note">${t('nobody')}</p>`
    : html`<p class="note">${t('from')} ${ago(told_at)}. ${t('kept')}</p>
        <datalist id=${NAMES}>
          ${attributes.map(({ name }) => html`<option value=${name}></option>`)}
        </datalist>`

/** Below a field; `showPreview` fills it. */
export const previewOf = (name: string): TemplateResult =>
  html`<output class="quiet-text" dir="auto" data-preview=${name}></output>`

/** Says below each field of the form what it would get. `roles` gives the rules as they are typed. */
export function showPreview(
  form: HTMLFormElement,
  { told_at, attributes }: Claims,
  roles: (text: string) => readonly { value: string; role: string }[],
): void {
  if (told_at === null) return
  const sent = Object.fromEntries(attributes.map(({ name, values }) => [name, values]))
  const typed = (name: string) => {
    const value = new FormData(form).get(name)
    return typeof value === 'string' ? value.trim() : ''
  }
  const say = (name: string, text: string) => {
    const place = form.querySelector(`[data-preview="${name}"]`)
    if (place) place.textContent = text
  }
  const mapping = Object.fromEntries(MAPPED.map((name) => [name, typed(name)]).filter(([, value]) => value))
  for (const name of MAPPED) {
    const value = mappedValue(sent, mapping, name)
    say(name, value === undefined ? t('nothing') : `→ ${value}`)
  }
  const groups = typed('role_attribute')
  if (!groups) return say('role_attribute', '')
  const values = valuesOf(sent, groups)
  const role = roles(typed('role_mapping')).find(({ value }) => values.includes(value))?.role
  say('role_attribute', `→ ${values.join(', ') || t('no_values')} → ${role ?? t('default_role')}`)
}
