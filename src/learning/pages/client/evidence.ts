import { texts } from '#foundation/web/client/language.ts'
import type { Suggestion } from '../api-types.ts'
import { lineChart } from './chart.ts'
import { wordsOf } from './evidence-words.ts'
import { clock, day, moment, number, weekday } from './format.ts'
import { type Child, html } from './html.ts'
import { INNOVATION_TEXTS } from './innovation-texts.ts'
import { badge } from './parts.ts'
import { kindWords } from './suggestion-kinds.ts'

const t = texts(INNOVATION_TEXTS)

/** A chapter, a question or an option of a patch. */
type Drafted = Record<string, unknown>
type AtRisk = { user_id?: unknown; user_email?: unknown; risk?: unknown; reasons?: unknown }

/** The evidence of a suggestion: a retention curve, learners with reasons, and all other values as facts. */
export function evidenceOf({ evidence }: Suggestion): Child {
  const { retention, learners } = evidence as Record<string, unknown>
  const isDrawn = (value: unknown) => Array.isArray(value) && (value === retention || value === learners)
  // Ids are used for links (suggestion-card.ts), not shown.
  const facts = Object.entries(inLocalTime(evidence)).filter(
    ([name, value]) => value !== null && !isDrawn(value) && !name.endsWith('_id'),
  )
  return html`<div class="evidence">
    ${
      facts.length > 0 &&
      html`<dl class="facts">
        ${facts.map(
          ([name, value]) =>
            html`<div>
              <dt>${wordsOf(name)}</dt>
              <dd dir="auto">${valueOf(name, value)}</dd>
            </div>`,
        )}
      </dl>`
    }
    ${Array.isArray(retention) && curveOf(retention.map(Number))}
    ${Array.isArray(learners) && learners.length > 0 && peopleOf(learners as AtRisk[])}
  </div>`
}

/** The changes a suggestion proposes, by field. */
export function patchOf({ patch }: Suggestion): Child {
  if (!patch) return null
  return html`<div class="patch">
    <h3>${t('changes')}</h3>
    <dl class="facts">
      ${Object.entries(patch as Record<string, unknown>).map(
        ([name, value]) =>
          html`<div>
            <dt>${wordsOf(name)}</dt>
            <dd dir="auto">${patchedOf(name, value)}</dd>
          </div>`,
      )}
    </dl>
  </div>`
}

/** A weekday and an hour of the service's clock (UTC), as the visitor's own. */
function inLocalTime(evidence: object): Record<string, unknown> {
  const { weekday, hour_utc } = evidence as Record<string, unknown>
  if (typeof weekday !== 'number' || typeof hour_utc !== 'number') return { ...evidence }
  // 1 January 2024 was a Monday.
  const local = new Date(Date.UTC(2024, 0, weekday, hour_utc))
  return { ...evidence, weekday: local.getDay() || 7, hour_utc: local.getHours() }
}

/** Evidence and fields whose values are words of a list. */
const LISTED = ['kind', 'status']

function valueOf(name: string, value: unknown): string {
  if (typeof value === 'number') {
    if (name.endsWith('_seconds')) return clock(value)
    if (name === 'hour_utc') return `${value}:00`
    if (name === 'weekday') return weekday(value)
    if (/^(?:share|rate|difficulty)$/.test(name)) return `${number(value * 100)}\u00a0%`
    return number(value)
  }
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
  if (Array.isArray(value)) return value.map((one) => valueOf(name, one)).join(', ')
  if (typeof value !== 'string') return JSON.stringify(value)
  if (name === 'because') return kindWords(value)
  if (LISTED.includes(name)) return wordsOf(value)
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)) return moment(value)
  return /^\d{4}-\d\d-\d\d$/.test(value) ? day(value) : value
}

/** Shows every part of the patch, because the reviewer must see all of it before approving. */
function patchedOf(name: string, value: unknown): Child {
  if (!Array.isArray(value)) {
    if (typeof value !== 'object' || value === null) return valueOf(name, value)
    return html`<ul class="bullets">
      ${Object.entries(value).map(([field, one]) => html`<li>${wordsOf(field)}: ${patchedOf(field, one)}</li>`)}
    </ul>`
  }
  return html`<ul class="bullets">
    ${value.map((one: unknown) => {
      if (typeof one !== 'object' || one === null) return html`<li>${valueOf('', one)}</li>`
      const { prompt, title, text, start_seconds, correct, type: _type, id: _id, ...more } = one as Drafted
      const rest = Object.entries(more).filter(([, given]) => given !== '' && given !== null)
      return html`<li>
        ${typeof start_seconds === 'number' && `${clock(start_seconds)} `}${valueOf('', prompt ?? title ?? text ?? '')}
        ${correct === true && badge(t('right'), 'good', 'check')}
        ${rest.map(([field, given]) => (field === 'options' ? patchedOf(field, given) : html`<p>${wordsOf(field)}: ${patchedOf(field, given)}</p>`))}
      </li>`
    })}
  </ul>`
}

function curveOf(values: number[]): HTMLElement {
  const labels = values.map((_, place) => `${Math.round((100 * place) / Math.max(1, values.length - 1))} %`)
  return lineChart(
    {
      title: t('stay'),
      description: t('stay_text'),
      table: {
        columns: [t('at'), t('watched')],
        rows: values.flatMap((value, place) =>
          place % 10 === 0 ? [[labels[place] ?? '', `${number(value)} %`]] : [],
        ),
      },
    },
    labels,
    [{ name: t('watched'), values }],
  )
}

const peopleOf = (people: AtRisk[]) =>
  html`<div class="scroll-x" tabindex="0" role="group" aria-label=${t('learners')}>
    <table>
      <caption>
        ${t('neediest')}
      </caption>
      <thead>
        <tr>
          <th scope="col">${t('learner')}</th>
          <th scope="col" class="number">${t('risk')}</th>
          <th scope="col">${t('why')}</th>
        </tr>
      </thead>
      <tbody>
        ${people.map(
          ({ user_email, user_id, risk, reasons }) =>
            html`<tr>
              <th scope="row">${valueOf('', user_email || user_id)}</th>
              <td class="number">${valueOf('', risk)}</td>
              <td>
                ${Array.isArray(reasons) ? reasons.map((one) => (typeof one === 'string' ? wordsOf(one) : JSON.stringify(one))).join(', ') : ''}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
