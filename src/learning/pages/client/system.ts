import { texts } from '#foundation/web/client/language.ts'
import type { Info } from '../api-types.ts'
import { get, refusalOf } from './api.ts'
import { sparkline } from './chart.ts'
import { checkFeed } from './feed-check.ts'
import { act, field } from './form.ts'
import { day, duration, number } from './format.ts'
import { type Child, fillWith, html } from './html.ts'
import { icon } from './icons.ts'
import { openPublicPage } from './page.ts'
import { badge } from './parts.ts'
import { textIn } from './read.ts'
import { SYSTEM_TEXTS } from './system-texts.ts'

const t = texts(SYSTEM_TEXTS)

type Health = {
  status: 'ok' | 'down'
  database: { status: 'ok' | 'down'; response_time_ms: number | null }
  version: string
  uptime_seconds: number
}

/** The interval of health checks in milliseconds, and the number of checks drawn. */
const EVERY = 2_000
const LOOKS = 40

openPublicPage(async (info) => {
  const health = html`<section id="health"><h2>${t('health')}</h2></section>`
  const place = html`<div></div>`
  health.append(place)
  const times: number[] = []
  await look()
  const timer = setInterval(() => {
    if (!place.isConnected) clearInterval(timer)
    else if (!document.hidden) void look()
  }, EVERY)

  async function look() {
    let known: Health | undefined
    try {
      known = await readHealth()
    } catch {
      known = undefined
    }
    times.push(known?.database.response_time_ms ?? 0)
    if (times.length > LOOKS) times.shift()
    // Skips the update while somebody reads the details, so that they keep their place.
    if (!place.querySelector('details[open]') && !place.contains(document.activeElement))
      fillWith(place, healthOf(known, times))
  }

  return html`<div class="stack">
    ${health} ${aboutOf(info)}
    <div class="two">${csrfCheck()} ${feedCheck()}</div>
  </div>`
})

/** A 503 has the same body shape. It is a result to show, not an error. */
async function readHealth(): Promise<Health> {
  const reply = await fetch('/health')
  return (await reply.json()) as Health
}

function healthOf(health: Health | undefined, times: number[]): Child {
  if (!health)
    return html`<div class="fields">
      ${badge(t('no_answer'), 'bad', 'warn')}
      <p>${t('no_answer_text')}</p>
    </div>`
  const { database, uptime_seconds } = health
  const isWell = health.status === 'ok'
  const [last = 0] = times.slice(-1)
  return html`<div class="fields">
    <dl class="figures">
      <div>
        <dt>${t(isWell ? 'well_text' : 'down_text')}</dt>
        <dd class="figure ${isWell ? 'is-good' : 'is-bad'}">${t(isWell ? 'well' : 'down')}</dd>
      </div>
      <div>
        <dt>${t('database')}</dt>
        <dd class="figure">
          ${database.response_time_ms === null ? '–' : number(database.response_time_ms)}<small> ms</small>
        </dd>
      </div>
      <div>
        <dt>${t('since')}</dt>
        <dd class="figure">${upFor(uptime_seconds)}</dd>
      </div>
    </dl>
    ${sparkline(
      {
        title: t('answers'),
        description: t('answers_text', { seconds: EVERY / 1_000, last: number(last) }),
        table: { columns: [t('look'), 'ms'], rows: times.map((time, place) => [place + 1, time]) },
      },
      times,
    )}
  </div>`
}

const upFor = (seconds: number) =>
  seconds < 172_800 ? duration(seconds) : t('days', { count: Math.floor(seconds / 86_400) })

const aboutOf = ({ name, version, sso_url, user }: Info) =>
  html`<section id="about">
    <h2>${t('about')}</h2>
    <dl class="facts is-wide">
      <div>
        <dt>${t('service')}</dt>
        <dd>${name}</dd>
      </div>
      <div>
        <dt>${t('version')}</dt>
        <dd>${version} · <a href="/openapi.json">${t('openapi')}</a></dd>
      </div>
      <div>
        <dt>${t('sign_in')}</dt>
        <dd><a href=${sso_url}>${sso_url}</a></dd>
      </div>
      <div>
        <dt>${t('you')}</dt>
        <dd>${user ? `${user.email}${user.is_admin ? `, ${t('admin')}` : ''}` : t('nobody')}</dd>
      </div>
    </dl>
  </section>`

/** Checks that this browser can write: it must receive a CSRF token and send it back. */
function csrfCheck(): HTMLElement {
  const told = html`<div role="status" class="check-result"></div>`
  const button: HTMLElement = html`<button type="button" class="second" onclick=${() => act(button, check)}>
    ${t('check')}
  </button>`
  async function check() {
    const { csrf_token } = await get<{ csrf_token: string }>('/api/csrf-token')
    const kept = /(?:^|; )(?:__Host-)?csrf_token=([^;]+)/.exec(document.cookie)?.[1]
    fillWith(
      told,
      kept === csrf_token
        ? html`<p class="note is-good">${t('kept')}</p>`
        : html`<p class="note is-bad">${t('not_kept')}</p>`,
    )
  }
  return html`<section id="csrf">
    <h2>${t('writing')}</h2>
    <p class="quiet-text">${t('writing_text')}</p>
    <div class="actions">${button}</div>
    ${told}
  </section>`
}

/** Reads the feed of a channel and lists its faults. */
function feedCheck(): HTMLElement {
  const told = html`<div role="status" class="check-result"></div>`
  const button = html`<button type="submit" class="second">${t('read')}</button>`
  const form: HTMLElement = html`<form
    class="form"
    onsubmit=${(event: Event) => {
      event.preventDefault()
      void act(button, read, form)
    }}
  >
    ${field({ name: 'channel', label: t('channel'), hint: t('channel_hint'), control: html`<input required autocomplete="off" spellcheck="false" />` })}
    <div class="actions">${button}</div>
  </form>`

  async function read() {
    fillWith(told)
    const said = textIn(form, 'channel')
    const [id = said.trim()] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(said) ?? []
    const address = `/api/device/feed/${encodeURIComponent(id)}`
    let value: unknown
    try {
      value = await get<unknown>(address)
    } catch (error) {
      if (refusalOf(error).status !== 404) throw error
      fillWith(told, html`<p class="note is-bad">${t('no_feed')}</p>`)
      return
    }
    const { faults, feed } = checkFeed(value)
    fillWith(
      told,
      html`<div class="fields">
        ${
          faults.length === 0
            ? html`<p class="note is-good">${t('valid', { count: feed.items.length })}</p>`
            : html`<div class="note is-bad">
                <p>${t('invalid')}</p>
                <ul class="bullets">
                  ${faults.slice(0, 10).map((fault) => html`<li>${fault}</li>`)}
                </ul>
              </div>`
        }
        <h3>
          <a href=${address}>${icon('feed')} <bdi>${feed.title}</bdi></a>
        </h3>
        <ol class="rows feed-items">
          ${feed.items
            .slice(0, 10)
            .map(
              ({ title, attachments, published }) =>
                html`<li>
                  <span dir="auto">${title}</span
                  ><span class="quiet-text"
                    >${published && day(published)} · ${t('files', { count: attachments })}</span
                  >
                </li>`,
            )}
        </ol>
      </div>`,
    )
  }

  return html`<section id="feed">
    <h2>${t('feed')}</h2>
    <p class="quiet-text">${t('feed_text')}</p>
    ${form} ${told}
  </section>`
}
