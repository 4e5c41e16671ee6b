import { texts } from '#foundation/web/client/language.ts'
import { number } from './format.ts'
import { SHELL_TEXTS } from './shell-texts.ts'

/**
 * The charts of all pages. Each is a figure with a title, a drawing and the same numbers as a table, for screen
 * readers and exact values. Drawn at the actual width, so that text never shrinks. Classes in charts.css set colours
 * and strokes.
 */
type Cell = string | number
const t = texts(SHELL_TEXTS)
type Table = { columns: string[]; rows: Cell[][] }
type About = { title: string; description: string; table: Table }
type Box = { width: number; height: number }
type Attributes = Record<string, string | number>

const NAMESPACE = 'http://www.w3.org/2000/svg'
/** Margins for the scale at the left, the labels below, and half a line of text above. */
const PLOT = { left: 38, right: 6, top: 10, bottom: 24 }
let made = 0

/** Lines over a common axis in percent (0 to 100); the first has its area filled. `labels` has one text per value. */
export const lineChart = (about: About, labels: string[], series: { name: string; values: number[] }[]) =>
  figure(
    about,
    210,
    (box) => {
      const { x, y, frame } = plot(box, 100, '%')
      const at = (index: number, of: number) => x(of < 2 ? 0 : index / (of - 1))
      const path = (values: number[]) =>
        values.map((value, i) => `${i ? 'L' : 'M'}${at(i, values.length)} ${y(value)}`).join('')
      const lines = series.map(({ name, values }, i) => {
        const area = `${path(values)}L${x(1)} ${y(0)}L${x(0)} ${y(0)}Z`
        return svg('g', { class: `chart-series-${i + 1}` }, [
          ...(i === 0 ? [svg('path', { class: 'chart-area', d: area })] : []),
          svg('path', { class: 'chart-line', d: path(values) }, [svg('title', {}, [name])]),
        ])
      })
      return [...frame, ...lines, ...belowAxis(box, labels, (i) => at(i, labels.length))]
    },
    series.length > 1 ? series.map(({ name }) => name) : [],
  )

/** Vertical bars, one per label. `unit` follows the numbers of the scale. */
export const columnChart = (about: About, labels: string[], values: number[], unit = '') =>
  figure(about, 190, (box) => {
    const { x, y, frame } = plot(box, Math.max(...values, 0), unit)
    const step = (x(1) - x(0)) / Math.max(values.length, 1)
    const bars = values.map((value, i) => {
      const place = {
        x: x(0) + step * i + step * 0.14,
        y: y(value),
        width: step * 0.72,
        height: y(0) - y(value),
      }
      return svg('rect', { class: 'chart-bar', rx: 2, ...place }, [
        svg('title', {}, [`${labels[i]}: ${number(value)}${unit}`]),
      ])
    })
    return [...frame, ...bars, ...belowAxis(box, labels, (i) => x(0) + step * (i + 0.5))]
  })

/** Horizontal bars with their names above, each as a share of the first step. */
export const funnelChart = (about: About, steps: { name: string; value: number }[]) =>
  figure(about, steps.length * 46, ({ width }) => {
    const whole = Math.max(...steps.map(({ value }) => value), 1)
    return steps.flatMap(({ name, value }, i) => {
      const [top, share] = [i * 46, value / whole]
      const percent = i === 0 ? number(value) : `${number(value)} · ${Math.round(share * 100)} %`
      return [
        svg('text', { class: 'chart-name', x: 0, y: top + 15 }, [name]),
        svg('text', { class: 'chart-value', x: width, y: top + 15, 'text-anchor': 'end' }, [percent]),
        svg('rect', { class: 'chart-track', x: 0, y: top + 23, width, height: 10, rx: 5 }),
        svg('rect', {
          class: 'chart-bar',
          x: 0,
          y: top + 23,
          width: Math.max(share * width, value > 0 ? 10 : 0),
          height: 10,
          rx: 5,
        }),
      ]
    })
  })

