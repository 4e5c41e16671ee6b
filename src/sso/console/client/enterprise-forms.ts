import { html, nothing, type TemplateResult } from 'lit-html'
import { refusalOf, send } from '#foundation/web/client/api.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { texts } from '#foundation/web/client/page.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Connection } from './api-types.ts'
import { MAPPED } from '../../federation/enterprise/usual-names.ts'
import { lastClaims, NAMES, previewNote, previewOf, showPreview } from './enterprise-preview.ts'
import { ENTERPRISE_TEXTS } from './enterprise-texts.ts'

/* Dialogs about one connection. Each sends only what was changed, with the version that was read. */

const t = texts(ENTERPRISE_TEXTS)
const SIGNED = ['either', 'assertion', 'response', 'both'] as const
export const FIELDS = MAPPED

type Then = (saved: Connection) => void | Promise<void>
export const pathOf = ({ site_id, connection_id }: Connection): string =>
  `/api/v1/sites/${site_id}/connections/${connection_id}`

export const typedIn = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

export function addConnection(site_id: string, type: Connection['type'], then: Then): void {
  openDialog({
    title: type === 'saml' ? t('add_saml') : t('add_oidc'),
    content: html`<label>${t('name')} <input name="name" required maxlength="100" /></label>
      ${type === 'saml' ? metadataFields(null) : oidcFields(undefined)}`,
    submit: type === 'saml' ? t('add_saml') : t('add_oidc'),
    async act(form) {
      const source = type === 'saml' ? await metadataIn(form) : oidcIn(form, {})
      const body = { type, name: typedIn(form, 'name'), ...source }
      await then(await send<Connection>('POST', `/api/v1/sites/${site_id}/connections`, body))
    },
  })
}

/** Sends the changes with the version that the person saw, and says so if somebody else was faster. */
export async function change(connection: Connection, changes: object, then: Then): Promise<void> {
  if (Object.keys(changes).length === 0) return
  try {
    const saved = await send<Connection>('PATCH', pathOf(connection), changes, connection.version)
    await then(saved)
    toast(t('saved'))
  } catch (error) {
    const { status, errors } = refusalOf(error)
    if (status === 409 && errors.length === 0)
      throw Object.assign(new Error(t('conflict')), { status, errors })
    throw error
  }
}

export function editName(connection: Connection, then: Then): void {
  openDialog({
    title: t('rename'),
    content: html`<label
      >${t('name')} <input name="name" required maxlength="100" .value=${connection.name}
    /></label>`,
    submit: t('rename'),
    act: (form) => change(connection, changed({ name: typedIn(form, 'name') }, connection), then),
  })
}

export function editSource(connection: Connection, then: Then): void {
  const isSaml = connection.type === 'saml'
  openDialog({
    title: t('theirs'),
    content: isSaml ? metadataFields(connection) : oidcFields(connection),
    submit: t('edit'),
    async act(form) {
      if (!isSaml) return change(connection, oidcIn(form, connection), then)
      const { metadata_url, ...more } = await metadataIn(form)
      const source = { ...(metadata_url !== undefined && { metadata_url }), ...more }
      await change(connection, changed(source, connection), then)
    },
  })
}

