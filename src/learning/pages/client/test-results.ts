import { texts } from '#foundation/web/client/language.ts'
import type { AuthorQuestion, Page, Test } from '../api-types.ts'
import { patiently } from './all-pages.ts'
import { get } from './api.ts'
import { columnChart, scatterChart } from './chart.ts'
import { toCsv } from './csv.ts'
import { download } from './download.ts'
import { act } from './form.ts'
import { exactPercent, number, percent, when } from './format.ts'
import { type Child, fillWith, html } from './html.ts'
import { icon } from './icons.ts'
import { badge } from './parts.ts'
import { addressOf, nameOf } from './person.ts'
import { STATISTICS_TEXTS } from './statistics-texts.ts'

const t = texts(STATISTICS_TEXTS)

/** Fewer learners than this say little about a question. */
const MEANINGFUL = 5
/** The threshold of the content agent: with fewer learners, an alarm would be noise. */
const ALARMING = 20
/** Below this, a question does not separate learners who know the topic from those who do not. */
const LOW = 0.1

/** The results of a test: three numbers, the scores, how well each question separates, and each learner's result. */
export function resultsOf(
  { id, episode_id, title, stats, results = [], result_total = 0 }: Test,
  questions: AuthorQuestion[],
): Child {
  if (!stats || stats.learner_count === 0) return null
  let all: Promise<Result[]> | undefined
  /** The page of results that is here, and the others, which are read when somebody wants them. */
  const everybody = () =>
    (all ??= otherResults(id, episode_id, results, result_total).catch((error: unknown) => {
      all = undefined
      throw error
    }))
  const tenths = stats.histogram.map((_, tenth) => `${tenth * 10}`)
  const scores = columnChart(
    {
      title: t('scores'),
      description: t('scores_text'),
      table: {
        columns: [t('from_percent'), t('learners')],
        rows: stats.histogram.map((value, tenth) => [tenth * 10, value]),
      },
    },
    tenths,
    stats.histogram,
  )
  return html`<section id="results">
    <div class="section-head">
      <h2>${t('results')}</h2>
      ${
        results.length > 0 &&
        html`<button
          type="button"
          class="second small"
          onclick=${({ currentTarget }: Event) =>
            act(currentTarget as HTMLElement, async () =>
              download(`${title}.csv`, 'text/csv', toCsv(rowsOf(await everybody()))),
            )}
        >
          ${icon('download')}CSV
        </button>`
      }
    </div>
    <div class="with-figures">
      <dl class="figures">
        <div>
          <dt>${t('learners_figure')}</dt>
          <dd class="figure">${number(stats.learner_count)}</dd>
        </div>
        <div>
          <dt>${t('average')}</dt>
          <dd class="figure">${percent(stats.mean_percent)}</dd>
        </div>
        <div>
          <dt>${t('passed')}</dt>
          <dd class="figure">${percent(stats.pass_rate === null ? null : stats.pass_rate * 100)}</dd>
        </div>
      </dl>
      ${scores}
    </div>
    ${itemAnalysis(stats.questions ?? [], questions)}
    ${results.length > 0 && learners(results, `/test?id=${id}&episode=${episode_id}`, result_total > results.length ? everybody : undefined)}
  </section>`
}

type Item = NonNullable<NonNullable<Test['stats']>['questions']>[number]

