import type { Video, VideoStats } from '../api-types.ts'
import { lineChart } from './chart.ts'
import { clock, count, number, percent } from './format.ts'
import { html } from './html.ts'

/** How learners watched a video: three numbers, retention and rewatching. */
export function watchedCharts({ duration_seconds }: Video, stats: VideoStats): HTMLElement {
  const at = (slice: number) =>
    duration_seconds === null ? `${slice} %` : clock((duration_seconds * slice) / 100)
  const labels = stats.retention.map((_, slice) => at(slice))
  const rows = stats.retention.flatMap((stayed, slice) =>
    slice % 10 === 0 ? [[at(slice), `${number(stayed)} %`, `${number(stats.rewatch[slice] ?? 0)} %`]] : [],
  )
  const last = stats.retention.at(-1) ?? 0
  const about = {
    title: 'Where they stay',
    description: `Of ${count(stats.viewers, 'viewer')}, ${percent(stats.retention[0] ?? 0)} saw the beginning and ${percent(last)} the end.`,
    table: { columns: ['At', 'Watched', 'Watched again'], rows },
  }
  return html`<section id="watched">
    <h2>How it is watched</h2>
    <div class="with-figures">
      <dl class="figures">
        <div>
          <dt>viewers</dt>
          <dd class="figure">${number(stats.viewers)}</dd>
        </div>
        <div>
          <dt>completed it</dt>
          <dd class="figure">${number(stats.completed)}</dd>
        </div>
        <div>
          <dt>watched on average</dt>
          <dd class="figure">${percent(stats.average_percent)}</dd>
        </div>
      </dl>
      ${lineChart(about, labels, [
        { name: 'Watched', values: stats.retention },
        { name: 'Watched again', values: stats.rewatch },
      ])}
    </div>
  </section>`
}
