import { html, nothing, type TemplateResult } from 'lit-html'
import { get, send } from '#foundation/web/client/api.ts'
import { saveEdit } from '#foundation/web/client/conflict.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { texts } from '#foundation/web/client/page.ts'
import { copyButton, facts } from '#foundation/web/client/parts.ts'
import type { ClientScope, OpenIdClient } from './api-types.ts'
import { sitePath } from './first-calls.ts'
import { addressesOf, addressField, linesIn, type Scene, showSecret, textIn } from './site-parts.ts'
import { SITE_TEXTS } from './site-texts.ts'

/* The OpenID client of a site: its settings and its secret. */

const t = texts(SITE_TEXTS)
const SCOPES = [
  'users:read',
  'users:write',
  'roles:assign',
  'sessions:revoke',
  'webhooks:manage',
  'bulk:import',
  'payments:read',
  'site:manage',
  'audit:read',
] as const satisfies readonly ClientScope[]
const NAMES = [
  'redirect_uris',
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
  'scopes',
  'requires_pkce',
] as const
type Settings = Pick<OpenIdClient, (typeof NAMES)[number]>
const NEW: Settings = {
  redirect_uris: [],
  post_logout_redirect_uris: [],
  backchannel_logout_uri: null,
  scopes: [],
  requires_pkce: true,
}
export const clientPath = (site_id: string): string => `${sitePath(site_id)}/openid-client`
const pathOf = ({ site }: Scene) => clientPath(site.site_id)

export function clientSection(scene: Scene): TemplateResult {
  const { client } = scene
  return html`<section>
    <div class="bar">
      <h2>${t('client')}</h2>
      ${client ? clientButtons(scene, client) : nothing}
      ${
        client === null
          ? html`<button type="button" class="second small" @click=${() => create(scene)}>
              ${t('client_create')}
            </button>`
          : nothing
      }
    </div>
    <p class="quiet-text">${t('client_text')}</p>
    ${client ? clientFacts(client) : html`<p class="empty">${client === null ? t('client_none') : '…'}</p>`}
  </section>`
}

const clientButtons = (scene: Scene, client: OpenIdClient) =>
  html`<button type="button" class="second small" @click=${() => edit(scene, client)}>
      ${t('client_edit')}
    </button>
    <button type="button" class="second small" @click=${() => renew(scene)}>${t('client_renew')}</button>
    <button type="button" class="quiet small" @click=${() => remove(scene)}>${t('client_remove')}</button>`

const clientFacts = (client: OpenIdClient) =>
  facts([
    [t('client_id'), html`<span class="mono">${client.client_id}</span> ${copyButton(client.client_id)}`],
    [t('issuer'), html`<span class="mono">${client.issuer}</span> ${copyButton(client.issuer)}`],
    [t('redirect_uris'), addressesOf(client.redirect_uris)],
    [t('post_logout_redirect_uris'), addressesOf(client.post_logout_redirect_uris)],
    [t('backchannel_logout_uri'), client.backchannel_logout_uri ?? '–'],
    [t('scopes'), client.scopes.join(', ') || '–'],
    [t('requires_pkce'), t(client.requires_pkce ? 'yes' : 'no')],
  ])

const fieldsOf = (client: Settings): TemplateResult =>
  html`${addressField('redirect_uris', client.redirect_uris)}
    ${addressField('post_logout_redirect_uris', client.post_logout_redirect_uris)}
    <label
      >${t('backchannel_logout_uri')}
      <input
        name="backchannel_logout_uri"
        maxlength="2048"
        spellcheck="false"
        autocomplete="off"
        placeholder="https://"
        .value=${client.backchannel_logout_uri ?? ''}
    /></label>
    <fieldset class="options">
      <legend>${t('scopes')}</legend>
      <div class="fields">
        ${SCOPES.map(
          (scope) =>
            html`<label class="check"
              ><input
                type="checkbox"
                name="scopes"
                value=${scope}
                .checked=${client.scopes.includes(scope)}
              />
              <code>${scope}</code></label
            >`,
        )}
      </div>
    </fieldset>
    <label class="check"
      ><input type="checkbox" name="requires_pkce" .checked=${client.requires_pkce} />
      ${t('requires_pkce')}</label
    >`

const settingsIn = (form: FormData): Settings => ({
  redirect_uris: linesIn(form, 'redirect_uris'),
  post_logout_redirect_uris: linesIn(form, 'post_logout_redirect_uris'),
  backchannel_logout_uri: textIn(form, 'backchannel_logout_uri') || null,
  // The service sorts them too.
  scopes: form.getAll('scopes').map(String).toSorted(),
  requires_pkce: form.has('requires_pkce'),
})

/** Version 0: refused if somebody else has made one meanwhile, whose settings it would replace. */
function create(scene: Scene): void {
  openDialog({
    title: t('client_create'),
    content: fieldsOf(NEW),
    submit: t('client_create'),
    isWide: true,
    async act(form) {
      const body = settingsIn(form)
      const { client_secret } = await send<{ client_secret: string }>('PUT', pathOf(scene), body, 0)
      showSecret(t('client_secret'), client_secret)
      void scene.done()
    },
  })
}

/** The route replaces all settings; what was not changed here is sent as it stands by then. */
function edit(scene: Scene, client: OpenIdClient): void {
  let latest = client
  openDialog({
    title: t('client_edit'),
    content: fieldsOf(client),
    submit: t('save'),
    isWide: true,
    async act(form) {
      const saved = await saveEdit<OpenIdClient>({
        was: client,
        yours: settingsIn(form),
        names: Object.fromEntries(NAMES.map((name) => [name, t(name)])),
        read: async () => (latest = await get<OpenIdClient>(pathOf(scene))),
        save: (changes, version) =>
          send<OpenIdClient>('PUT', pathOf(scene), { ...settingsOf(latest), ...changes }, version),
      })
      if (!saved) return false
      return scene.done(t('saved'))
    },
  })
}

const settingsOf = (client: OpenIdClient) =>
  Object.fromEntries(NAMES.map((name) => [name, client[name]])) as Settings

function renew(scene: Scene): void {
  openDialog({
    title: t('client_renew'),
    content: html`<p>${t('client_renew_text')}</p>`,
    submit: t('client_renew'),
    isDangerous: true,
    typed: scene.site.site_code,
    async act() {
      const { client_secret } = await send<{ client_secret: string }>('POST', `${pathOf(scene)}/secret`)
      showSecret(t('client_secret'), client_secret)
      void scene.done()
    },
  })
}

function remove(scene: Scene): void {
  openDialog({
    title: t('client_remove'),
    content: html`<p>${t('client_remove_text')}</p>`,
    submit: t('client_remove'),
    isDangerous: true,
    typed: scene.site.site_code,
    async act() {
      await send('DELETE', pathOf(scene))
      await scene.done(t('client_removed'))
    },
  })
}