function itemAnalysis(items: Item[], questions: AuthorQuestion[]): Child {
  const named = items.flatMap((item) => {
    const place = questions.findIndex(({ id }) => id === item.question_id)
    const question = questions[place]
    return question && item.n >= MEANINGFUL
      ? [{ ...item, question, label: `${place + 1}`, name: t('question', { number: place + 1 }) }]
      : []
  })
  /** Questions at the same place share a label. */
  const labelsAt = (x: number, y: number) =>
    named
      .filter(({ difficulty, discrimination }) => difficulty === x && discrimination === y)
      .map(({ label }) => label)
      .join(', ')
  const points = named.flatMap(({ name, n, difficulty, discrimination }) =>
    difficulty === null || discrimination === null
      ? []
      : [
          {
            label: labelsAt(difficulty, discrimination),
            name,
            x: difficulty,
            y: discrimination,
            is_flagged: n >= ALARMING && discrimination < LOW,
          },
        ],
  )
  if (points.length === 0) return null
  const rows = named.map(({ name, n, difficulty, discrimination }) => [
    name,
    n,
    number(difficulty ?? 0),
    discrimination === null ? '–' : number(discrimination),
  ])
  const flagged = named.filter(
    ({ n, discrimination }) => n >= ALARMING && discrimination !== null && discrimination < LOW,
  )
  return html`<div class="fields">
    ${scatterChart(
      {
        title: t('tells'),
        description: t('tells_text'),
        table: { columns: [t('question_column'), t('learners'), t('ease'), t('goes')], rows },
      },
      { x: t('easier'), y: t('goes_axis') },
      points,
    )}
    ${
      flagged.length > 0 &&
      html`<ul class="rows work-rows">
        ${flagged.map(
          ({ name, question, discrimination, options }) =>
            html`<li>
              <div class="work-words">
                <h3 dir="auto">${name}: ${question.prompt}</h3>
                <p class="hint">
                  ${t((discrimination ?? 0) < 0 ? 'wrong_key_text' : 'little_text')}
                  ${options.length > 0 && ` ${t('chosen', { options: options.map(({ id, share }) => `${question.options?.find((one) => one.id === id)?.text ?? ''} ${percent(share * 100)}`).join(', ') })}`}
                </p>
              </div>
              ${badge(t((discrimination ?? 0) < 0 ? 'wrong_key' : 'little'), 'warn')}
            </li>`,
        )}
      </ul>`
    }
  </div>`
}

type Result = NonNullable<Test['results']>[number]

/** Continues the results where the first page ends. A learner who moved up meanwhile is not shown twice. */
async function otherResults(id: string, episode_id: string, first: Result[], total: number) {
  const found = new Map(first.map((one) => [one.user_id, one]))
  for (let page = 2; page <= Math.ceil(total / Math.max(1, first.length)); page++) {
    const path = `/api/episodes/${episode_id}/tests?test_id=${id}&result_page=${page}`
    const { items } = await patiently(() => get<Page<Test>>(path))
    for (const one of items[0]?.results ?? []) if (!found.has(one.user_id)) found.set(one.user_id, one)
  }
  return [...found.values()]
}

function learners(first: Result[], address: string, everybody: (() => Promise<Result[]>) | undefined) {
  const rows = html`<tbody>
    ${first.map((one) => learner(one, address))}
  </tbody>`
  const own = html`<details class="more">
    <summary>${t('everybody')}</summary>
    <div class="scroll-x" tabindex="0" role="group" aria-label=${t('by_learner')}>
      <table>
        <caption>
          ${t('order')}
        </caption>
        <thead>
          <tr>
            <th scope="col">${t('learner')}</th>
            <th scope="col" class="number">${t('attempts')}</th>
            <th scope="col" class="number">${t('counts')}</th>
            <th scope="col">${t('passed_column')}</th>
            <th scope="col">${t('last')}</th>
          </tr>
        </thead>
        ${rows}
      </table>
    </div>
  </details>`
  const readOthers = () =>
    void act(own, async () =>
      fillWith(
        rows,
        ((await everybody?.()) ?? first).map((one) => learner(one, address)),
      ),
    )
  if (everybody) own.addEventListener('toggle', readOthers, { once: true })
  return own
}

const learner = ({ attempts, kept_percent, passed, last_submitted_at, ...one }: Result, address: string) =>
  html`<tr>
    <th scope="row" dir="auto">
      <a href="${address}&learner=${one.user_id}">${nameOf(one)}</a>
      ${addressOf(one)}
    </th>
    <td class="number">${attempts}</td>
    <td class="number">${exactPercent(kept_percent)}</td>
    <td>
      ${passed === null ? '–' : passed ? badge(t('passed'), 'good', 'check') : badge(t('not_yet'), 'plain')}
    </td>
    <td>${when(last_submitted_at)}</td>
  </tr>`

const rowsOf = (results: Result[]) => [
  ['learner', 'e-mail', 'attempts', 'percent', 'passed', 'last_submitted_at'],
  ...results.map(({ attempts, kept_percent, passed, last_submitted_at, ...one }) => [
    nameOf(one),
    one.user_email,
    attempts,
    kept_percent,
    passed === null ? null : String(passed),
    last_submitted_at,
  ]),
]
