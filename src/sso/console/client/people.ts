import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf, send } from '#foundation/web/client/api.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { ago } from '#foundation/web/client/format.ts'
import { openPage, setQuery, takeFirst, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { badge } from '#foundation/web/client/parts.ts'
import { createTable } from '#foundation/web/client/table.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Found, OwnSite, User } from './api-types.ts'
import { findOf, OWN_SITES, peopleOf, SEEN_VALUES } from './first-calls.ts'
import { actsOn, nameOf as wordsOf } from './people-acts.ts'
import { PEOPLE_TEXTS, type PeopleText, ROLES } from './people-texts.ts'

/* Console › People: who is at the sites, found by name or by any id from a log. */

const t = texts(PEOPLE_TEXTS)
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const PAUSE_MS = 300

const is_operator = takeFirst('is_operator') === true
let query = new URLSearchParams(location.search)
let sites: OwnSite[] | undefined
/** What the text of the search names as an id. */
let hits: Found[] | undefined
let timer: ReturnType<typeof setTimeout> | undefined

const update = openPage(view)
const table = createTable<User>({
  label: t('people'),
  path: (cursor, sort) => peopleOf(query, siteCode(), { cursor, sort }),
  name: 'people',
  empty: t('none'),
  keyOf: ({ user_id }) => user_id,
  href: ({ user_id }) => pageOf(user_id),
  update: () => update(),
  selection: {
    nameOf: wordsOf,
    actions: (people, clear) =>
      actsOn({
        people,
        site_code: siteCode(),
        done: () => {
          clear()
          void table.load()
        },
      }),
  },
  columns: [
    { title: t('name'), cell: nameOf, sort: 'display_name' },
    { id: 'state', title: t('state'), cell: stateOf },
    {
      id: 'roles',
      title: t('roles'),
      cell: ({ roles }) => html`<span class="cut short" title=${rolesOf(roles)}>${rolesOf(roles)}</span>`,
    },
    { id: 'factor', title: t('factor'), cell: ({ mfa_methods }) => mfa_methods.join(', ') || '–' },
    {
      id: 'last',
      title: t('last'),
      cell: ({ last_login_at }) => timeOf(last_login_at),
      sort: 'last_login_at',
    },
    {
      id: 'since',
      title: t('since'),
      cell: ({ created_at }) => ago(created_at),
      sort: 'created_at',
      isHidden: true,
    },
    {
      id: 'external_id',
      title: t('external_id'),
      cell: ({ external_id }) => external_id ?? '–',
      isHidden: true,
    },
  ],
})

const timeOf = (time: string | null) => (time === null ? t('never') : ago(time))
const pageOf = (user_id: string) => `/console/people/${user_id}`

function nameOf({ display_name, email }: User): TemplateResult {
  return html`<span class="cut">${display_name ?? email}</span>
    <span class="cut quiet-text">${display_name === null ? '' : email}</span>`
}

const rolesOf = (roles: User['roles']) =>
  roles.map(({ site_code, role }) => `${role} · ${site_code}`).join(', ') || '–'

function stateOf({ status, member_status }: User): TemplateResult {
  if (status === 'suspended') return badge(t('suspended'), 'warn')
  return member_status === 'suspended' ? badge(t('suspended_here'), 'warn') : badge(t('active'), 'good')
}

/** An operator sees everybody; an ADMIN the people of one site. */
const siteCode = () => query.get('site_code') ?? (is_operator ? null : (sites?.[0]?.site_code ?? null))
const tell = (error: unknown) => toast(refusalOf(error).message)

async function load(): Promise<void> {
  try {
    sites = (await get<{ items: OwnSite[] }>(OWN_SITES)).items
    update()
    if (is_operator || siteCode() !== null) await Promise.all([table.load(), findHits()])
  } catch (error) {
    tell(error)
  }
}

/** Searches for people by words, and for what has the text as its id. */
async function search(text: string, isTyped: boolean): Promise<void> {
  clearTimeout(timer)
  query = setQuery({ q: text })
  update()
  const [found] = await Promise.all([findHits(), UUID.test(text) ? undefined : table.load()])
  const people = new Set(found.map(({ user_id }) => user_id))
  const [only] = people
  if (isTyped && UUID.test(text) && only && people.size === 1) location.assign(pageOf(only))
}

async function findHits(): Promise<Found[]> {
  const text = query.get('q') ?? ''
  hits = undefined
  if (!text) return []
  try {
    const { items } = await get<{ items: Found[] }>(findOf(text))
    if (text === query.get('q')) hits = items
    update()
    return items
  } catch (error) {
    tell(error)
    return []
  }
}

function view(): TemplateResult {
  if (sites?.length === 0 && !is_operator)
    return html`<p class="empty">${t('no_sites')} <a href="/console/sites/new">${t('new_site')}</a></p>`
  const text = query.get('q') ?? ''
  return html`<form class="bar" role="search" @submit=${submit}>
      <label class="choice search"
        ><span>${t('search')}</span>
        <input
          name="q"
          type="search"
          value=${text}
          maxlength="200"
          spellcheck="false"
          autocomplete="off"
          @input=${type}
      /></label>
      <button class="second">${t('find')}</button>
      <button type="button" @click=${create}>${t('create')}</button>
    </form>
    <div class="bar filters">
      ${choice('site_code', t('site'), sites?.map(({ site_code, name }) => [site_code, name]) ?? [])}
      ${choice(
        'role',
        t('role'),
        ROLES.map((one) => [one, one]),
      )}
      ${choice(
        'status',
        t('state'),
        (['active', 'suspended'] as const).map((one) => [one, t(one)]),
      )}
      ${choice('mfa_enabled', t('factor'), [
        ['true', t('with')],
        ['false', t('without')],
      ])}
      ${choice(
        'seen',
        t('last'),
        SEEN_VALUES.map((one) => [one, t(one as PeopleText)]),
      )}
      ${table.tools()}
    </div>
    ${hitsOf(text)} ${UUID.test(text) ? nothing : table.view()}`
}

function hitsOf(text: string): TemplateResult | typeof nothing {
  if (hits === undefined || (hits.length === 0 && !UUID.test(text))) return nothing
  if (hits.length > 0)
    return html`<ul class="hits">
      ${hits.map((hit) => html`<li>${t(`is_${hit.kind}`, { site: hit.site_code ?? '' })}: ${linksOf(hit)}</li>`)}
    </ul>`
  // Only requests have ids of version 8.
  return html`<p class="hits" role="status">${t(text[14] === '8' ? 'is_request' : 'nothing_found')}</p>`
}

function linksOf({ kind, id, site_code, user_id, display_name, email, webhook_id, run }: Found) {
  const at = new URLSearchParams({ site_code: site_code ?? '' })
  const place = {
    site: `/console/sites/${id}`,
    import: `/console/imports?${at}&open=${id}`,
    order: `/console/orders?open=${id}`,
  }
  const thing = kind === 'site' || kind === 'import' || kind === 'order' ? place[kind] : undefined
  const delivery = webhook_id && `/console/webhooks?${at}&open=${id}.${webhook_id}.${run ?? 1}`
  return html`${user_id ? html`<a href=${pageOf(user_id)} dir="auto">${display_name ?? email}</a>` : nothing}
  ${thing ? html`<a href=${thing}>${id}</a>` : nothing}
  ${kind === 'event' && !user_id ? t('erased_person') : nothing}
  ${delivery ? html`· <a href=${delivery}>${t('event_place')}</a>` : nothing}`
}

function submit(event: SubmitEvent): void {
  event.preventDefault()
  const text = new FormData(event.target as HTMLFormElement).get('q')
  void search(typeof text === 'string' ? text.trim() : '', true)
}

function type(event: Event): void {
  clearTimeout(timer)
  const text = (event.target as HTMLInputElement).value.trim()
  timer = setTimeout(() => void search(text, true), PAUSE_MS)
}

function choice(name: string, label: string, options: (readonly [string, string])[]): TemplateResult {
  const isSite = name === 'site_code'
  const value = (isSite ? siteCode() : query.get(name)) ?? ''
  const change = (event: Event) => {
    query = setQuery({ [name]: (event.target as HTMLSelectElement).value })
    update()
    void table.load()
  }
  return html`<label class="choice"
    ><span>${label}</span>
    <select name=${name} @change=${change}>
      ${isSite && !is_operator ? nothing : html`<option value="" ?selected=${value === ''}>${t('any')}</option>`}
      ${options.map(([one, text]) => html`<option value=${one} ?selected=${one === value}>${text}</option>`)}
    </select></label
  >`
}

/** Without a password the service sends an invitation. */
function create(): void {
  const field = (name: PeopleText, required = false, kind = 'text') =>
    html`<label
      >${t(name)} <input name=${name} type=${kind} ?required=${required} autocomplete="off"
    /></label>`
  openDialog({
    title: t('create'),
    draft: 'new_person',
    content: html`<p>${t('create_text')}</p>
      ${field('email', true, 'email')}
      <div class="fields">
        ${field('given_name')} ${field('family_name')} ${field('display_name')} ${field('username')}
        <label
          >${t('site')}
          <select name="site_code" required>
            ${siteCode() === null ? html`<option></option>` : nothing}
            ${sites?.map(({ site_code, name }) => html`<option value=${site_code} ?selected=${site_code === siteCode()}>${name}</option>`)}
          </select></label
        >
        <label
          >${t('role')}
          <select name="role">
            ${ROLES.map((one) => html`<option>${one}</option>`)}
          </select></label
        >
        ${field('external_id')} ${field('locale')}
      </div>`,
    submit: t('invite'),
    isWide: true,
    async act(form) {
      const body = Object.fromEntries([...form].filter(([, value]) => value !== ''))
      // Everybody has the role USER; only a greater one is given.
      if (body['role'] === 'USER') delete body['role']
      const { user_id, email } = await send<User>('POST', '/api/v1/users', body)
      toast(t('invited', { email }))
      location.assign(pageOf(user_id))
    },
  })
}

openPaletteByKey()
void load()
