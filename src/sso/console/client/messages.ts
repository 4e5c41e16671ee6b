import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf, send } from '#foundation/web/client/api.ts'
import { ago, exact, number } from '#foundation/web/client/format.ts'
import { keepFresh, openPage, setQuery, takeFirst, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { badge, detailPanel, facts } from '#foundation/web/client/parts.ts'
import { createTable } from '#foundation/web/client/table.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { OutboxMessage, OwnSite } from './api-types.ts'
import { messageOf, messagesOf, OWN_SITES } from './first-calls.ts'
import { failureOf, KINDS, MESSAGE_TEXTS, type MessageText } from './message-texts.ts'

/* Console › Messages: what waits, was sent and failed, and one message beside the list. Words of the sandbox only. */

const t = texts(MESSAGE_TEXTS)
const STATES = ['queued', 'sent', 'failed', 'logged'] as const
const TONES = { queued: 'warn', sent: 'good', failed: 'bad', logged: 'none' } as const
const FILTERS = ['site_code', 'status', 'kind', 'recipient'] as const
const FRESH_MS = 10_000
/** Kinds whose text is not among the settings. */
const UNTEMPLATED: readonly string[] = ['deprecation_notice', 'deletion_untold_notice', 'learning_letter']

const is_operator = takeFirst('is_operator') === true
let query = new URLSearchParams(location.search)
let sites: OwnSite[] = []
let message: OutboxMessage | undefined
let isSending = false

const update = openPage(view)
const table = createTable<OutboxMessage>({
  label: t('messages'),
  name: 'messages',
  path: (cursor) => messagesOf(query, cursor),
  empty: t('none'),
  keyOf: ({ message_id }) => message_id,
  open: ({ message_id }) => void openMessage(message_id),
  update: () => update(),
  columns: [
    { title: t('kind'), cell: ({ kind }) => nameOf(kind) },
    { title: t('state'), cell: ({ status }) => badge(t(status), TONES[status]) },
    { title: t('recipient'), cell: recipientOf },
    { title: t('site'), cell: ({ site_code }) => site_code ?? '–' },
    { title: t('time'), cell: ({ created_at }) => ago(created_at) },
    {
      title: t('why'),
      cell: ({ failure }) =>
        failure === null
          ? ''
          : html`<span class="cut" title=${reasonOf(failure)}>${reasonOf(failure)}</span>`,
    },
  ],
})

/** A kind of a newer release has no name here yet. */
const nameOf = (kind: string): string => (KINDS.some((one) => one === kind) ? t(kind as MessageText) : kind)

function recipientOf({ recipient }: OutboxMessage): TemplateResult {
  return recipient === null
    ? html`<span class="quiet-text">${t('hidden')}</span>`
    : html`<span class="cut" title=${recipient}>${recipient}</span>`
}

function reasonOf(failure: string): string {
  const { text, code } = failureOf(failure)
  return t(text, { code })
}

const tell = (error: unknown) => toast(refusalOf(error).message)

async function load(): Promise<void> {
  void get<{ items: OwnSite[] }>(OWN_SITES).then(({ items }) => {
    sites = items
    update()
  }, tell)
  const open = query.get('open')
  await Promise.all([table.load(), open ? openMessage(open) : undefined])
}

async function openMessage(message_id: string): Promise<void> {
  query = setQuery({ open: message_id })
  try {
    await read(message_id)
    document.querySelector<HTMLElement>('.panel')?.focus()
  } catch (error) {
    close()
    tell(error)
  }
}

async function read(message_id: string): Promise<void> {
  const { items } = await get<{ items: OutboxMessage[] }>(messageOf(message_id))
  // Another one may have been opened meanwhile.
  if (query.get('open') !== message_id) return
  const [found] = items
  if (!found) {
    close()
    return toast(t('gone'))
  }
  message = found
  update()
}

function close(): void {
  message = undefined
  query = setQuery({ open: undefined })
  update()
}

function filter(values: Record<string, string | undefined>): void {
  message = undefined
  query = setQuery({ ...values, open: undefined })
  void table.load()
  update()
}

const clear = () => filter(Object.fromEntries(FILTERS.map((name) => [name, undefined])))

function view(): TemplateResult {
  const code = query.get('site_code')
  const known = sites.map(({ site_code, name }): [string, string] => [site_code, name])
  const isKnown = !code || known.some(([one]) => one === code)
  return html`<div class="bar filters">
      ${choice('site_code', t('site'), isKnown ? known : [[code, code], ...known])}
      ${choice(
        'status',
        t('state'),
        STATES.map((one) => [one, t(one)]),
      )}
      ${choice(
        'kind',
        t('kind'),
        KINDS.map((one) => [one, t(one)]),
      )}
      <label class="choice"
        ><span>${t('recipient')}</span>
        <input
          type="search"
          name="recipient"
          maxlength="254"
          spellcheck="false"
          autocomplete="off"
          .value=${query.get('recipient') ?? ''}
          @change=${(event: Event) => filter({ recipient: (event.target as HTMLInputElement).value.trim() })}
      /></label>
      ${
        FILTERS.some((name) => query.get(name))
          ? html`<button type="button" class="quiet small" @click=${clear}>${t('clear')}</button>`
          : nothing
      }
      ${table.tools()}
    </div>
    <div class=${message ? 'with-panel' : ''}>
      <div class="split">
        <div>${table.view(query.get('open') ?? undefined)}</div>
        ${message ? panelOf(message) : nothing}
      </div>
    </div>`
}

const panelOf = (shown: OutboxMessage): TemplateResult =>
  detailPanel(
    nameOf(shown.kind),
    html`<p>${badge(t(shown.status), TONES[shown.status])}</p>
      ${shown.failure === null ? nothing : html`<p class=${shown.status === 'failed' ? 'fault' : ''}>${reasonOf(shown.failure)}</p>`}
      ${shown.status === 'failed' ? againOf(shown) : nothing} ${isWaiting(shown) ? nowOf(shown) : nothing}
      ${facts([
        [t('recipient'), shown.recipient ?? t('hidden')],
        [t('person'), html`<a href="/console/people/${shown.user_id}">${t('show_person')}</a>`],
        ...(shown.site_code === null ? [] : [[t('site'), shown.site_code] as const]),
        [t('channel'), t(shown.channel)],
        [t('environment'), t(shown.environment)],
        [t('time'), exact(shown.created_at)],
        ...(shown.attempts === null ? [] : [[t('attempts'), number(shown.attempts)] as const]),
        ...(shown.next_attempt_at ? [[t('next'), ago(shown.next_attempt_at)] as const] : []),
        ...(shown.finished_at ? [[t('finished'), exact(shown.finished_at)] as const] : []),
        [t('id'), shown.message_id],
      ])}
      <p class="quiet-text">${shown.status === 'logged' ? t('kept_text') : t('words')}</p>
      ${shown.text === null ? nothing : letterOf(shown.subject ?? '', shown.text)}
      ${
        is_operator && !UNTEMPLATED.includes(shown.kind)
          ? html`<p>
              <a href="/console/settings?mail=${encodeURIComponent(templateOf(shown))}">${t('read_text')}</a>
            </p>`
          : nothing
      }`,
    close,
  )

const templateOf = ({ channel, kind }: OutboxMessage) => (channel === 'sms' ? 'sms_code' : kind)

/** What the sandbox kept. A link in it is text: whoever follows it acts as the person. */
const letterOf = (subject: string, text: string) =>
  html`<h3 lang="en">${subject}</h3>
    <div class="letter" lang="en" dir="ltr">${text.split('\n\n').map((part) => html`<p>${part}</p>`)}</div>`

function againOf({ message_id, may_resend, resent_as }: OutboxMessage): TemplateResult {
  if (resent_as !== null)
    return html`<p>
      ${t('resent_as')}
      <button type="button" class="second small" @click=${() => openMessage(resent_as)}>${t('show')}</button>
    </p>`
  if (!may_resend) return html`<p class="quiet-text">${t('no_again')}</p>`
  return html`<p class="quiet-text">${t('again_text')}</p>
    <div class="actions">
      <button type="button" class="small" ?disabled=${isSending} @click=${() => sendAgain(message_id)}>
        ${t('again')}
      </button>
    </div>`
}

const isWaiting = ({ next_attempt_at }: OutboxMessage) =>
  next_attempt_at !== null && Date.parse(next_attempt_at) > Date.now()

const nowOf = ({ message_id }: OutboxMessage) =>
  html`<p class="quiet-text">${t('now_text')}</p>
    <div class="actions">
      <button type="button" class="small" ?disabled=${isSending} @click=${() => hurry(message_id)}>
        ${t('now')}
      </button>
    </div>`

const hurry = (message_id: string) =>
  sending(async () => {
    await send('POST', `/api/v1/admin/messages/${message_id}/send-now`)
    toast(t('hurried'))
    await Promise.all([table.load(), read(message_id)])
  })

/** The service sends a failed message once more at most, however often it is asked. */
const sendAgain = (message_id: string) =>
  sending(async () => {
    const sent = await send<{ message_id: string }>('POST', `/api/v1/admin/messages/${message_id}/resend`)
    toast(t('sent_again'))
    await Promise.all([table.load(), openMessage(sent.message_id)])
  })

async function sending(act: () => Promise<void>): Promise<void> {
  isSending = true
  update()
  try {
    await act()
  } catch (error) {
    tell(error)
  } finally {
    isSending = false
    update()
  }
}

function choice(
  name: (typeof FILTERS)[number],
  label: string,
  options: readonly (readonly [string, string])[],
): TemplateResult {
  const value = query.get(name) ?? ''
  return html`<label class="choice"
    ><span>${label}</span>
    <select
      name=${name}
      .value=${value}
      @change=${(event: Event) => filter({ [name]: (event.target as HTMLSelectElement).value })}
    >
      <option value="" ?selected=${value === ''}>${t('any')}</option>
      ${options.map(([one, text]) => html`<option value=${one} ?selected=${one === value}>${text}</option>`)}
    </select></label
  >`
}

openPaletteByKey()
void load()
keepFresh(async () => {
  const open = query.get('open')
  await Promise.all([table.refresh(), open ? read(open).catch(() => {}) : undefined])
}, FRESH_MS)
