import { type Html, html } from '../core/pages/html.ts'
import { type Fault, layOut } from '../core/pages/layout.ts'
import type { OwnSite } from './own-sites.ts'

const PLACES = {
  overview: { href: '/console', text: 'Overview' },
  people: { href: '/console/people', text: 'People' },
  sites: { href: '/console/sites', text: 'Sites' },
  audit: { href: '/console/audit', text: 'Audit log' },
  approvals: { href: '/console/approvals', text: 'Approvals' },
} as const
export type Place = keyof typeof PLACES

export type Shell = {
  title: string
  place: Place
  is_operator: boolean
  /** Pages above this one. */
  trail?: readonly { href: string; text: string }[]
  /** Confirms the action just taken. */
  notice?: string | undefined
  faults?: readonly Fault[] | undefined
  main: Html
}

export const consolePage = ({ title, place, is_operator, trail = [], notice, faults, main }: Shell) =>
  layOut({
    title,
    faults,
    navigation: navigationOf(place, is_operator),
    main: html`${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
    ${trail.length > 0 && html`<p class="trail">${trail.map(({ href, text }) => html`<a href="${href}">${text}</a> / `)}</p>`}
    ${main}`,
  })

function navigationOf(place: Place, is_operator: boolean): Html {
  const places = Object.entries(PLACES).filter(([name]) => name !== 'approvals' || is_operator)
  return html`<nav aria-label="Console">
    <ul>
      ${places.map(
        ([name, { href, text }]) =>
          html`<li><a href="${href}" ${name === place && html`aria-current="page"`}>${text}</a></li>`,
      )}
      <li><a href="/account">Your account</a></li>
    </ul>
  </nav>`
}

/** `rows` are cells in the order of `columns`. */
export const table = (
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly Html[])[],
): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <thead>
        <tr>
          ${columns.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td dir="auto">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`

export const fact = (name: string, value: Html | string | number): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd dir="auto">${value}</dd>
  </div>`

/** A filter of a list: empty means any. */
export const choice = (
  name: string,
  label: string,
  value: string | undefined,
  options: readonly Option[],
): Html =>
  html`<div class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      ${options.map(
        (option) =>
          html`<option value="${option.value}" ${option.value === (value ?? '') && html`selected`}>
            ${option.text}
          </option>`,
      )}
    </select>
  </div>`
type Option = { value: string; text: string }

export const typed = (name: string, label: string, value: string | undefined): Html =>
  html`<div class="field">
    <label for="${name}">${label}</label>
    <input id="${name}" name="${name}" value="${value ?? ''}" spellcheck="false" autocapitalize="none" />
  </div>`

/** One of the own sites; an operator names any. */
export const siteFilter = (sites: readonly OwnSite[], site_code: string | undefined): Html =>
  sites.length === 0
    ? typed('site_code', 'Code of a site', site_code)
    : choice(
        'site_code',
        'Site',
        site_code,
        sites.map((site) => ({ value: site.site_code, text: site.name })),
      )

export const filters = (action: string, fields: readonly Html[]): Html =>
  html`<form class="filters" method="get" action="${action}" role="search">
    ${fields}
    <button type="submit" class="second">Show</button>
  </form>`

/** The way to the rows after these. `query` are the filters of the list. */
export const more = (
  path: string,
  query: Record<string, string | undefined>,
  next_cursor: string | null,
): Html | false => {
  if (next_cursor === null) return false
  const given = Object.entries({ ...query, cursor: next_cursor }).filter(
    (one): one is [string, string] => one[1] !== undefined,
  )
  return html`<p><a href="${path}?${new URLSearchParams(given).toString()}">More</a></p>`
}

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
export const timeOf = (time: string | null): Html =>
  time === null ? html`never` : html`<time datetime="${time}">${TIME.format(new Date(time))} UTC</time>`
