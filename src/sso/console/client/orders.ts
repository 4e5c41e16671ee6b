import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf, send } from '#foundation/web/client/api.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { ago, exact, number } from '#foundation/web/client/format.ts'
import { language, openPage, setQuery, takeFirst, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { badge, detailPanel, facts } from '#foundation/web/client/parts.ts'
import { createTable } from '#foundation/web/client/table.ts'
import { toast } from '#foundation/web/client/toast.ts'
import { csvLine } from '#foundation/web/client/csv.ts'
import { saveFile } from '#foundation/web/client/save-file.ts'
import type { Order, OwnSite } from './api-types.ts'
import { ordersOf, OWN_SITES } from './first-calls.ts'
import { ORDER_TEXTS } from './order-texts.ts'

/* Console › Orders: what sites ordered and what they owe for registrations, and one order beside them. */

const t = texts(ORDER_TEXTS)
const STATES = ['pending', 'paid', 'fulfilled', 'failed', 'canceled', 'refunded'] as const
const KINDS = ['plan', 'registration_usage'] as const
const TONES = {
  pending: 'warn',
  paid: 'good',
  fulfilled: 'good',
  failed: 'bad',
  canceled: 'none',
  refunded: 'none',
} as const
/** What the buttons offer; the service decides. */
const NEXT: Partial<Record<Order['status'], readonly Order['status'][]>> = {
  pending: ['paid', 'failed', 'canceled'],
  paid: ['fulfilled', 'refunded'],
  fulfilled: ['refunded'],
}
const FIELDS = [
  'order_id',
  'site_code',
  'kind',
  'plan',
  'status',
  'amount',
  'currency',
  'period_start',
  'period_end',
  'registrations',
  'created_at',
  'paid_at',
  'fulfilled_at',
] as const
const CSV_PAGE = 100

const is_operator = takeFirst('is_operator') === true
let query = new URLSearchParams(location.search)
let sites: OwnSite[] = []
let order: Order | undefined

const update = openPage(view)
const table = createTable<Order>({
  label: t('orders'),
  path: (cursor) => ordersOf(query, cursor),
  empty: t('none'),
  keyOf: ({ order_id }) => order_id,
  open: ({ order_id }) => void openOrder(order_id),
  update: () => update(),
  name: 'orders',
  selection: {
    nameOf: ({ order_id }) => order_id,
    actions: (rows) =>
      html`<button type="button" class="second small" @click=${() => save(rows)}>${t('csv_some')}</button>`,
  },
  columns: [
    { title: t('time'), cell: ({ created_at }) => ago(created_at) },
    { id: 'site', title: t('site'), cell: ({ site_code }) => site_code },
    { id: 'kind', title: t('kind'), cell: ({ kind, plan }) => plan ?? t(kind) },
    { id: 'state', title: t('state'), cell: ({ status }) => badge(t(status), TONES[status]) },
    { id: 'amount', title: t('amount'), cell: amountOf, isNumber: true },
    {
      id: 'registrations',
      title: t('registrations'),
      cell: ({ registrations }) => (registrations === null ? '–' : number(registrations)),
      isNumber: true,
      isHidden: true,
    },
    {
      id: 'paid',
      title: t('paid_at'),
      cell: ({ paid_at }) => (paid_at ? ago(paid_at) : '–'),
      isHidden: true,
    },
  ],
})

function amountOf({ amount, currency }: Pick<Order, 'amount' | 'currency'>): string {
  return new Intl.NumberFormat(language, { style: 'currency', currency }).format(amount / 100)
}

const tell = (error: unknown) => toast(refusalOf(error).message)

async function load(): Promise<void> {
  void get<{ items: OwnSite[] }>(OWN_SITES).then(({ items }) => {
    sites = items
    update()
  }, tell)
  await table.load()
  const open = query.get('open')
  if (open) await openOrder(open)
}

async function openOrder(order_id: string): Promise<void> {
  query = setQuery({ open: order_id })
  try {
    order = await get<Order>(`/api/v1/payments/orders/${encodeURIComponent(order_id)}`)
    update()
  } catch (error) {
    close()
    tell(error)
  }
}

function close(): void {
  order = undefined
  query = setQuery({ open: undefined })
  update()
}

function view(): TemplateResult {
  return html`<div class="bar filters">
      ${choice(
        'site_code',
        t('site'),
        sites.map(({ site_code, name }) => [site_code, name] as const),
      )}
      ${choice(
        'kind',
        t('kind'),
        KINDS.map((one) => [one, t(one)] as const),
      )}
      ${choice(
        'status',
        t('state'),
        STATES.map((one) => [one, t(one)] as const),
      )}
      <button type="button" class="second small" @click=${() => saveAll().catch(tell)}>${t('csv')}</button>
      ${table.tools()}
    </div>
    <div class="split">
      <div>${table.view(query.get('open') ?? undefined)}</div>
      ${order ? panelOf(order) : nothing}
    </div>`
}

const panelOf = (shown: Order): TemplateResult =>
  detailPanel(
    shown.plan ?? t(shown.kind),
    html`<p>${badge(t(shown.status), TONES[shown.status])}</p>
      ${facts([
        [t('site'), shown.site_code],
        [t('amount'), amountOf(shown)],
        [t('id'), shown.order_id],
        [t('time'), exact(shown.created_at)],
        ...(shown.period_start ? [[t('from'), exact(shown.period_start)] as const] : []),
        ...(shown.period_end ? [[t('until'), exact(shown.period_end)] as const] : []),
        ...(shown.registrations === null ? [] : [[t('registrations'), number(shown.registrations)] as const]),
        ...(shown.paid_at ? [[t('paid'), exact(shown.paid_at)] as const] : []),
        ...(shown.fulfilled_at ? [[t('fulfilled'), exact(shown.fulfilled_at)] as const] : []),
      ])}
      ${is_operator ? movesOf(shown) : nothing}`,
    close,
  )

const movesOf = (shown: Order) =>
  html`<div class="actions">
    ${(NEXT[shown.status] ?? []).map(
      (next) =>
        html`<button type="button" class="second small" @click=${() => move(shown, next)}>
          ${t('set', { state: t(next) })}
        </button>`,
    )}
  </div>`

function move({ order_id, site_code }: Order, status: Order['status']): void {
  openDialog({
    title: t('set', { state: t(status) }),
    content: html`<p>${t('set_text')}</p>`,
    submit: t('set', { state: t(status) }),
    isDangerous: true,
    typed: site_code,
    async act() {
      order = await send<Order>('POST', `/api/v1/admin/orders/${order_id}/transition`, { status })
      await table.load()
    },
  })
}

/** All orders that match, page after page. */
async function saveAll(): Promise<void> {
  const rows: Order[] = []
  for (let cursor: string | undefined; ;) {
    const page = await get<{ items: Order[]; next_cursor: string | null }>(ordersOf(query, cursor, CSV_PAGE))
    rows.push(...page.items)
    if (page.next_cursor === null) break
    cursor = page.next_cursor
  }
  save(rows)
}

const save = (rows: readonly Order[]) =>
  saveFile(
    [FIELDS, ...rows.map((row) => FIELDS.map((name) => row[name] ?? ''))]
      .map((cells) => csvLine(cells))
      .join(''),
    'orders.csv',
  )

function choice(
  name: string,
  label: string,
  options: readonly (readonly [string, string])[],
): TemplateResult {
  const value = query.get(name) ?? ''
  const change = (event: Event) => {
    query = setQuery({ [name]: (event.target as HTMLSelectElement).value })
    void table.load()
    update()
  }
  return html`<label class="choice"
    ><span>${label}</span>
    <select name=${name} @change=${change}>
      <option value="" ?selected=${value === ''}>${t('any')}</option>
      ${options.map(([one, text]) => html`<option value=${one} ?selected=${one === value}>${text}</option>`)}
    </select></label
  >`
}

openPaletteByKey()
void load()