export type Point = { label: string; name: string; x: number; y: number; is_flagged: boolean }

/** Points with x from 0 to 1 and y from -1 to 1. Flagged points are diamonds, so that colour is not the only sign. */
export const scatterChart = (about: About, axes: { x: string; y: string }, points: Point[]) =>
  figure(about, 260, (box) => {
    const x = (part: number) => PLOT.left + part * (box.width - PLOT.left - PLOT.right)
    const middle = (PLOT.top + box.height - PLOT.bottom) / 2
    const reach = middle - PLOT.top
    const scale = [1, 0.5, 0, -0.5, -1].flatMap((value) =>
      gridLine(box, middle - value * reach, number(value)),
    )
    const dots = points.map((point) => {
      const [across, down] = [x(point.x), middle - point.y * reach]
      const shape = point.is_flagged
        ? svg('path', { class: 'chart-flag', d: `M${across} ${down - 7}l7 7-7 7-7-7Z` })
        : svg('circle', { class: 'chart-dot', cx: across, cy: down, r: 5 })
      const label = { class: 'chart-label', x: across, y: down - 9, 'text-anchor': 'middle' }
      return svg('g', {}, [
        shape,
        svg('text', label, [point.label]),
        svg('title', {}, [`${point.name}: ${number(point.x)}; ${number(point.y)}`]),
      ])
    })
    const upper = svg('text', { class: 'chart-label', x: PLOT.left + 4, y: PLOT.top + 12 }, [axes.y])
    const lower = svg('text', { class: 'chart-label', x: x(1), y: box.height - 4, 'text-anchor': 'end' }, [
      axes.x,
    ])
    const zero = svg('path', { class: 'chart-axis', d: `M${x(0)} ${middle}H${x(1)}` })
    return [...scale, zero, ...dots, upper, lower]
  })

/** Days in columns of weeks, starting on a Monday, in five shades. */
export const heatMap = (about: About, days: { date: string; value: number; text: string }[]) =>
  figure(about, 126, ({ width }) => {
    const weeks = Math.ceil(days.length / 7)
    const cell = Math.min(16, (width - 4) / Math.max(weeks, 1))
    const most = Math.max(...days.map(({ value }) => value), 1)
    return days.map(({ value, text }, i) => {
      const shade = value === 0 ? 0 : Math.ceil((value / most) * 4)
      const place = { x: Math.floor(i / 7) * cell, y: (i % 7) * 17, width: cell - 3, height: 14, rx: 3 }
      return svg('rect', { class: `chart-heat-${shade}`, ...place }, [svg('title', {}, [text])])
    })
  })

/** A line without a scale, for recent values. */
export const sparkline = (about: About, values: number[]) =>
  figure(about, 44, ({ width, height }) => {
    const most = Math.max(...values, 1)
    const at = (value: number, i: number) =>
      `${(values.length < 2 ? 0 : i / (values.length - 1)) * (width - 8) + 4} ${height - 6 - (value / most) * (height - 12)}`
    const [last = 0] = values.slice(-1)
    const [cx, cy] = at(last, values.length - 1).split(' ')
    const line = svg('path', { class: 'chart-line', d: `M${values.map(at).join('L')}` })
    const floor = svg('path', { class: 'chart-grid', d: `M0 ${height - 6}H${width}` })
    return [
      floor,
      svg('g', { class: 'chart-series-1' }, [
        line,
        svg('circle', { class: 'chart-dot', cx: cx ?? 0, cy: cy ?? 0, r: 3.5 }),
      ]),
    ]
  })

