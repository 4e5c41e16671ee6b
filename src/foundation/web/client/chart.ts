import { html, nothing, svg, type TemplateResult } from 'lit-html'
import { number } from './format.ts'
import { language, texts } from './page.ts'

const t = texts({
  en: { numbers: 'Show the numbers', time: 'Time', none: 'unknown', keys: 'Arrow keys read the values.' },
  de: { numbers: 'Zahlen zeigen', time: 'Zeit', none: 'unbekannt', keys: 'Pfeiltasten lesen die Werte.' },
  es: {
    numbers: 'Mostrar los números',
    time: 'Hora',
    none: 'desconocido',
    keys: 'Las flechas leen los valores.',
  },
})

/** A null is a gap: nobody knows the value. */
type Value = number | null
/** The tone is a colour of the theme; lines of different tones differ in their dashes as well. */
export type Series = { name: string; values: readonly Value[]; tone: 'accent' | 'good' | 'warn' | 'bad' }
export type ChartData = {
  /** One for each value of a series. */
  labels: readonly string[]
  series: readonly Series[]
}
type Chart = {
  /** Lines for a course in time, bars for amounts that stand on their own. */
  kind: 'lines' | 'bars'
  title: string
  /** What the labels are, as the first column of the table. */
  axis?: string
  /** How a value is written; a plain number unless told. */
  format?: (value: number) => string
  update: () => void
}

/* The place of the plot in the drawing, whose height is that of `.chart svg` in kit.css (px). */
const HEIGHT = 200
const [LEFT, TOP, BOTTOM] = [44, 12, 172]
const RIGHT_EDGE = 8
const LABEL_ROOM = 76
let charts = 0

/**
 * A chart whose data may change. `view(data)` renders it; without data its place is kept. It is drawn at the width it
 * has, so that text keeps its size. The pointer or, with the focus on the drawing, the arrow keys, Home and End read one
 * place; Esc puts the reading away.
 */
