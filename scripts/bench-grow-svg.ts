import type { Growth } from './bench-grow.ts'

const CELL = { width: 300, height: 170, left: 44, top: 34, plotWidth: 236, plotHeight: 100 }
const COLUMNS = 3

/** One small chart for each path: CPU per request over rows, rows on a logarithmic axis, cost from zero. */
export function drawGrowth(growths: readonly Growth[]): string {
  const width = COLUMNS * CELL.width
  const height = Math.ceil(growths.length / COLUMNS) * CELL.height + 40
  const charts = growths.map((growth, index) => {
    const x = (index % COLUMNS) * CELL.width
    const y = Math.floor(index / COLUMNS) * CELL.height + 40
    return `<g transform="translate(${x} ${y})">${chartOf(growth)}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="10" role="img" aria-label="CPU per request by rows">
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="12" y="24" font-size="14" fill="#222">CPU per request (Node and PostgreSQL) by rows in every large table, ${new Date().toISOString().slice(0, 10)}</text>
${charts.join('\n')}
</svg>
`
}

function chartOf({ path, kind, costs }: Growth): string {
  const { left, top, plotWidth, plotHeight } = CELL
  const logs = costs.map(({ rows }) => Math.log10(rows))
  const [first = 3, last = 6] = [logs[0], logs.at(-1)]
  const most = Math.max(...costs.map(({ us }) => us), 1) * 1.1
  const at = (rows: number, us: number) => ({
    x: left + (last === first ? 0.5 : (Math.log10(rows) - first) / (last - first)) * plotWidth,
    y: top + plotHeight - (us / most) * plotHeight,
  })
  const points = costs.map(({ rows, us }) => ({ ...at(rows, us), rows, us }))
  const color = kind === 'list' ? '#1d6fb8' : '#b8651d'
  const line = points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')
  return [
    `<text x="12" y="20" fill="#222">${escaped(path)}</text>`,
    `<path d="M${left} ${top}v${plotHeight}h${plotWidth}" fill="none" stroke="#999"/>`,
    `<polyline points="${line}" fill="none" stroke="${color}" stroke-width="2"/>`,
    ...points.flatMap(({ x, y, rows, us }) => [
      `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3" fill="${color}"/>`,
      `<text x="${x.toFixed(1)}" y="${(y - 6).toFixed(1)}" text-anchor="middle" fill="#222">${timeOf(us)}</text>`,
      `<text x="${x.toFixed(1)}" y="${top + plotHeight + 13}" text-anchor="middle" fill="#666">${rowsOf(rows)}</text>`,
    ]),
  ].join('')
}

const timeOf = (us: number) =>
  us < 10_000 ? `${(us / 1_000).toFixed(2)} ms` : `${(us / 1_000).toFixed(0)} ms`
const rowsOf = (rows: number) => (rows < 1_000_000 ? `${rows / 1_000} k` : `${rows / 1_000_000} M`)
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