/** Without the last sign-in there is no preview, and the mapping can be changed all the same. */
export async function editMapping(connection: Connection, then: Then): Promise<void> {
  const claims = await lastClaims(connection).catch(() => ({ told_at: null, attributes: [] }))
  const { attribute_mapping, role_attribute } = connection
  const rules = rulesOf(connection)
  openDialog({
    title: t('attributes'),
    draft: `mapping.${connection.connection_id}`,
    content: html`<p>${t('attributes_text')}</p>
      ${previewNote(claims)}
      ${FIELDS.map(
        (name) =>
          html`<label
              >${t(name)}
              <input
                name=${name}
                maxlength="200"
                spellcheck="false"
                list=${NAMES}
                placeholder=${t('usual')}
                .value=${attribute_mapping[name] ?? ''}
            /></label>
            ${previewOf(name)}`,
      )}
      <label
        >${t('role_attribute')}
        <input
          name="role_attribute"
          maxlength="200"
          spellcheck="false"
          list=${NAMES}
          .value=${role_attribute ?? ''}
      /></label>
      ${previewOf('role_attribute')}
      <label
        >${t('role_mapping')}
        <textarea name="role_mapping" rows="4" spellcheck="false" .value=${rules}></textarea>
      </label>
      <p class="quiet-text">${t('role_text')}</p>`,
    submit: t('edit'),
    act(form) {
      const mapping = FIELDS.map((name) => [name, typedIn(form, name)] as const).filter(([, value]) => value)
      const wanted = {
        attribute_mapping: Object.fromEntries(mapping),
        role_attribute: typedIn(form, 'role_attribute') || null,
        role_mapping: rulesIn(typedIn(form, 'role_mapping')),
      }
      return change(connection, changed(wanted, connection), then)
    },
  })
  const form = document.querySelector<HTMLFormElement>('dialog[open] form')
  const preview = () => form && showPreview(form, claims, rulesIn)
  form?.addEventListener('input', preview)
  preview()
}

export const rulesOf = ({ role_mapping }: Connection): string =>
  role_mapping.map(({ value, role }) => `${value} = ${role}`).join('\n')

/** One rule a line. A group may hold `=`, a role may not. */
export const rulesIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.lastIndexOf('=')
      return { value: line.slice(0, Math.max(at, 0)).trim(), role: line.slice(at + 1).trim() }
    })

/** What differs from the connection that was read. */
const changed = (wanted: object, connection: Connection): object =>
  Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) =>
        JSON.stringify(value) !== JSON.stringify(connection[name as keyof Connection] ?? null),
    ),
  )

const metadataFields = (connection: Connection | null): TemplateResult =>
  html`<label
      >${t('metadata_url')}
      <input
        name="metadata_url"
        type="url"
        maxlength="2048"
        placeholder="https://"
        .value=${connection?.metadata_url ?? ''}
    /></label>
    <label
      >${t('metadata_file')} <input name="metadata_xml" type="file" accept=".xml,text/xml,application/xml"
    /></label>
    <label
      >${t('signature')}
      <select name="required_signature">
        ${SIGNED.map(
          (one) =>
            html`<option value=${one} ?selected=${one === (connection?.required_signature ?? 'either')}>
              ${t(one)}
            </option>`,
        )}
      </select></label
    >`

/** A file counts before an address. */
async function metadataIn(form: FormData) {
  const file = form.get('metadata_xml')
  const metadata_xml = file instanceof File && file.size > 0 ? await file.text() : undefined
  const metadata_url = typedIn(form, 'metadata_url')
  const source = metadata_xml === undefined ? { ...(metadata_url && { metadata_url }) } : { metadata_xml }
  return { ...source, required_signature: typedIn(form, 'required_signature') } as {
    metadata_url?: string
    metadata_xml?: string
    required_signature: string
  }
}

const oidcFields = (connection: Connection | undefined): TemplateResult =>
  html`<label
      >${t('issuer')}
      <input
        name="issuer"
        type="url"
        required
        maxlength="2048"
        placeholder="https://"
        .value=${connection?.issuer ?? ''}
    /></label>
    <label
      >${t('client_id')}
      <input
        name="client_id"
        required
        maxlength="500"
        spellcheck="false"
        .value=${connection?.client_id ?? ''}
    /></label>
    <label
      >${t('client_secret')}
      <input name="client_secret" type="password" maxlength="1000" autocomplete="new-password"
    /></label>
    ${connection ? html`<p class="quiet-text">${t('secret_text')}</p>` : nothing}`

function oidcIn(form: FormData, before: Partial<Connection>): object {
  const client_secret = typedIn(form, 'client_secret')
  const all = { issuer: typedIn(form, 'issuer'), client_id: typedIn(form, 'client_id') }
  const kept = (['issuer', 'client_id'] as const).filter((name) => all[name] !== before[name])
  return {
    ...Object.fromEntries(kept.map((name) => [name, all[name]])),
    ...(client_secret && { client_secret }),
  }
}