export function createChart({ kind, title, axis = t('time'), format = number, update }: Chart) {
  const id = `chart-${++charts}`
  let read: number | undefined
  let [width, watched] = [600, undefined as Element | undefined]
  const observer = new ResizeObserver(([entry]) => {
    const found = Math.round(entry?.contentRect.width ?? 0)
    if (found < LABEL_ROOM || found === width) return
    width = found
    update()
  })
  /** After each rendering: the element may be a new one. */
  const watch = () => {
    const drawn = document.querySelector(`[aria-labelledby="${id}"] > svg`)
    if (!drawn || drawn === watched) return
    watched = drawn
    observer.disconnect()
    observer.observe(drawn)
  }

  const readAt = (index: number | undefined) => {
    if (read === index) return
    read = index
    update()
  }
  const point = (event: PointerEvent, count: number) => {
    const { left } = (event.currentTarget as Element).getBoundingClientRect()
    const share = (event.clientX - left - LEFT) / (width - RIGHT_EDGE - LEFT)
    readAt(clamped(kind === 'bars' ? Math.floor(share * count) : Math.round(share * (count - 1)), count))
  }
  const key = (event: KeyboardEvent, count: number) => {
    const from = read ?? count
    const to = { ArrowLeft: from - 1, ArrowRight: (read ?? -1) + 1, Home: 0, End: count - 1 }[event.key]
    if (to === undefined && (event.key !== 'Escape' || read === undefined)) return
    event.preventDefault()
    readAt(to === undefined ? undefined : clamped(to, count))
  }

  return (data: ChartData | undefined): TemplateResult => {
    queueMicrotask(watch)
    const { labels, series } = data ?? { labels: [], series: [] }
    const count = labels.length
    const shown = read !== undefined && read < count ? read : undefined
    return html`<figure class="chart" aria-labelledby=${id}>
      <figcaption id=${id}>${title}</figcaption>
      <p class="chart-key" role="status">
        ${shown === undefined ? nothing : html`<strong>${labels[shown]}</strong>`}
        ${series.map(
          ({ name, values, tone }) =>
            html`<span class="chart-${tone}"
              >${mark(kind)}
              ${name}${shown === undefined ? nothing : html` <b>${told(values[shown], format)}</b>`}</span
            >`,
        )}
      </p>
      <svg
        viewBox="0 0 ${width} ${HEIGHT}"
        role="img"
        tabindex=${count > 0 ? 0 : nothing}
        aria-label=${count > 0 ? `${title}. ${t('keys')}` : title}
        aria-busy=${data ? 'false' : 'true'}
        @pointermove=${(event: PointerEvent) => count > 0 && point(event, count)}
        @pointerleave=${() => readAt(undefined)}
        @blur=${() => readAt(undefined)}
        @keydown=${(event: KeyboardEvent) => count > 0 && key(event, count)}
      >
        ${count > 0 ? drawing(kind, width - RIGHT_EDGE, { labels, series }, shown) : nothing}
      </svg>
      <details>
        <summary>${t('numbers')}</summary>
        <div class="scroll" role="region" tabindex="0" aria-label=${title}>
          <table>
            <thead>
              <tr>
                <th scope="col">${axis}</th>
                ${series.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${labels.map(
                (label, i) =>
                  html`<tr>
                    <td>${label}</td>
                    ${series.map(({ values }) => html`<td class="number">${told(values[i], format)}</td>`)}
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>
      </details>
    </figure>`
  }
}

/** A small line without axes, beside a figure that says the newest value. `text` says what it shows. */
export const sparkline = (
  text: string,
  values: readonly number[],
  tone: Series['tone'] = 'accent',
): TemplateResult => {
  const top = Math.max(...values, 1)
  const at = (value: number, i: number) =>
    `${rounded((i / Math.max(values.length - 1, 1)) * 96 + 2)} ${rounded(26 - (value / top) * 22)}`
  return html`<svg
    class="spark chart-${tone}"
    viewBox="0 0 100 28"
    width="100"
    height="28"
    role="img"
    aria-label=${text}
  >
    ${values.length > 1 ? svg`<path class="chart-line" d="M${values.map(at).join('L')}" />` : nothing}
  </svg>`
}

const clamped = (index: number, count: number) => Math.min(Math.max(index, 0), count - 1)
const rounded = (value: number) => Math.round(value * 10) / 10
const told = (value: Value | undefined, format: (value: number) => string) =>
  value === null || value === undefined ? t('none') : format(value)

const mark = (kind: Chart['kind']) =>
  html`<svg class="chart-mark" viewBox="0 0 18 10" width="18" height="10" aria-hidden="true">
    ${kind === 'lines' ? svg`<path class="chart-line" d="M1 5H17" />` : svg`<rect class="chart-bar" x="3" width="12" height="10" rx="2" />`}
  </svg>`

function drawing(
  kind: Chart['kind'],
  right: number,
  { labels, series }: ChartData,
  shown: number | undefined,
) {
  const most = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const top = roundUp(most)
  const y = (value: number) => rounded(BOTTOM - (value / top) * (BOTTOM - TOP))
  const step = (right - LEFT) / (kind === 'bars' ? labels.length : Math.max(labels.length - 1, 1))
  const x = (i: number) => rounded(LEFT + step * (kind === 'bars' ? i + 0.5 : i))
  const lines = (one: Series) =>
    svg`<g class="chart-${one.tone}">${runsOf(one.values).map(
      ({ from, values }) => svg`
        <path class="chart-area" d="${path(values, from)}L${x(from + values.length - 1)} ${y(0)}L${x(from)} ${y(0)}Z" />
        <path class="chart-line" d=${path(values, from)} />`,
    )}</g>`
  const path = (values: readonly number[], from: number) =>
    values.map((value, i) => `${i === 0 ? 'M' : 'L'}${x(from + i)} ${y(value)}`).join('')
  const bars = ({ values, tone }: Series, nth: number) => {
    const width = (step * 0.72) / series.length
    return svg`<g class="chart-${tone}">${values.map((value, i) =>
      value === null
        ? nothing
        : svg`<rect class="chart-bar" rx="2" x=${rounded(x(i) - step * 0.36 + width * nth)} y=${y(value)} width=${rounded(width)} height=${rounded(y(0) - y(value))} />`,
    )}</g>`
  }
  return svg`
    ${[top, top / 2, 0].map(
      (value) => svg`
      <path class="chart-grid" d="M${LEFT} ${y(value)}H${right}" />
      <text class="chart-label" x=${LEFT - 8} y=${y(value) + 4} text-anchor="end">${scaled(value)}</text>`,
    )}
    ${shown === undefined ? nothing : svg`<path class="chart-read" d="M${x(shown)} ${TOP}V${BOTTOM}" />`}
    ${series.map((one, nth) => (kind === 'lines' ? lines(one) : bars(one, nth)))}
    ${shown === undefined || kind === 'bars' ? nothing : series.map((one) => dot(one, x(shown), y, shown))}
    ${labelsBelow(labels, right, x)}`
}

function dot({ values, tone }: Series, x: number, y: (value: number) => number, shown: number) {
  const value = values[shown]
  if (value === null || value === undefined) return nothing
  return svg`<g class="chart-${tone}"><circle class="chart-dot" cx=${x} cy=${y(value)} r="4" /></g>`
}

/** As many as have room, counted back from the newest. */
function labelsBelow(labels: readonly string[], right: number, x: (i: number) => number) {
  const every = Math.max(1, Math.ceil((labels.length * LABEL_ROOM) / (right - LEFT)))
  return labels.map((label, i) => {
    if ((labels.length - 1 - i) % every !== 0) return nothing
    const anchor = x(i) > right - 30 ? 'end' : x(i) < LEFT + 30 ? 'start' : 'middle'
    return svg`<text class="chart-label" x=${x(i)} y=${HEIGHT - 8} text-anchor=${anchor}>${label}</text>`
  })
}

/** The parts of a line between its gaps. */
function runsOf(values: readonly Value[]): { from: number; values: number[] }[] {
  const runs: { from: number; values: number[] }[] = []
  values.forEach((value, i) => {
    const last = runs.at(-1)
    if (value === null) return
    if (last && last.from + last.values.length === i) last.values.push(value)
    else runs.push({ from: i, values: [value] })
  })
  return runs
}

/** 2, 4, 6, 8 or 10 times a power of ten, so that half of it is round and whole too. */
function roundUp(most: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(most, 1))))
  return power * ([2, 4, 6, 8, 10].find((step) => step * power >= most) ?? 10)
}

const compact = new Intl.NumberFormat(language, { notation: 'compact' })
const scaled = (value: number) => compact.format(value)
