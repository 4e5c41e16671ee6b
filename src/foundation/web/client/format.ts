import { html, type TemplateResult } from 'lit-html'
import { nightsUntil } from './nights.ts'
import { language } from './page.ts'

const numbers = new Intl.NumberFormat(language)
const percents = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
const milliseconds = new Intl.NumberFormat(language, { style: 'unit', unit: 'millisecond' })
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' })
const moments = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' })

export const number = (value: number): string => numbers.format(value)
/** A share from 0 to 1; a dash for none. */
export const percent = (share: number | null): string => (share === null ? '–' : percents.format(share))
export const duration = (ms: number | null): string => (ms === null ? '–' : milliseconds.format(ms))

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
]

/** `5 min ago`, with the exact time on hover and for machines. */
export function ago(time: string): TemplateResult {
  const since = Date.parse(time) - Date.now()
  const [unit, length] = UNITS.find(([, ms]) => Math.abs(since) >= ms) ?? ['second', 1_000]
  const text = relative.format(unit === 'day' ? nightsUntil(time) : Math.round(since / length), unit)
  return html`<time datetime=${time} title=${exact(time)}>${text}</time>`
}

/** The exact time in the time zone of the device. */
export const exact = (time: string): string => moments.format(new Date(time))

const times = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' })
/** Hour and minute in the time zone of the device. */
export const clockTime = (time: string): string => times.format(new Date(time))

const days = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
/** A day that begins at midnight in UTC. */
export const day = (time: string): string => days.format(new Date(time))