function figure(about: About, height: number, draw: (box: Box) => SVGElement[], legend: string[] = []) {
  const id = `chart-${++made}`
  const drawing = svg('svg', { role: 'img', height, 'aria-labelledby': `${id}-t ${id}-d` })
  const redraw = (width: number) => {
    drawing.setAttribute('viewBox', `0 0 ${width} ${height}`)
    const words = [
      svg('title', { id: `${id}-t` }, [about.title]),
      svg('desc', { id: `${id}-d` }, [about.description]),
    ]
    drawing.replaceChildren(...words, ...draw({ width, height }))
  }
  redraw(560)
  // Redraws at the new width instead of scaling, so that text keeps its size.
  new ResizeObserver(([entry]) => {
    const width = Math.round(entry?.contentRect.width ?? 0)
    if (width > 60) redraw(width)
  }).observe(drawing)
  const names = legend.map((name, i) => element('li', `chart-key-${i + 1}`, [name]))
  return element('figure', 'chart', [
    element('figcaption', '', [
      element('strong', '', [about.title]),
      element('span', 'chart-words', [about.description]),
    ]),
    ...(names.length > 0 ? [element('ul', 'chart-legend', names)] : []),
    drawing,
    element('details', 'chart-data', [element('summary', '', [t('numbers')]), tableOf(about)]),
  ])
}

function tableOf({ title, table: { columns, rows } }: About) {
  const head = columns.map((name) => {
    const th = element('th', '', [name])
    th.setAttribute('scope', 'col')
    return th
  })
  const body = rows.map((row) =>
    element(
      'tr',
      '',
      row.map((cell) => element('td', '', [typeof cell === 'number' ? number(cell) : cell])),
    ),
  )
  const table = element('table', '', [
    element('caption', '', [title]),
    element('thead', '', [element('tr', '', head)]),
    element('tbody', '', body),
  ])
  const scroller = element('div', 'table-scroll', [table])
  // Wider than a phone, so it scrolls on its own and must be reachable by keyboard.
  scroller.tabIndex = 0
  scroller.setAttribute('role', 'group')
  scroller.setAttribute('aria-label', title)
  return scroller
}

/** The coordinates of a plot and its grid lines, from 0 to a round number of at least `most`. */
function plot({ width, height }: Box, most: number, unit: string) {
  const [bottom, right] = [height - PLOT.bottom, width - PLOT.right]
  const top = roundUp(most)
  const x = (part: number) => PLOT.left + part * (right - PLOT.left)
  const y = (value: number) => bottom - (value / top) * (bottom - PLOT.top)
  const values = [0, top / 2, top].filter(Number.isInteger)
  const frame = values.flatMap((value) => gridLine({ width, height }, y(value), `${number(value)}${unit}`))
  return { x, y, frame }
}

const gridLine = ({ width }: Box, y: number, text: string) => [
  svg('path', { class: 'chart-grid', d: `M${PLOT.left} ${y}H${width - PLOT.right}` }),
  svg('text', { class: 'chart-label', x: PLOT.left - 6, y: y + 4, 'text-anchor': 'end' }, [text]),
]

/** As many labels as fit, always with the first. */
function belowAxis({ width, height }: Box, labels: string[], at: (index: number) => number) {
  const every = Math.max(1, Math.ceil(labels.length / Math.max(2, Math.floor(width / 72))))
  return labels.flatMap((label, i) => {
    if (i % every !== 0) return []
    const anchor = i === 0 ? 'start' : at(i) > width - 30 ? 'end' : 'middle'
    return [svg('text', { class: 'chart-label', x: at(i), y: height - 6, 'text-anchor': anchor }, [label])]
  })
}

/** 1, 2, 4, 5 or 10 times a power of ten, so that half of it is round too. */
function roundUp(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)))
  return power * ([1, 2, 4, 5, 10].find((step) => step * power >= most) ?? 10)
}

function svg(tag: string, attributes: Attributes, children: (Node | string)[] = []): SVGElement {
  const made = document.createElementNS(NAMESPACE, tag) as SVGElement
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  made.append(...children)
  return made
}

function element(tag: string, className: string, children: (Node | string)[]): HTMLElement {
  const made = document.createElement(tag)
  if (className) made.className = className
  made.append(...children)
  return made
}
