import type { AuthorQuestion, Test } from '../api-types.ts'
import { columnChart, scatterChart } from './chart.ts'
import { download, toCsv } from './csv.ts'
import { exactPercent, number, percent, when } from './format.ts'
import { type Child, html } from './html.ts'
import { icon } from './icons.ts'
import { badge } from './parts.ts'

/** Fewer learners than this say little about a question. */
const MEANINGFUL = 5
/** The threshold of the content agent: with fewer learners, an alarm would be noise. */
const ALARMING = 20
/** Below this, a question does not separate learners who know the topic from those who do not. */
const LOW = 0.1

/** The results of a test: three numbers, the scores, how well each question separates, and each learner's result. */
export function resultsOf({ title, stats, results = [] }: Test, questions: AuthorQuestion[]): Child {
  if (!stats || stats.learner_count === 0) return null
  const tenths = stats.histogram.map((_, tenth) => `${tenth * 10}`)
  const scores = columnChart(
    {
      title: 'Scores',
      description: 'Learners by the percent that counts for them',
      table: {
        columns: ['From %', 'Learners'],
        rows: stats.histogram.map((value, tenth) => [tenth * 10, value]),
      },
    },
    tenths,
    stats.histogram,
  )
  return html`<section id="results">
    <div class="section-head">
      <h2>Results</h2>
      ${
        results.length > 0 &&
        html`<button
          type="button"
          class="second small"
          onclick=${() => download(`${title}.csv`, 'text/csv', toCsv(rowsOf(results)))}
        >
          ${icon('download')}CSV
        </button>`
      }
    </div>
    <div class="with-figures">
      <dl class="figures">
        <div>
          <dt>learners</dt>
          <dd class="figure">${number(stats.learner_count)}</dd>
        </div>
        <div>
          <dt>on average</dt>
          <dd class="figure">${percent(stats.mean_percent)}</dd>
        </div>
        <div>
          <dt>passed</dt>
          <dd class="figure">${percent(stats.pass_rate === null ? null : stats.pass_rate * 100)}</dd>
        </div>
      </dl>
      ${scores}
    </div>
    ${itemAnalysis(stats.questions ?? [], questions)} ${results.length > 0 && learners(results)}
  </section>`
}

type Item = NonNullable<NonNullable<Test['stats']>['questions']>[number]

function itemAnalysis(items: Item[], questions: AuthorQuestion[]): Child {
  const named = items.flatMap((item) => {
    const place = questions.findIndex(({ id }) => id === item.question_id)
    const question = questions[place]
    return question && item.n >= MEANINGFUL ? [{ ...item, question, name: `Question ${place + 1}` }] : []
  })
  const points = named.flatMap(({ name, n, difficulty, discrimination }) =>
    difficulty === null || discrimination === null
      ? []
      : [{ name, x: difficulty, y: discrimination, is_flagged: n >= ALARMING && discrimination < LOW }],
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
        title: 'What each question tells',
        description:
          'How easy a question is, and whether those who know the rest know it too. A diamond tells little, below the line its key may be wrong.',
        table: { columns: ['Question', 'Learners', 'Ease', 'Goes with the rest'], rows },
      },
      { x: 'easier', y: 'goes with the rest' },
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
                  ${(discrimination ?? 0) < 0 ? 'Those who know the rest get it wrong. Is the key right?' : 'It hardly goes with the rest.'}
                  ${options.length > 0 && ` Chosen: ${options.map(({ id, share }) => `${question.options?.find((one) => one.id === id)?.text ?? ''} ${percent(share * 100)}`).join(', ')}.`}
                </p>
              </div>
              ${badge((discrimination ?? 0) < 0 ? 'wrong key?' : 'tells little', 'warn')}
            </li>`,
        )}
      </ul>`
    }
  </div>`
}

type Result = NonNullable<Test['results']>[number]

const learners = (results: Result[]) =>
  html`<details class="more">
    <summary>Everybody’s result</summary>
    <div class="scroll-x" tabindex="0" role="group" aria-label="Results by learner">
      <table>
        <caption>
          Who handed in last stands first
        </caption>
        <thead>
          <tr>
            <th scope="col">Learner</th>
            <th scope="col" class="number">Attempts</th>
            <th scope="col" class="number">Counts</th>
            <th scope="col">Passed</th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          ${results.map(
            ({ user_email, user_id, attempts, kept_percent, passed, last_submitted_at }) =>
              html`<tr>
                <th scope="row">${user_email ?? user_id}</th>
                <td class="number">${attempts}</td>
                <td class="number">${exactPercent(kept_percent)}</td>
                <td>
                  ${passed === null ? '–' : passed ? badge('passed', 'good', 'check') : badge('not yet', 'plain')}
                </td>
                <td>${when(last_submitted_at)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`

const rowsOf = (results: Result[]) => [
  ['learner', 'attempts', 'percent', 'passed', 'last_submitted_at'],
  ...results.map(({ user_email, user_id, attempts, kept_percent, passed, last_submitted_at }) => [
    user_email ?? user_id,
    attempts,
    kept_percent,
    passed === null ? null : String(passed),
    last_submitted_at,
  ]),
]
