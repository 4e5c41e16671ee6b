import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf } from '#foundation/web/client/api.ts'
import { ago, exact } from '#foundation/web/client/format.ts'
import { language, openPage, takeFirst, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { badge, copyButton, facts } from '#foundation/web/client/parts.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { DomainProof, FullSite, ImportQuota, ManagedSite, OpenIdClient, SiteKey } from './api-types.ts'
import { managedOf, proofOf, siteKeysOf, sitePath } from './first-calls.ts'
import { type Place, addressOf, titleOf } from './places.ts'
import { decisionButtons } from './site-approval.ts'
import { clientPath, clientSection } from './site-client.ts'
import { dangerSection, limitSection, quotaOf, sandboxSection } from './site-acts.ts'
import { domainSection, settingSection } from './site-settings.ts'
import { keySection } from './site-keys.ts'
import type { Scene } from './site-parts.ts'
import { SITE_TEXTS } from './site-texts.ts'

/* Console › Sites › one site: what it is, how it is set, its keys, and everything that may be done with it. */

const t = texts(SITE_TEXTS)
const PLACES = ['people', 'webhooks', 'imports', 'enterprise', 'orders', 'messages', 'audit'] as const

const is_operator = takeFirst('is_operator') === true
const site_id = location.pathname.split('/').at(-1) ?? ''

let scene: Scene | undefined
let fault = ''

const update = openPage(view)

async function load(): Promise<void> {
  try {
    const [site, list, keys, proof] = await Promise.all([
      get<FullSite>(sitePath(site_id)),
      get<{ items: ManagedSite[] }>(managedOf(site_id)),
      get<{ items: SiteKey[] }>(siteKeysOf(site_id)),
      get<DomainProof>(proofOf(site_id)),
    ])
    const [managed] = list.items
    if (!managed) return
    const { client, quota } = scene ?? {}
    scene = { is_operator, site, managed, keys: keys.items, proof, client, quota, done }
    fault = ''
    const heading = document.querySelector('h1')
    if (heading) heading.textContent = site.name
    update()
    await loadMore(scene)
  } catch (error) {
    fault = refusalOf(error).message
  }
  update()
}

/** What only the answers before say where to find. */
async function loadMore(shown: Scene): Promise<void> {
  const { tenant_id, has_openid_client } = shown.managed
  const [client, quota] = await Promise.all([
    has_openid_client ? readClient() : null,
    get<ImportQuota>(quotaOf(tenant_id)),
  ])
  Object.assign(shown, { client, quota })
}

/** Null if somebody has removed it since. */
async function readClient(): Promise<OpenIdClient | null> {
  try {
    return await get<OpenIdClient>(clientPath(site_id))
  } catch (error) {
    if (refusalOf(error).status === 404) return null
    throw error
  }
}

async function done(text?: string): Promise<void> {
  if (text) toast(text)
  await load()
}

function view(): TemplateResult {
  const alert = fault ? html`<p class="fault" role="alert">${fault}</p>` : nothing
  if (!scene) return fault ? html`${alert}` : html`<p class="empty">…</p>`
  return html`${alert} ${pendingNote(scene)} ${factsOf(scene)} ${domainSection(scene)}
  ${settingSection(scene)} ${keySection(scene)} ${clientSection(scene)} ${limitSection(scene)}
  ${sandboxSection(scene)} ${dangerSection(scene)}`
}

function pendingNote({ site }: Scene): TemplateResult | typeof nothing {
  if (site.status !== 'pending') return nothing
  const leave = () => location.replace('/console/sites?status=pending')
  return html`<div class="note">
    ${t('pending_text')}
    ${is_operator ? html`<div class="actions">${decisionButtons(site, { approved: load, refused: leave })}</div>` : nothing}
  </div>`
}

function factsOf({ site, managed }: Scene): TemplateResult {
  const { site_code, environment, status, plan, created_at, tenant_id } = site
  const { tenant_name, members, key_used_at, created_by_email, is_first_party } = managed
  return html`<section>
    <div class="bar">
      <h2>${t('site')}</h2>
      ${is_first_party ? badge(t('first_party'), 'none') : nothing} ${badge(t(environment), 'none')}
      ${badge(t(status), status === 'active' ? 'good' : 'warn')}
    </div>
    ${facts([
      [t('code'), html`<span class="mono">${site_code}</span> ${copyButton(site_code)}`],
      [t('id'), html`<span class="mono">${site_id}</span> ${copyButton(site_id)}`],
      [t('tenant'), html`${tenant_name} <span class="mono">${tenant_id}</span> ${copyButton(tenant_id)}`],
      [t('plan'), plan],
      [t('members'), members],
      [t('key_used'), key_used_at === null ? t('never') : ago(key_used_at)],
      ...(is_operator ? [[t('made_by'), created_by_email ?? '–'] as const] : []),
      [t('since'), exact(created_at)],
    ])}
    <nav class="actions" aria-label=${t('places')}>
      ${PLACES.map((place) => html`<a class="button" href=${linkTo(place, site)}>${titleOf(place, language)}</a>`)}
    </nav>
  </section>`
}

function linkTo(place: Place, { site_code }: FullSite): string {
  const at = place === 'enterprise' ? { site_id } : { site_code }
  return `${addressOf(place)}?${new URLSearchParams(at).toString()}`
}

openPaletteByKey()
void load()
