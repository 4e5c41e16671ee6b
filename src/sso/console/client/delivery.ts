import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf, send } from '#foundation/web/client/api.ts'
import { ago, duration, exact } from '#foundation/web/client/format.ts'
import { texts } from '#foundation/web/client/page.ts'
import { badge, copyButton, detailPanel, facts, jsonView } from '#foundation/web/client/parts.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Delivery, WebhookEvent } from './api-types.ts'
import { WEBHOOK_TEXTS } from './webhook-texts.ts'

const t = texts(WEBHOOK_TEXTS)

const TONES = { pending: 'none', retrying: 'warn', delivered: 'good', failed: 'bad', held: 'warn' } as const
export const stateOf = (status: Delivery['status']): TemplateResult => badge(t(status), TONES[status])

type Then = { close: () => void; changed: () => Promise<void> }

/** One delivery in full: `key` is event, endpoint and run. Rejects with a Refusal if there is none. */
export async function deliveryPanel(
  key: string,
  query: URLSearchParams,
  then: Then,
): Promise<TemplateResult> {
  const [event_id = '', webhook_id = '', run = ''] = key.split('.')
  const asked = new URLSearchParams({ event_id, webhook_id, per_page: '100' })
  const site_code = query.get('site_code')
  if (site_code) asked.set('site_code', site_code)
  const [event, { items }] = await Promise.all([
    get<WebhookEvent>(`/api/v1/webhooks/events/${encodeURIComponent(event_id)}`),
    get<{ items: Delivery[] }>(`/api/v1/webhooks/events?${asked.toString()}`),
  ])
  const delivery = items.find((one) => one.run === Number(run))
  if (!delivery) throw new Error('no such delivery')
  return detailPanel(event.event_type, contentOf(delivery, event, then), then.close)
}

function contentOf(delivery: Delivery, event: WebhookEvent, then: Then): TemplateResult {
  const { status, event_id, webhook_id, webhook_url, created_at, next_attempt_at, run } = delivery
  const replay = async () => {
    try {
      await send('POST', `/api/v1/webhooks/events/${event_id}/replay`, { webhook_id })
      toast(t('replayed'))
      await then.changed()
    } catch (error) {
      toast(refusalOf(error).message)
    }
  }
  return html`<p>${stateOf(status)}</p>
    ${facts([
      [t('endpoint'), webhook_url],
      [t('id'), event_id],
      [t('time'), exact(created_at)],
      ...(run > 1 ? [[t('run'), run] as const] : []),
      ...(next_attempt_at ? [[t('next'), ago(next_attempt_at)] as const] : []),
    ])}
    <div class="actions">
      <button type="button" class="small" @click=${replay}>${t('replay')}</button>
      ${event.payload === null ? nothing : copyButton(curlOf(delivery, event.payload), t('curl'))}
    </div>
    <h3>${t('attempts')}</h3>
    <ol class="line">
      ${delivery.attempts.map(attemptOf)}
    </ol>
    <h3>${t('payload')}</h3>
    ${event.payload === null ? html`<p>${t('erased')}</p>` : jsonView(event.payload, t('payload'))}
    <h3>${t('headers')}</h3>
    ${facts([
      ['content-type', 'application/json'],
      ['webhook-id', event_id],
      ['webhook-timestamp', t('per_attempt')],
      ['webhook-signature', t('per_attempt')],
    ])}`
}

function attemptOf({ attempted_at, duration_ms, response_status, error }: Delivery['attempts'][number]) {
  const isGood = response_status !== null && response_status >= 200 && response_status < 300
  const answer = String(response_status ?? error ?? t('in_flight'))
  return html`<li>
    ${badge(answer, isGood ? 'good' : response_status === null && error === null ? 'none' : 'bad')}
    <span>${duration(duration_ms)}</span> <span class="quiet-text">${exact(attempted_at)}</span>
  </li>`
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The same request without its signature, which only the service can make. */
const curlOf = ({ webhook_url, event_id }: Delivery, payload: string) =>
  `curl ${quoted(webhook_url)} -H 'content-type: application/json' -H ${quoted(`webhook-id: ${event_id}`)} --data-raw ${quoted(payload)}`
