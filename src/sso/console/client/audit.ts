import { html, nothing, type TemplateResult } from 'lit-html'
import { get, getFile, refusalOf } from '#foundation/web/client/api.ts'
import { ago, exact } from '#foundation/web/client/format.ts'
import { keepFresh, openPage, setQuery, takeFirst, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { detailPanel, facts, jsonView } from '#foundation/web/client/parts.ts'
import { createTable } from '#foundation/web/client/table.ts'
import { toast } from '#foundation/web/client/toast.ts'
import { saveFile } from '#foundation/web/client/save-file.ts'
import type { AuditLine, OwnSite } from './api-types.ts'
import { ACTIONS, AUDIT_TEXTS } from './audit-texts.ts'
import { AUDIT_FILTERS, auditEntryOf, auditExportOf, auditOf, OWN_SITES } from './first-calls.ts'

/* Console › Audit log: who did what, and one entry in full beside the list. */

const t = texts(AUDIT_TEXTS)
const FOLLOW_MS = 3_000

const is_operator = takeFirst('is_operator') === true
let query = new URLSearchParams(location.search)
let sites: OwnSite[] = []
let entry: AuditLine | undefined
let isSaving = false
/** An ADMIN reads the log of one site: that of the address, or the first they manage. */
let own: string | undefined
let isWithoutSite = false

const asked = () => {
  const search = new URLSearchParams(query)
  if (own && !search.get('site_code')) search.set('site_code', own)
  return search
}

const update = openPage(view)
const table = createTable<AuditLine>({
  label: t('log'),
  name: 'audit',
  path: (cursor) => auditOf(asked(), cursor),
  empty: t('none'),
  keyOf: ({ audit_id }) => audit_id,
  open(line) {
    show(line)
    queueMicrotask(() => document.querySelector<HTMLElement>('.panel')?.focus())
  },
  update: () => update(),
  columns: [
    { title: t('action'), cell: ({ action }) => action },
    { title: t('time'), cell: ({ occurred_at }) => ago(occurred_at) },
    { title: t('site'), cell: ({ site_code }) => site_code ?? '–' },
    { title: t('person'), cell: ({ subject_user_id }) => shortOf(subject_user_id) },
    {
      title: t('actor'),
      cell: ({ actor_user_id, subject_user_id }) =>
        actor_user_id !== null && actor_user_id === subject_user_id
          ? t('themselves')
          : shortOf(actor_user_id),
    },
    { title: t('from'), cell: ({ ip_address }) => ip_address ?? '–' },
  ],
})

/** The end of an id is what differs. */
const shortOf = (user_id: string | null) =>
  user_id === null ? '–' : html`<code title=${user_id}>…${user_id.slice(-12)}</code>`

const tell = (error: unknown) => toast(refusalOf(error).message)

async function load(): Promise<void> {
  const listed = get<{ items: OwnSite[] }>(OWN_SITES).then(({ items }) => {
    sites = items
    update()
  })
  if (!is_operator && !query.get('site_code')) {
    await listed.catch(tell)
    own = sites[0]?.site_code
    isWithoutSite = own === undefined
    if (isWithoutSite) return update()
  }
  const audit_id = query.get('open')
  await Promise.all([table.load(), audit_id ? open(audit_id) : undefined, listed.catch(tell)])
}

async function open(audit_id: string): Promise<void> {
  try {
    const { items } = await get<{ items: AuditLine[] }>(auditEntryOf(asked(), audit_id))
    if (query.get('open') !== audit_id) return
    if (items[0]) return show(items[0])
    toast(t('gone'))
  } catch (error) {
    tell(error)
  }
  close()
}

function show(line: AuditLine): void {
  entry = line
  query = setQuery({ open: line.audit_id })
  update()
}

function close(): void {
  document.querySelector<HTMLElement>('tr[aria-current] button')?.focus()
  entry = undefined
  query = setQuery({ open: undefined })
  update()
}

function filter(values: Record<string, string | undefined>): void {
  entry = undefined
  query = setQuery({ ...values, open: undefined })
  void table.load()
  update()
}

const clear = () => filter(Object.fromEntries(AUDIT_FILTERS.map((name) => [name, undefined])))

/** Takes an id as it is, and finds the id of an address. */
async function filterPerson(name: 'subject' | 'actor', typed: string): Promise<void> {
  if (!typed.includes('@')) return filter({ [name]: typed })
  const search = new URLSearchParams({ email: typed, per_page: '1' })
  const site_code = asked().get('site_code')
  if (site_code) search.set('site_code', site_code)
  try {
    const { items } = await get<{ items: { user_id: string }[] }>(`/api/v1/users?${search.toString()}`)
    if (!items[0]) toast(t('nobody'))
    filter({ [name]: items[0]?.user_id })
  } catch (error) {
    tell(error)
  }
}

async function save(format: 'csv' | 'jsonl'): Promise<void> {
  if (isSaving) return
  isSaving = true
  update()
  toast(t('preparing'))
  try {
    saveFile(await getFile(auditExportOf(asked(), format)), `audit.${format}`)
  } catch (error) {
    tell(error)
  } finally {
    isSaving = false
    update()
  }
}

function view(): TemplateResult {
  if (isWithoutSite) return html`<p class="empty">${t('no_site')}</p>`
  const isFollowing = query.get('follow') === '1'
  return html`<div class="bar filters">
      ${siteFilter()}
      ${
        is_operator && !query.get('site_code')
          ? choice('environment', t('environment'), [
              ['production', t('production')],
              ['sandbox', t('sandbox')],
            ])
          : nothing
      }
      ${typed('action', t('action'), { list: 'actions', pick: (value) => filter({ action: value }) })}
      ${typed('subject', t('subject'), { pick: (value) => void filterPerson('subject', value) })}
      ${typed('actor', t('actor'), { pick: (value) => void filterPerson('actor', value) })}
      ${moment('since', t('since'))} ${moment('until', t('until'))}
      ${
        AUDIT_FILTERS.some((name) => query.get(name))
          ? html`<button type="button" class="quiet small" @click=${clear}>${t('clear')}</button>`
          : nothing
      }
      ${table.tools()}
      <datalist id="actions">${ACTIONS.map((one) => html`<option value=${one}></option>`)}</datalist>
    </div>
    <div class="bar">
      <button
        type="button"
        class="second small"
        aria-pressed=${isFollowing}
        @click=${() => {
          query = setQuery({ follow: isFollowing ? undefined : '1' })
          update()
        }}
      >
        ${t('follow')}
      </button>
      ${(['csv', 'jsonl'] as const).map(
        (format) =>
          html`<button type="button" class="second small" ?disabled=${isSaving} @click=${() => save(format)}>
            ${t(format)}
          </button>`,
      )}
    </div>
    <div class=${entry ? 'with-panel' : ''}>
      <div class="split">
        <div>${table.view(query.get('open') ?? undefined)}</div>
        ${entry ? panelOf(entry) : nothing}
      </div>
    </div>`
}

const personOf = (user_id: string) => html`<a href="/console/people/${user_id}">${user_id}</a>`

function panelOf(shown: AuditLine): TemplateResult {
  const { actor_user_id, subject_user_id } = shown
  return detailPanel(
    shown.action,
    html`${facts([
        [t('time'), exact(shown.occurred_at)],
        ...(shown.site_code === null ? [] : [[t('site'), shown.site_code] as const]),
        ...(subject_user_id === null ? [] : [[t('person'), personOf(subject_user_id)] as const]),
        ...(actor_user_id === null
          ? []
          : [
              [
                t('actor'),
                actor_user_id === subject_user_id ? t('themselves') : personOf(actor_user_id),
              ] as const,
            ]),
        ...(shown.ip_address === null ? [] : [[t('from'), shown.ip_address] as const]),
        ...(shown.user_agent === null ? [] : [[t('agent'), shown.user_agent] as const]),
        [t('id'), shown.audit_id],
      ])}
      <div class="actions">
        <button type="button" class="second small" @click=${() => filter({ action: shown.action })}>
          ${t('same_action')}
        </button>
        ${
          subject_user_id === null
            ? nothing
            : html`<button
                type="button"
                class="second small"
                @click=${() => filter({ subject: subject_user_id })}
              >
                ${t('same_person')}
              </button>`
        }
      </div>
      <h3>${t('entry')}</h3>
      ${jsonView(JSON.stringify(shown), t('entry'))}`,
    close,
  )
}

/** An operator may type the code of any site; others choose among their own. */
function siteFilter(): TemplateResult {
  const pick = (site_code: string) => filter({ site_code })
  if (is_operator)
    return html`${typed('site_code', t('site'), { list: 'sites', pick })}
      <datalist id="sites">
        ${sites.map(({ site_code, name }) => html`<option value=${site_code}>${name}</option>`)}
      </datalist>`
  return choice(
    'site_code',
    t('site'),
    sites.map(({ site_code, name }) => [site_code, name]),
    query.get('site_code') ?? own,
  )
}

type Name = (typeof AUDIT_FILTERS)[number]

function typed(name: Name, label: string, { list, pick }: { list?: string; pick: (value: string) => void }) {
  return html`<label class="choice"
    ><span>${label}</span>
    <input
      name=${name}
      maxlength="254"
      spellcheck="false"
      autocapitalize="none"
      autocomplete="off"
      list=${list ?? nothing}
      placeholder=${list ? nothing : t('person_hint')}
      .value=${query.get(name) ?? ''}
      @change=${(event: Event) => pick((event.target as HTMLInputElement).value.trim())}
  /></label>`
}

/** A moment of the device's time zone; the address holds it in UTC. */
function moment(name: 'since' | 'until', label: string): TemplateResult {
  const at = Date.parse(query.get(name) ?? '')
  const local = Number.isNaN(at) ? '' : new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString()
  const change = (event: Event) => {
    const { value } = event.target as HTMLInputElement
    filter({ [name]: value === '' ? undefined : new Date(value).toISOString() })
  }
  return html`<label class="choice"
    ><span>${label}</span>
    <input type="datetime-local" name=${name} .value=${local.slice(0, 16)} @change=${change}
  /></label>`
}

function choice(
  name: Name,
  label: string,
  options: readonly (readonly [string, string])[],
  value = query.get(name) ?? options[0]?.[0],
): TemplateResult {
  return html`<label class="choice"
    ><span>${label}</span>
    <select
      name=${name}
      .value=${value ?? ''}
      @change=${(event: Event) => filter({ [name]: (event.target as HTMLSelectElement).value })}
    >
      ${options.map(([one, text]) => html`<option value=${one} ?selected=${one === value}>${text}</option>`)}
    </select></label
  >`
}

openPaletteByKey()
void load()
keepFresh(async () => {
  if (query.get('follow') === '1') await table.refresh()
}, FOLLOW_MS)
