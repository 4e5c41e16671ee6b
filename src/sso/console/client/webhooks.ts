import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf, send } from '#foundation/web/client/api.ts'
import { openDialog, showDialog } from '#foundation/web/client/dialog.ts'
import { ago, duration, number, percent } from '#foundation/web/client/format.ts'
import { keepFresh, openPage, setQuery, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { badge, codeSample, copyButton } from '#foundation/web/client/parts.ts'
import { createTable } from '#foundation/web/client/table.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Delivery, Figures, OwnSite, Webhook } from './api-types.ts'
import { deliveryPanel, stateOf } from './delivery.ts'
import { deliveriesOf, endpointsOf, figuresOf, OWN_SITES } from './first-calls.ts'
import { SAMPLES } from './samples.ts'
import { WEBHOOK_TEXTS } from './webhook-texts.ts'

/* Console › Webhooks: the endpoints of one site, their deliveries, and one delivery beside them. */

const t = texts(WEBHOOK_TEXTS)
const STATES = ['pending', 'retrying', 'delivered', 'failed', 'held'] as const
const FRESH_MS = 4_000

let query = new URLSearchParams(location.search)
let sites: OwnSite[] = []
let endpoints: Webhook[] | undefined
let figures = new Map<string, Figures>()
let types: string[] = []
let [fault, isReplaying] = ['', false]
let panel: TemplateResult | undefined
const sample = codeSample(t('verify'), SAMPLES)

const update = openPage(view)
const table = createTable<Delivery>({
  label: t('deliveries'),
  path: (cursor) => deliveriesOf(query, cursor),
  empty: t('no_deliveries'),
  keyOf,
  open: (delivery) => void openDelivery(keyOf(delivery)),
  update: () => update(),
  name: 'deliveries',
  selection: {
    nameOf: ({ event_type, event_id }) => `${event_type} ${event_id}`,
    actions: (rows, clear) =>
      html`<button
        type="button"
        class="second small"
        ?disabled=${isReplaying}
        @click=${() => replayAll(rows, clear)}
      >
        ${t('replay')}
      </button>`,
  },
  columns: [
    { title: t('type'), cell: ({ event_type }) => event_type },
    { id: 'state', title: t('state'), cell: ({ status }) => stateOf(status) },
    {
      id: 'endpoint',
      title: t('endpoint'),
      cell: ({ webhook_url }) => html`<span class="cut" title=${webhook_url}>${webhook_url}</span>`,
    },
    {
      id: 'attempts',
      title: t('attempts'),
      cell: ({ attempt_count, max_attempts }) => `${attempt_count} / ${max_attempts}`,
      isNumber: true,
    },
    { id: 'status', title: t('status'), cell: ({ attempts }) => answerOf(attempts.at(-1)) },
    { id: 'time', title: t('time'), cell: ({ created_at }) => ago(created_at) },
  ],
})

function keyOf({ event_id, webhook_id, run }: Pick<Delivery, 'event_id' | 'webhook_id' | 'run'>): string {
  return `${event_id}.${webhook_id}.${run}`
}

const answerOf = (attempt: Delivery['attempts'][number] | undefined) =>
  attempt === undefined ? '–' : String(attempt.response_status ?? attempt.error ?? '–')

async function load(): Promise<void> {
  void get<{ items: OwnSite[] }>(OWN_SITES).then(({ items }) => {
    sites = items
    update()
  }, tell)
  await Promise.all([table.load(), loadEndpoints()])
  const open = query.get('open')
  if (open) await openDelivery(open)
}

async function loadEndpoints(): Promise<void> {
  try {
    const [found, numbers] = await Promise.all([
      get<{ items: Webhook[] }>(endpointsOf(query)),
      get<{ items: Figures[] }>(figuresOf(query)),
    ])
    endpoints = found.items
    figures = new Map(numbers.items.map((one) => [one.webhook_id, one]))
    types = [...new Set([...types, ...endpoints.flatMap(({ events }) => events), 'ping'])].filter(isType)
    fault = ''
  } catch (error) {
    endpoints ??= []
    fault = refusalOf(error).message
  }
  update()
}
const isType = (event: string) => !event.includes('*')

/** One after the other; the first refusal ends it. An event goes to an endpoint once, however many of its runs are selected. */
async function replayAll(rows: readonly Delivery[], clear: () => void): Promise<void> {
  if (isReplaying) return
  isReplaying = true
  update()
  const once = new Map(
    rows.map(({ event_id, webhook_id }) => [`${event_id}.${webhook_id}`, { event_id, webhook_id }]),
  )
  let count = 0
  try {
    for (const { event_id, webhook_id } of once.values()) {
      await send('POST', `/api/v1/webhooks/events/${event_id}/replay`, { webhook_id })
      count++
    }
    clear()
  } catch (error) {
    tell(error)
  }
  isReplaying = false
  if (count > 0) toast(t('replayed_all', { count }))
  await table.load()
}

async function openDelivery(key: string): Promise<void> {
  query = setQuery({ open: key })
  try {
    panel = await deliveryPanel(key, query, { close: closePanel, changed: () => table.refresh() })
    update()
    document.querySelector<HTMLElement>('.panel')?.focus()
  } catch (error) {
    closePanel()
    tell(error)
  }
}

function closePanel(): void {
  panel = undefined
  query = setQuery({ open: undefined })
  update()
}

const tell = (error: unknown) => toast(refusalOf(error).message)

function filter(name: string, value: string): void {
  query = setQuery({ [name]: value, open: undefined })
  panel = undefined
  void table.load()
  if (name === 'site_code') void loadEndpoints()
}

function view(): TemplateResult {
  return html`<section>
      <div class="bar">
        <h2>${t('endpoints')}</h2>
        ${sites.length > 1 ? choice('site_code', t('site'), siteChoices(), currentSite()) : nothing}
        <button type="button" @click=${addEndpoint}>${t('add')}</button>
      </div>
      ${fault ? html`<p class="fault" role="alert">${fault}</p>` : nothing}
      <ul class="cards">
        ${endpoints?.map(card) ?? html`<li class="card skeleton"><i></i></li>`}
      </ul>
      ${endpoints?.length === 0 && !fault ? html`<p class="empty">${t('no_endpoints')}</p>` : nothing}
    </section>
    <section class=${panel ? 'with-panel' : ''}>
      <div class="bar">
        <h2>${t('deliveries')}</h2>
        ${choice(
          'status',
          t('state'),
          STATES.map((one) => [one, t(one)]),
        )}
        ${choice('event_type', t('type'), typeChoices())}
        ${choice('webhook_id', t('endpoint'), endpoints?.map((one) => [one.webhook_id, one.webhook_url]) ?? [])}
        ${table.tools()}
      </div>
      <div class="split">
        <div>${table.view(query.get('open') ?? undefined)}</div>
        ${panel ?? nothing}
      </div>
    </section>
    <section>
      <div class="bar">
        <h2>${t('verify')}</h2>
        <button type="button" class="second" @click=${rotateSecret}>${t('rotate')}</button>
      </div>
      ${sample()}
    </section>`
}

const currentSite = () => query.get('site_code') ?? endpoints?.[0]?.site_code ?? 'console'
const siteChoices = () => sites.map(({ site_code, name }): [string, string] => [site_code, name])
const typeChoices = () => {
  const asked = query.get('event_type')
  return [...new Set([...types, ...(asked ? [asked] : [])])]
    .toSorted()
    .map((one): [string, string] => [one, one])
}

function choice(
  name: string,
  label: string,
  options: readonly (readonly [string, string])[],
  value = query.get(name) ?? '',
) {
  return html`<label class="choice"
    ><span>${label}</span>
    <select
      name=${name}
      .value=${value}
      @change=${(event: Event) => filter(name, (event.target as HTMLSelectElement).value)}
    >
      ${name === 'site_code' ? nothing : html`<option value="" ?selected=${value === ''}>${t('any')}</option>`}
      ${options.map(([one, text]) => html`<option value=${one} ?selected=${one === value}>${text}</option>`)}
    </select></label
  >`
}

const ENDPOINT_STATES = {
  active: ['active', 'good'],
  pending: ['unconfirmed', 'warn'],
  disabled: ['disabled', 'none'],
} as const

function card({ webhook_id, webhook_url, status, events, last_error }: Webhook): TemplateResult {
  const numbers = figures.get(webhook_id)
  const [word, tone] = ENDPOINT_STATES[status]
  return html`<li class="card">
    <div class="card-head">
      <h3 dir="auto">${webhook_url}</h3>
      ${badge(t(word), tone)}
    </div>
    <p class="quiet-text" dir="auto">${events.join(', ')}${last_error ? ` · ${last_error}` : ''}</p>
    <dl class="figures">
      <div>
        <dt>${t('success')}</dt>
        <dd>${percent(numbers?.success_rate ?? null)}</dd>
      </div>
      <div>
        <dt>${t('p95')}</dt>
        <dd>${duration(numbers?.p95_ms ?? null)}</dd>
      </div>
      <div>
        <dt>${t('sent')}</dt>
        <dd>${number(numbers?.deliveries ?? 0)}</dd>
      </div>
    </dl>
    <div class="actions">
      <button type="button" class="second small" @click=${() => testEndpoint(webhook_id)}>
        ${t('test')}
      </button>
      <button type="button" class="quiet small" @click=${() => removeEndpoint(webhook_id, webhook_url)}>
        ${t('remove')}
      </button>
    </div>
  </li>`
}

async function testEndpoint(webhook_id: string): Promise<void> {
  try {
    await send('POST', `/api/v1/webhooks/${webhook_id}/test`)
    toast(t('tested'))
    await table.load()
  } catch (error) {
    tell(error)
  }
}

function removeEndpoint(webhook_id: string, webhook_url: string): void {
  openDialog({
    title: t('remove_title'),
    content: html`<p dir="auto">${webhook_url}</p>
      <p>${t('remove_text')}</p>`,
    submit: t('remove'),
    isDangerous: true,
    typed: new URL(webhook_url).host,
    async act() {
      await send('DELETE', `/api/v1/webhooks/${webhook_id}`)
      toast(t('removed'))
      await loadEndpoints()
    },
  })
}

function addEndpoint(): void {
  openDialog({
    title: t('add'),
    content: html`<label>${t('url')} <input name="webhook_url" type="url" required /></label>
      <label>${t('events')} <input name="events" value="*" required spellcheck="false" /></label>`,
    submit: t('add'),
    async act(form) {
      const typed = form.get('events')
      const events = (typeof typed === 'string' ? typed : '').split(/[\s,]+/).filter(Boolean)
      const site_code = query.get('site_code')
      const body = { webhook_url: form.get('webhook_url'), events, ...(site_code && { site_code }) }
      const { webhook_secret } = await send<{ webhook_secret: string }>('POST', '/api/v1/webhooks', body)
      showSecret(webhook_secret)
      await Promise.all([loadEndpoints(), table.load()])
    },
  })
}

function rotateSecret(): void {
  openDialog({
    title: t('rotate'),
    content: html`<p>${t('rotate_text')}</p>
      <label
        >${t('rotate_in')}
        <select name="seconds">
          <option value="3600">${t('in_hour')}</option>
          <option value="86400">${t('in_day')}</option>
          <option value="0">${t('at_once')}</option>
        </select></label
      >`,
    submit: t('rotate'),
    isDangerous: true,
    async act(form) {
      const site = sites.find(({ site_code }) => site_code === currentSite())
      const switch_in_seconds = Number(form.get('seconds'))
      const path = `/api/v1/sites/${site?.site_id ?? ''}/webhook-secret/rotate`
      const { webhook_secret } = await send<{ webhook_secret: string }>('POST', path, { switch_in_seconds })
      showSecret(webhook_secret)
    },
  })
}

const showSecret = (secret: string) =>
  showDialog(
    t('secret'),
    html`<p>${t('secret_text')}</p>
      <p class="secret">${secret}</p>
      ${copyButton(secret)}`,
  )

openPaletteByKey()
void load()
keepFresh(async () => {
  await Promise.all([table.refresh(), loadEndpoints()])
}, FRESH_MS)
