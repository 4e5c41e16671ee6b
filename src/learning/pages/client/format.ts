import { language, texts } from '#foundation/web/client/language.ts'
import { nightsUntil } from '#foundation/web/client/nights.ts'
import { html } from './html.ts'
import { SHELL_TEXTS } from './shell-texts.ts'

const t = texts(SHELL_TEXTS)

/** Dates and numbers as in the visitor's country, if that is a country of the page's language. */
const LOCALE =
  navigator.languages.find(
    (tag) => /^[a-z]{2}(?:-[a-z]{2})?$/i.test(tag) && tag.slice(0, 2).toLowerCase() === language,
  ) ?? (language === 'en' ? 'en-GB' : language)
const numbers = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 })
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' })
const days = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' })
const moments = new Intl.DateTimeFormat(LOCALE, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const exact = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'short' })

export const number = (value: number): string => numbers.format(value)
/** `62 %`; a dash for null. Rounded down, so that 100 means complete. */
export const percent = (value: number | null): string =>
  value === null ? '–' : `${Math.floor(value)}\u00a0%`
/** The exact percent with its decimals. */
export const exactPercent = (value: number | null): string =>
  value === null ? '–' : `${number(value)}\u00a0%`

/** `1 h 5 min`, `12 min`, `40 s`. */
export function duration(seconds: number | null): string {
  if (seconds === null) return ''
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** `1:02:09` or `4:05`, as players show it. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

export const shortMonth = (time: Date): string => time.toLocaleDateString(LOCALE, { month: 'short' })
export const dayAndMonth = (time: string): string =>
  new Date(time).toLocaleDateString(LOCALE, { day: 'numeric', month: 'short' })
export const day = (time: string): string => days.format(new Date(time))
export const moment = (time: string): string => moments.format(new Date(time))
/** The name of a weekday; 1 is Monday, as 1 January 2024 was. */
export const weekday = (place: number): string =>
  new Date(Date.UTC(2024, 0, place)).toLocaleDateString(LOCALE, { weekday: 'long', timeZone: 'UTC' })

const STEPS = [
  [60, 'second'],
  [3600, 'minute'],
  [86_400, 'hour'],
  [604_800, 'day'],
  [2_629_800, 'week'],
  [31_557_600, 'month'],
] as const
const LENGTHS = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  month: 2_629_800,
  year: 31_557_600,
}

/** In words: `just now`, `in 3 days`, `yesterday`, `2 months ago`. `tomorrow` is the next date, not in 24 hours. */
export function ago(time: string): string {
  const seconds = (new Date(time).getTime() - Date.now()) / 1_000
  if (Math.abs(seconds) < 45) return t('just_now')
  const unit = STEPS.find(([below]) => Math.abs(seconds) < below)?.[1] ?? 'year'
  if (unit === 'day') return relative.format(nightsUntil(time), unit)
  return relative.format(Math.round(seconds / LENGTHS[unit]), unit)
}

/** A relative time with the exact time in the viewer's zone as its tooltip. `datetime` has the instant. */
export const when = (time: string): HTMLElement =>
  html`<time datetime=${time} title=${exact.format(new Date(time))}>${ago(time)}</time>`

/** The exact and the relative time: `Fri 5 Dec, 18:00 (in 3 days)`. */
export const deadline = (time: string): HTMLElement =>
  html`<time datetime=${time}>${moment(time)} <span class="quiet-text">(${ago(time)})</span></time>`
