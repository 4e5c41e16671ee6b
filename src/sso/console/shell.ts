import { type Html, html } from '../core/pages/html.ts'
import { type Fault, layOut } from '../core/pages/layout.ts'
import { type Place, placesIn } from './client/places.ts'

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
  return html`<nav aria-label="Console">
    <ul>
      ${placesIn('en', is_operator, place).map(
        ({ href, text, is_current }) =>
          html`<li><a href="${href}" ${is_current && html`aria-current="page"`}>${text}</a></li>`,
      )}
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
