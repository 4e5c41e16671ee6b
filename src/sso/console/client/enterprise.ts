import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf } from '#foundation/web/client/api.ts'
import { ago } from '#foundation/web/client/format.ts'
import { openPage, setQuery, takeFirst, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { badge } from '#foundation/web/client/parts.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Connection, OwnSite, ScimTokens } from './api-types.ts'
import { detailOf, TONES, TYPES } from './enterprise-detail.ts'
import { domainSection } from './enterprise-domains.ts'
import { addConnection } from './enterprise-forms.ts'
import { lastSignIns, type SignInLine, signInSection } from './enterprise-sign-ins.ts'
import { scimSection, scimTokens } from './enterprise-scim.ts'
import { ENTERPRISE_TEXTS } from './enterprise-texts.ts'
import { connectionsOf, OWN_SITES } from './first-calls.ts'

/* Console › Enterprise: the connections of one site to identity providers, and one of them in full. */

const t = texts(ENTERPRISE_TEXTS)

const is_operator = takeFirst('is_operator') === true
let query = new URLSearchParams(location.search)
let sites: OwnSite[] | undefined
let connections: Connection[] | undefined
let signIns: SignInLine[] | undefined
let tokens: ScimTokens | undefined
let fault: TemplateResult | string = ''

const update = openPage(view)
const tell = (error: unknown) => toast(refusalOf(error).message)

const site = (): OwnSite | undefined =>
  sites?.find(
    ({ site_id, site_code }) => site_id === query.get('site_id') || site_code === query.get('site_code'),
  ) ?? (query.has('site_id') || query.has('site_code') ? undefined : sites?.[0])
const opened = (): Connection | undefined =>
  connections?.find(({ connection_id }) => connection_id === query.get('open'))

async function load(): Promise<void> {
  try {
    sites ??= await ownSites()
    const at = site()
    // Without the plan the API would only refuse.
    const isAsked = at && at.plan !== 'starter'
    connections = isAsked ? (await get<{ items: Connection[] }>(connectionsOf(at.site_id))).items : []
    fault = at && !isAsked ? t('plan') : ''
    if (query.get('open') && !opened()) leave(t('gone'))
  } catch (error) {
    const { status, message } = refusalOf(error)
    connections = []
    fault = status === 403 ? t('plan') : message
  }
  update()
  const [shown, at] = [opened(), site()]
  if (!shown || !at) return
  ;[signIns, tokens] = await Promise.all([
    lastSignIns(at.site_id, shown.connection_id).catch((error: unknown) => {
      tell(error)
      return []
    }),
    scimTokens(shown).catch(() => undefined),
  ])
  update()
}

/** The partners' sites, and the one of the address in any case: an operator may have more than the list tells. */
async function ownSites(): Promise<OwnSite[]> {
  const own = (await get<{ items: OwnSite[] }>(OWN_SITES)).items.filter(
    ({ is_first_party }) => !is_first_party,
  )
  const asked = query.get('site_id')
  if (!is_operator || !asked || own.some(({ site_id }) => site_id === asked)) return own
  return [await get<OwnSite>(`/api/v1/sites/${encodeURIComponent(asked)}`), ...own]
}

/** Back to the list, saying why. */
function leave(text: string): void {
  query = setQuery({ open: undefined })
  toast(text)
}

function keep(saved: Connection): void {
  connections = connections?.map((one) => (one.connection_id === saved.connection_id ? saved : one))
  update()
}

const linkTo = (site_id: string, open?: string) =>
  `?${new URLSearchParams({ site_id, ...(open !== undefined && { open }) }).toString()}`

function view(): TemplateResult {
  const shown = opened()
  if (!shown) return listOf()
  const removed = () => {
    query = setQuery({ open: undefined })
    return load()
  }
  return html`<p class="trail"><a href=${linkTo(shown.site_id)}>${t('all')}</a></p>
    ${detailOf(shown, { keep, reload: load, removed })} ${domainSection(shown, is_operator, load)}
    ${scimSection(shown, tokens, { keep, reload: load })} ${signInSection(signIns)}`
}

function listOf(): TemplateResult {
  if (sites?.length === 0)
    return html`<p class="empty">${t('no_sites')} <a href="/console/sites/new">${t('new_site')}</a></p>`
  const at = site()
  return html`<div class="bar">
      <label class="choice"
        ><span>${t('site')}</span>
        <select name="site_id" @change=${(event: Event) => choose((event.target as HTMLSelectElement).value)}>
          ${sites?.map(
            ({ site_id, name }) =>
              html`<option value=${site_id} ?selected=${site_id === at?.site_id}>${name}</option>`,
          )}
        </select></label
      >
      ${
        fault || !at
          ? nothing
          : (['saml', 'oidc'] as const).map(
              (type) =>
                html`<button type="button" @click=${() => add(at, type)}>
                  ${type === 'saml' ? t('add_saml') : t('add_oidc')}
                </button>`,
            )
      }
    </div>
    ${fault ? html`<p class="empty" role="alert">${fault}</p>` : tableOf(at)}`
}

function tableOf(at: OwnSite | undefined): TemplateResult {
  if (connections?.length === 0) return html`<p class="empty">${t('none')}</p>`
  const lines = connections?.map(
    ({ connection_id, name, type, status, domains, created_at }) =>
      html`<tr>
        <td dir="auto"><a href=${linkTo(at?.site_id ?? '', connection_id)}>${name}</a></td>
        <td>${TYPES[type]}</td>
        <td>${badge(t(status), TONES[status])}</td>
        <td>
          ${
            domains.length === 0
              ? '–'
              : t('verified', {
                  verified: domains.filter(({ verified_at }) => verified_at !== null).length,
                  all: domains.length,
                })
          }
        </td>
        <td>${ago(created_at)}</td>
      </tr>`,
  )
  const skeleton = Array.from(
    { length: 4 },
    () =>
      html`<tr class="skeleton">
        ${Array.from({ length: 5 }, () => html`<td><i></i></td>`)}
      </tr>`,
  )
  return html`<div
    class="scroll"
    role="region"
    tabindex="0"
    aria-label=${t('connections')}
    aria-busy=${connections === undefined}
  >
    <table>
      <thead>
        <tr>
          ${(['name', 'type', 'state', 'domains', 'made'] as const).map((name) => html`<th scope="col">${t(name)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${lines ?? skeleton}
      </tbody>
    </table>
  </div>`
}

function choose(site_id: string): void {
  query = setQuery({ site_id, site_code: undefined, open: undefined })
  ;[connections, fault] = [undefined, '']
  update()
  void load()
}

const add = ({ site_id }: OwnSite, type: Connection['type']) =>
  addConnection(site_id, type, ({ connection_id }) => location.assign(linkTo(site_id, connection_id)))

openPaletteByKey()
void load()
