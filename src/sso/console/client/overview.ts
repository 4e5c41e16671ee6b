import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf } from '#foundation/web/client/api.ts'
import { createChart, sparkline } from '#foundation/web/client/chart.ts'
import { clockTime, day, duration, number, percent } from '#foundation/web/client/format.ts'
import { keepFresh, openPage, setQuery, takeFirst, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { badge } from '#foundation/web/client/parts.ts'
import type { Checklist, ConsoleFigures, OwnSite, Status } from './api-types.ts'
import { firstSteps } from './first-steps.ts'
import { CHECKLIST, OWN_SITES, overviewOf, siteOf, STATUS } from './first-calls.ts'
import { OVERVIEW_TEXTS } from './overview-texts.ts'

/* Console › Overview: how sign-ins, webhooks and work that waits do, for all own sites or one of them. */

const t = texts(OVERVIEW_TEXTS)
const FRESH_MS = 60_000
const TONES = { operational: 'good', degraded: 'warn', outage: 'bad' } as const

const is_operator = takeFirst('is_operator') === true
let query = new URLSearchParams(location.search)
let sites: OwnSite[] | undefined
let figures: ConsoleFigures | undefined
let checklist: Checklist | undefined
let status: Status | undefined
let fault = ''

const update = openPage(view)
const perHour = createChart({ kind: 'lines', title: t('per_hour'), axis: t('hour'), update: () => update() })
const perDay = createChart({ kind: 'bars', title: t('per_day'), axis: t('day'), update: () => update() })

async function load(): Promise<void> {
  await Promise.all([loadSites(), loadFigures(), ...(is_operator ? [loadHealth()] : [])])
}

async function loadSites(): Promise<void> {
  try {
    sites = (await get<{ items: OwnSite[] }>(OWN_SITES)).items
  } catch (error) {
    fault = refusalOf(error).message
  }
  update()
}

/** An answer for a site that is no longer chosen is dropped. */
async function loadFigures(): Promise<void> {
  const asked = overviewOf(query)
  try {
    const found = await get<ConsoleFigures>(asked)
    if (asked === overviewOf(query)) [figures, fault] = [found, '']
  } catch (error) {
    if (asked === overviewOf(query)) fault = refusalOf(error).message
  }
  update()
}

async function loadHealth(): Promise<void> {
  const [steps, health] = await Promise.allSettled([get<Checklist>(CHECKLIST), get<Status>(STATUS)])
  if (steps.status === 'fulfilled') checklist = steps.value
  status = health.status === 'fulfilled' ? health.value : undefined
  update()
}

function view(): TemplateResult {
  if (sites?.length === 0 && !is_operator) return noSite()
  return html`${checklist ? firstSteps(checklist, () => update()) : nothing}
    <section aria-labelledby="now">
      <div class="bar">
        <h2 id="now">${t('now')}</h2>
        ${(sites?.length ?? 2) > 1 ? siteChoice() : nothing}
      </div>
      ${
        fault
          ? html`<p class="fault" role="alert">
              ${fault}
              <button type="button" class="second small" @click=${() => load()}>${t('again')}</button>
            </p>`
          : nothing
      }
      ${fault && !figures ? nothing : html`<dl class="tiles">${tiles(figures)}</dl>`}
    </section>
    ${fault && !figures ? nothing : charts()} ${status ? healthOf(status) : nothing}`
}

const charts = () =>
  html`<section class="charts">
    <div class="panel">${perHour(figures && hoursOf(figures))}</div>
    <div class="panel">${perDay(figures && daysOf(figures))}</div>
  </section>`

const noSite = () =>
  html`<p class="lead">${t('no_site')}</p>
    <p>${t('no_site_text')}</p>
    <p><a href="/console/sites/new">${t('make_site')}</a></p>`

function siteChoice(): TemplateResult {
  const chosen = query.get('site_code') ?? ''
  const change = (event: Event) => {
    query = setQuery({ site_code: (event.target as HTMLSelectElement).value })
    ;[figures, fault] = [undefined, '']
    update()
    void loadFigures()
  }
  return html`<label class="choice"
    ><span>${t('site')}</span>
    <select name="site_code" @change=${change}>
      <option value="" ?selected=${chosen === ''}>${t(is_operator ? 'all_sites' : 'own_sites')}</option>
      ${(sites ?? []).map(
        ({ site_code, name }) =>
          html`<option dir="auto" value=${site_code} ?selected=${site_code === chosen}>${name}</option>`,
      )}
    </select></label
  >`
}

function tiles(found: ConsoleFigures | undefined): TemplateResult[] {
  const { sign_ins = [], active_people = [], webhooks } = found ?? {}
  const succeeded = sum(sign_ins.map((one) => one.succeeded))
  const failed = sum(sign_ins.map((one) => one.failed))
  const today = active_people.at(-1)?.people
  const site = siteOf(query).replace('?', '&')
  const known = (text: string) => (found ? text : '–')
  return [
    tile(t('sign_ins'), known(number(succeeded)), {
      href: `/console/audit?action=login.succeeded${site}`,
      text: t('last_day'),
      more: sparkline(
        t('per_hour'),
        sign_ins.map((one) => one.succeeded),
      ),
    }),
    tile(t('failed'), known(number(failed)), {
      href: `/console/audit?action=login.failed${site}`,
      text: t('failed_share', {
        share: percent(failed + succeeded > 0 ? failed / (failed + succeeded) : null),
      }),
      more: sparkline(
        t('failed'),
        sign_ins.map((one) => one.failed),
        'bad',
      ),
    }),
    tile(t('people'), known(today === null || today === undefined ? '–' : number(today)), {
      href: `/console/people${siteOf(query)}`,
      text: t('today'),
    }),
    tile(t('webhooks'), known(percent(shareOf(webhooks))), {
      href: `/console/webhooks${siteOf(query)}`,
      text: webhooks ? webhookText(webhooks) : '',
    }),
    tile(t('jobs'), known(number(found?.jobs_under_way ?? 0)), {
      href: `/console/imports${siteOf(query)}`,
      text: t('jobs_text'),
    }),
    tile(t('orders'), known(number(found?.open_orders ?? 0)), {
      href: `/console/orders?status=pending${site}`,
      text: t('orders_text'),
    }),
  ]
}

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0)

