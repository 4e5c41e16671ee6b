import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf } from '#foundation/web/client/api.ts'
import { number } from '#foundation/web/client/format.ts'
import { language, openPage, setQuery, takeFirst, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { badge, detailPanel } from '#foundation/web/client/parts.ts'
import { type Language, LANGUAGES } from '#foundation/web/client/texts.ts'
import type { Installation, MessageKind } from './api-types.ts'
import { SETTINGS } from './first-calls.ts'
import { KINDS, MESSAGE_TEXTS } from './message-texts.ts'
import { brandingSection } from './setting-branding.ts'
import { keySection } from './setting-keys.ts'
import { SETTING_TEXTS, type SettingText } from './setting-texts.ts'

/* Console › Settings, for operators: keys, and how the installation is set up, to read. */

const t = texts(SETTING_TEXTS)
const nameOfMail = texts(MESSAGE_TEXTS)
const names = new Intl.DisplayNames(language, { type: 'language' })
const TABS = ['keys', 'branding', 'mail', 'retention', 'deprecations', 'program'] as const
type Tab = (typeof TABS)[number]

/** The sweeps that delete what a period is for. */
const SWEPT: Partial<Record<SettingText, readonly string[]>> = {
  answer_seconds: ['answers'],
  bump_minutes: ['session_bumps'],
  refresh_token_days: ['refresh_tokens'],
  session_days: ['sessions'],
  audit_days: ['audit_log', 'audit_log_of_sites'],
  message_days: ['messages'],
  sandbox_days: ['sandbox_users'],
  one_time_token_days: ['one_time_tokens', 'email_changes'],
  enrolment_days: ['unfinished_factors'],
  payment_event_days: ['payment_events'],
  sms_count_days: ['sms_counts'],
  bulk_days: ['bulk_jobs', 'bulk_errors'],
  billed_address_days: ['billed_addresses'],
  job_days: ['jobs'],
  webhook_days: ['webhook_events'],
  others: ['mfa_challenges', 'connection_keys', 'connection_claims', 'bulk_erased'],
}

const is_operator = takeFirst('is_operator') === true
let query = new URLSearchParams(location.search)
const tab: Tab = TABS.find((one) => one === query.get('show')) ?? (query.has('mail') ? 'mail' : 'keys')
let found: Installation | undefined
let due: Map<string, number> | undefined
/** The language in which mails are shown: at first that of the page. */
let spoken: Language = language
let [fault, isCounting, typed, onlyChanged] = ['', false, '', false]

const update = openPage(view)
const keys = keySection(() => update())
const branding = brandingSection(() => update())

async function load(): Promise<void> {
  if (!is_operator) return
  if (tab === 'keys') return keys.load()
  try {
    if (tab === 'branding') return await branding.load()
    found = await get<Installation>(SETTINGS)
  } catch (error) {
    fault = refusalOf(error).message
  }
  update()
}

/** Every count reads a whole table, so only when somebody asks. */
async function count(): Promise<void> {
  ;[isCounting, fault] = [true, '']
  update()
  try {
    const { items } = await get<{ items: { sweep: string; rows: number }[] }>('/api/v1/admin/retention')
    due = new Map(items.map(({ sweep, rows }) => [sweep, rows]))
  } catch (error) {
    fault = refusalOf(error).message
  }
  isCounting = false
  update()
}

function view(): TemplateResult {
  if (!is_operator) return html`<p class="empty">${t('operators_only')}</p>`
  const sections: Record<Tab, () => TemplateResult | typeof nothing> = {
    keys: keys.view,
    branding: branding.view,
    mail: mailView,
    retention: retentionView,
    deprecations: deprecationView,
    program: programView,
  }
  return html`<nav class="tabs" aria-label=${t('sections')}>
      ${TABS.map((one) => html`<a href="?show=${one}" aria-current=${one === tab ? 'page' : nothing}>${t(one)}</a>`)}
    </nav>
    ${fault ? html`<p class="fault" role="alert">${fault}</p>` : nothing} ${sections[tab]()}`
}

type Rows = readonly { key: string; cells: readonly (TemplateResult | string)[]; open?: () => void }[]

/** A table of all rows there are. */
function listing(
  label: string,
  titles: readonly string[],
  rows: Rows | undefined,
  open_key?: string,
): TemplateResult {
  const lines =
    rows ?? Array.from({ length: 12 }, (_, i) => ({ key: String(i), cells: titles.map(() => html`<i></i>`) }))
  return html`<div
    class="scroll"
    role="region"
    tabindex="0"
    aria-label=${label}
    aria-busy=${rows === undefined}
  >
    <table>
      <thead>
        <tr>
          ${titles.map((title) => html`<th scope="col">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${lines.map(lineOf)}
      </tbody>
    </table>
  </div>`

  function lineOf({ key, cells, open }: Rows[number]): TemplateResult {
    const kind = rows === undefined ? 'skeleton' : open ? 'opens' : ''
    return html`<tr
      class=${kind}
      aria-current=${key === open_key ? 'true' : nothing}
      @click=${() => open?.()}
    >
      ${cells.map(
        (cell, i) =>
          html`<td dir="auto">
            ${i === 0 && open ? html`<button type="button" class="link">${cell}</button>` : cell}
          </td>`,
      )}
    </tr>`
  }
}

const isKind = (kind: string): kind is MessageKind => KINDS.some((one) => one === kind)
const mailName = (kind: string) =>
  kind === 'sms_code' ? t('sms_code') : isKind(kind) ? nameOfMail(kind) : kind

function mailView(): TemplateResult {
  const asked = query.get('mail')
  const mail = found?.mails.find(({ kind }) => kind === asked)
  const open = (kind: string | undefined) => {
    query = setQuery({ show: 'mail', mail: kind })
    update()
    queueMicrotask(() => document.querySelector<HTMLElement>('.panel')?.focus())
  }
  const rows = found?.mails.map(({ kind, subject, translations }) => ({
    key: kind,
    cells: [mailName(kind), language === 'en' ? subject : translations[language].subject],
    open: () => open(kind),
  }))
  const sender = found?.settings.find(({ name }) => name === 'MAIL_FROM')?.value
  return html`<p>${t('mail_text')}</p>
    <div class=${mail ? 'with-panel' : ''}>
      <div class="split">
        <div>
          ${listing(t('mail'), [t('what'), t('subject')], rows, asked ?? undefined)}
          <p class="foot">${t('choose_mail')}</p>
        </div>
        ${
          mail
            ? detailPanel(
                mailName(mail.kind),
                html`<p class="quiet-text">${sender ? `${t('sender')}: ${sender}` : nothing}</p>
                  ${letterOf(mail)}`,
                () => open(undefined),
              )
            : nothing
        }
      </div>
    </div>`
}

function letterOf(mail: Installation['mails'][number]): TemplateResult {
  const { subject, text } = spoken === 'en' ? mail : mail.translations[spoken]
  const choose = (event: Event) => {
    spoken = (event.target as HTMLSelectElement).value as Language
    update()
  }
  return html`<label class="choice"
      ><span>${t('in_language')}</span>
      <select name="language" @change=${choose}>
        ${LANGUAGES.map((one) => html`<option value=${one} ?selected=${one === spoken}>${names.of(one)}</option>`)}
      </select></label
    >
    <h3 lang=${spoken}>${subject}</h3>
    <div class="letter" lang=${spoken} dir="ltr">
      ${text.split('\n\n').map((part) => html`<p>${part}</p>`)}
    </div>`
}

/** A period by its name, which ends in the unit. */
function periodOf(name: string, value: number): string {
  const unit = (['second', 'minute', 'day'] as const).find((one) => name.endsWith(`_${one}s`)) ?? 'day'
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}

function retentionView(): TemplateResult {
  const kept = found?.kept
  const dueOf = (name: SettingText) => {
    const counts = due
    if (!counts) return '–'
    return number((SWEPT[name] ?? []).reduce((sum, sweep) => sum + (counts.get(sweep) ?? 0), 0))
  }
  const names = Object.keys(SWEPT) as SettingText[]
  const rows = kept
    ? names.map((name) => {
        const period = kept[name]
        return {
          key: name,
          cells: [t(name), period === undefined ? t('at_end') : periodOf(name, period), dueOf(name)],
        }
      })
    : undefined
  return html`<p>${t('retention_text')}</p>
    ${listing(t('retention'), [t('data'), t('kept'), t('due')], rows)}
    <div class="actions">
      <button
        type="button"
        class="second small"
        ?disabled=${isCounting}
        aria-busy=${isCounting}
        @click=${count}
      >
        ${t('count')}
      </button>
      <span class="quiet-text">${t('count_text')}</span>
    </div>`
}

function deprecationView(): TemplateResult {
  if (found?.deprecations.length === 0) return html`<p class="empty">${t('no_deprecations')}</p>`
  const rows = found?.deprecations.map(({ route, since, sunset, link, successor }) => ({
    key: route,
    cells: [
      html`<span class="mono">${route}</span>`,
      since,
      sunset,
      html`<span class="mono">${successor ?? '–'}</span>`,
      /^https?:/.test(link) ? html`<a href=${link} rel="noopener">${t('guide')}</a>` : link,
    ],
  }))
  return listing(t('deprecations'), [t('route'), t('since'), t('sunset'), t('successor'), t('guide')], rows)
}

function programView(): TemplateResult {
  const shown = found?.settings.filter(
    ({ name, is_default }) =>
      name.toLowerCase().includes(typed.toLowerCase()) && !(onlyChanged && is_default),
  )
  const rows = shown?.map(({ name, value, is_secret, is_default, meaning, translations }) => ({
    key: name,
    cells: [
      html`<span class="mono">${name}</span>`,
      is_secret
        ? badge(is_default ? t('not_set') : t('set'), is_default ? 'none' : 'good')
        : html`<span class="mono cut" title=${value}>${value || '–'}</span>`,
      html`<div class="wrap">${language === 'en' ? meaning : translations[language]}</div>`,
    ],
  }))
  const find = (event: Event) => {
    typed = (event.target as HTMLInputElement).value.trim()
    update()
  }
  const choose = (event: Event) => {
    onlyChanged = (event.target as HTMLInputElement).checked
    update()
  }
  return html`<p>${t('program_text')}</p>
    <div class="bar">
      <label class="choice"
        ><span>${t('find')}</span>
        <input type="search" name="find" autocomplete="off" spellcheck="false" @input=${find}
      /></label>
      <label class="check"
        ><input type="checkbox" name="changed" @change=${choose} /> ${t('only_changed')}</label
      >
    </div>
    ${
      rows?.length === 0
        ? html`<p class="empty">${t('no_settings')}</p>`
        : listing(t('program'), [t('name'), t('value'), t('meaning')], rows)
    }`
}

openPaletteByKey()
void load()
