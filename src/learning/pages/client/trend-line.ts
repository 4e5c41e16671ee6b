import { html } from './html.ts'

const [WIDTH, HEIGHT, EDGE] = [96, 24, 2]

/** A line through percents in their order; `label` says the same in words. */
export function trendLine(percents: readonly number[], label: string): HTMLElement {
  const step = (WIDTH - 2 * EDGE) / Math.max(1, percents.length - 1)
  const points = percents.map(
    (percent, i) => `${EDGE + i * step},${HEIGHT - EDGE - (percent / 100) * (HEIGHT - 2 * EDGE)}`,
  )
  return html`<svg
    class="trend"
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    width=${WIDTH}
    height=${HEIGHT}
    role="img"
    aria-label=${label}
  >
    <polyline points=${points.join(' ')} fill="none" stroke="currentColor" stroke-width="2" />
  </svg>`
}