const tile = (
  name: string,
  value: string,
  { href, text, more = nothing }: { href: string; text: string; more?: TemplateResult | typeof nothing },
) =>
  html`<div>
    <dt>${name}</dt>
    <dd><strong>${value}</strong>${more}</dd>
    <dd><a href=${href}>${text}</a></dd>
  </div>`

/** Of those that have ended. */
const shareOf = (webhooks: ConsoleFigures['webhooks'] | undefined) =>
  webhooks && webhooks.delivered + webhooks.failed > 0
    ? webhooks.delivered / (webhooks.delivered + webhooks.failed)
    : null

function webhookText({ waiting, lag_ms, delivered, failed }: ConsoleFigures['webhooks']): string {
  if (waiting > 0) return t('due', { count: waiting })
  return delivered + failed === 0 ? t('no_webhooks') : t('lag', { time: duration(lag_ms) })
}

const hoursOf = ({ sign_ins }: ConsoleFigures) => ({
  labels: sign_ins.map(({ hour }) => clockTime(hour)),
  series: [
    { name: t('succeeded'), values: sign_ins.map((one) => one.succeeded), tone: 'accent' as const },
    { name: t('refused'), values: sign_ins.map((one) => one.failed), tone: 'bad' as const },
  ],
})

const daysOf = ({ active_people }: ConsoleFigures) => ({
  labels: active_people.map((one) => day(one.day)),
  series: [
    { name: t('persons'), values: active_people.map(({ people }) => people), tone: 'accent' as const },
  ],
})

const PARTS = {
  database: t('database'),
  webhooks: t('webhooks_part'),
  email: t('email'),
  signing_keys: t('signing_keys'),
  rate_limits: t('rate_limits'),
}

const healthOf = ({ components }: Status) =>
  html`<section aria-labelledby="health">
    <h2 id="health">${t('health')}</h2>
    <ul class="steps">
      ${components.map(
        ({ name, status: state, latency_ms, reason }) =>
          html`<li>
            ${badge(t(state), TONES[state])}
            <div>
              <strong>${name in PARTS ? PARTS[name as keyof typeof PARTS] : name}</strong>
              ${latency_ms === null ? nothing : html`<span class="quiet-text">${duration(latency_ms)}</span>`}
              ${reason === undefined ? nothing : html`<p class="quiet-text" lang="en">${reason}</p>`}
            </div>
          </li>`,
      )}
    </ul>
  </section>`

openPaletteByKey()
void load()
keepFresh(async () => {
  await Promise.all([loadFigures(), ...(is_operator ? [loadHealth()] : [])])
}, FRESH_MS)
