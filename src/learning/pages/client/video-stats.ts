import { texts } from '#foundation/web/client/language.ts'
import type { Video, VideoStats } from '../api-types.ts'
import { lineChart } from './chart.ts'
import { clock, number, percent } from './format.ts'
import { html } from './html.ts'
import { STATISTICS_TEXTS } from './statistics-texts.ts'

const t = texts(STATISTICS_TEXTS)

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
    title: t('stay'),
    description: t('stay_text', {
      count: stats.viewers,
      first: percent(stats.retention[0] ?? 0),
      last: percent(last),
    }),
    table: { columns: [t('at'), t('watched'), t('watched_again')], rows },
  }
  return html`<section id="watched">
    <h2>${t('how')}</h2>
    <div class="with-figures">
      <dl class="figures">
        <div>
          <dt>${t('viewers')}</dt>
          <dd class="figure">${number(stats.viewers)}</dd>
        </div>
        <div>
          <dt>${t('completed')}</dt>
          <dd class="figure">${number(stats.completed)}</dd>
        </div>
        <div>
          <dt>${t('average_watched')}</dt>
          <dd class="figure">${percent(stats.average_percent)}</dd>
        </div>
      </dl>
      ${lineChart(about, labels, [
        { name: t('watched'), values: stats.retention },
        { name: t('watched_again'), values: stats.rewatch },
      ])}
    </div>
  </section>`
}
