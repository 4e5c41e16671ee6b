import { html, nothing, type TemplateResult } from 'lit-html'
import { get } from '#foundation/web/client/api.ts'
import { ago } from '#foundation/web/client/format.ts'
import { openPage, setQuery, takeFirst, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { badge } from '#foundation/web/client/parts.ts'
import { createTable } from '#foundation/web/client/table.ts'
import type { ManagedSite } from './api-types.ts'
import { sitesOf, WAITING } from './first-calls.ts'
import { decisionButtons } from './site-approval.ts'
import { SITES_TEXTS, type SitesText } from './sites-texts.ts'

/* Console › Sites: those that one is ADMIN of, all for an operator, who also decides here about those that wait. */

const t = texts(SITES_TEXTS)
const PAUSE_MS = 300
const TONES = { active: 'good', pending: 'warn' } as const

const is_operator = takeFirst('is_operator') === true
let query = new URLSearchParams(location.search)
let waiting = 0
let timer: ReturnType<typeof setTimeout> | undefined

const update = openPage(view)
const rows = {
  label: t('sites'),
  path: (cursor?: string) => sitesOf(query, cursor),
  keyOf: ({ site_id }: ManagedSite) => site_id,
  href: ({ site_id }: ManagedSite) => `/console/sites/${site_id}`,
  update: () => update(),
}
const cut = (text: string) => html`<span class="cut short" title=${text}>${text}</span>`
const nameColumn = {
  title: t('name'),
  cell: ({ name, site_code }: ManagedSite) =>
    html`${cut(name)} <span class="cut short quiet-text">${site_code}</span>`,
}
const domainColumn = {
  id: 'domain',
  title: t('domain'),
  cell: ({ domain, domain_verified }: ManagedSite) =>
    html`${cut(domain)}
    ${badge(t(domain_verified ? 'verified' : 'unverified'), domain_verified ? 'good' : 'none')}`,
}
const sinceColumn = {
  id: 'since',
  title: t('since'),
  cell: ({ created_at }: ManagedSite) => ago(created_at),
}
const all = createTable<ManagedSite>({
  ...rows,
  name: 'sites',
  empty: t('none'),
  columns: [
    nameColumn,
    {
      id: 'environment',
      title: t('environment_plan'),
      cell: ({ environment, plan }) =>
        html`<span class="cut short">${t(environment)}</span> <span class="quiet-text">${plan}</span>`,
    },
    { id: 'state', title: t('state'), cell: ({ status }) => badge(t(status), TONES[status]) },
    domainColumn,
    { id: 'members', title: t('members'), cell: ({ members }) => members, isNumber: true },
    {
      id: 'key_used',
      title: t('key_used'),
      cell: ({ key_used_at }) => (key_used_at === null ? t('never') : ago(key_used_at)),
    },
    sinceColumn,
    { id: 'tenant', title: t('tenant'), cell: ({ tenant_name }) => cut(tenant_name), isHidden: true },
  ],
})
const pending = createTable<ManagedSite>({
  ...rows,
  empty: t('none_waits'),
  columns: [
    nameColumn,
    domainColumn,
    {
      title: t('asked_by'),
      cell: ({ created_by_email, tenant_name }) =>
        html`${cut(created_by_email ?? t('erased_account'))}
          <span class="cut short quiet-text" title=${tenant_name}>${tenant_name}</span>`,
    },
    sinceColumn,
    {
      title: t('act'),
      cell: (site) => decisionButtons(site, { approved: load, refused: load }),
    },
  ],
})
const isDeciding = () => is_operator && query.get('status') === 'pending'
const table = () => (isDeciding() ? pending : all)

async function load(): Promise<void> {
  await Promise.all([table().load(), countWaiting()])
}

/** The list says itself when it cannot be read. */
async function countWaiting(): Promise<void> {
  if (!is_operator) return
  waiting = await get<{ total: number }>(WAITING).then(
    ({ total }) => total,
    () => 0,
  )
  update()
}

function view(): TemplateResult {
  return html`<form class="bar" role="search" @submit=${submit}>
      <label class="choice search"
        ><span>${t('search')}</span>
        <input
          name="q"
          type="search"
          value=${query.get('q') ?? ''}
          maxlength="200"
          spellcheck="false"
          autocomplete="off"
          @input=${type}
      /></label>
      <button class="second">${t('find')}</button>
      <button type="button" @click=${() => location.assign('/console/sites/new')}>${t('new_site')}</button>
    </form>
    ${waitingNote()}
    <div class="bar filters">
      ${choice('environment', t('environment'), ['production', 'sandbox'])}
      ${choice('status', t('state'), ['active', 'pending'])} ${isDeciding() ? nothing : all.tools()}
    </div>
    ${table().view()}`
}

function waitingNote(): TemplateResult | typeof nothing {
  if (waiting === 0 || isDeciding()) return nothing
  return html`<p class="note">
    ${t('waiting', { count: waiting })} <a href="/console/sites?status=pending">${t('show_waiting')}</a>
  </p>`
}

function search(text: string): void {
  clearTimeout(timer)
  filter({ q: text })
}

function filter(values: Record<string, string>): void {
  query = setQuery(values)
  update()
  void table().load()
}

function submit(event: SubmitEvent): void {
  event.preventDefault()
  const text = new FormData(event.target as HTMLFormElement).get('q')
  search(typeof text === 'string' ? text.trim() : '')
}

function type(event: Event): void {
  clearTimeout(timer)
  const text = (event.target as HTMLInputElement).value.trim()
  timer = setTimeout(() => search(text), PAUSE_MS)
}

function choice(name: string, label: string, options: readonly SitesText[]): TemplateResult {
  const value = query.get(name) ?? ''
  return html`<label class="choice"
    ><span>${label}</span>
    <select
      name=${name}
      @change=${(event: Event) => filter({ [name]: (event.target as HTMLSelectElement).value })}
    >
      <option value="" ?selected=${value === ''}>${t('any')}</option>
      ${options.map((one) => html`<option value=${one} ?selected=${one === value}>${t(one)}</option>`)}
    </select></label
  >`
}

openPaletteByKey()
void load()
