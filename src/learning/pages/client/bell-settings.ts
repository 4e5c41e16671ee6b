import { changesOf } from '#foundation/web/client/changes.ts'
import { language, texts } from '#foundation/web/client/language.ts'
import type { CalendarState, NewCalendar, Preferences } from '../api-types.ts'
import { get, send } from './api.ts'
import { BELL_TEXTS } from './bell-texts.ts'
import { act } from './form.ts'
import { formDialog } from './form-dialog.ts'
import { when } from './format.ts'
import { fillWith, html } from './html.ts'
import { phrase } from './phrase.ts'
import { toast } from './toast.ts'

const t = texts(BELL_TEXTS)
const KINDS = ['graded', 'due', 'episode', 'answer'] as const
const WAYS = ['in_page', 'by_mail'] as const

/** What the person hears of and how, and the address of their calendar. */
export async function notificationSettings(): Promise<void> {
  const [preferences, calendar] = await Promise.all([
    get<Preferences>('/api/notifications/settings'),
    get<CalendarState>('/api/calendar'),
  ])
  const table = html`<table>
    <thead>
      <tr>
        <th scope="col">${t('kind')}</th>
        ${WAYS.map((way) => html`<th scope="col">${t(way)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${KINDS.map(
        (kind) =>
          html`<tr>
            <th scope="row">${t(`${kind}_kind`)}</th>
            ${WAYS.map(
              (way) =>
                html`<td>
                  <input
                    type="checkbox"
                    name="${kind}.${way}"
                    aria-label="${t(`${kind}_kind`)}: ${t(way)}"
                    checked=${preferences[kind][way]}
                  />
                </td>`,
            )}
          </tr>`,
      )}
    </tbody>
  </table>`
  const content = html`<div class="fields">${table}${calendarPart(calendar)}</div>`
  const isOn = (name: string) => content.querySelector<HTMLInputElement>(`[name="${name}"]`)?.checked ?? false
  const isSaved = await formDialog(t('notifications'), content, t('save'), async () => {
    const wanted = KINDS.map((kind) => [
      kind,
      { in_page: isOn(`${kind}.in_page`), by_mail: isOn(`${kind}.by_mail`) },
    ])
    const changes = changesOf(preferences, Object.fromEntries(wanted) as Preferences)
    if (Object.keys(changes).length > 0) await send('PUT', '/api/notifications/settings', changes)
  })
  if (isSaved) toast(t('saved'))
}

function calendarPart(first: CalendarState): HTMLElement {
  const place = html`<section aria-labelledby="calendar-title"></section>`
  const show = ({ created_at }: CalendarState, url?: string) =>
    fillWith(
      place,
      html`<h3 id="calendar-title">${t('calendar')}</h3>`,
      html`<p class="hint">${t('calendar_hint')}</p>`,
      url !== undefined && addressLine(url),
      url === undefined &&
        created_at !== null &&
        html`<p>${phrase(t, 'calendar_since', { time: when(created_at) })}</p>`,
      html`<p class="actions">${maker(created_at !== null)}${created_at !== null && ender()}</p>`,
    )

  function maker(isAgain: boolean): HTMLElement {
    const button: HTMLElement = html`<button
      type="button"
      class="second small"
      onclick=${() =>
        act(button, async () => {
          const made = await send<NewCalendar>('POST', '/api/calendar', { language })
          show(made, made.url)
          place.querySelector<HTMLInputElement>('input')?.select()
        })}
    >
      ${t(isAgain ? 'calendar_again' : 'calendar_make')}
    </button>`
    return button
  }

  function ender(): HTMLElement {
    const button: HTMLElement = html`<button
      type="button"
      class="quiet small"
      onclick=${() =>
        act(button, async () => {
          show(await send<CalendarState>('DELETE', '/api/calendar'))
          toast(t('calendar_ended'))
        })}
    >
      ${t('calendar_end')}
    </button>`
    return button
  }
  show(first)
  return place
}

const addressLine = (url: string) =>
  html`<p class="field-row is-tail">
    <input readonly dir="ltr" value=${url} aria-label=${t('calendar_address')} />
    <button
      type="button"
      class="second small"
      onclick=${() =>
        void navigator.clipboard
          .writeText(url)
          .then(() => toast(t('copied')))
          .catch(() => undefined)}
    >
      ${t('calendar_copy')}
    </button>
  </p>`
