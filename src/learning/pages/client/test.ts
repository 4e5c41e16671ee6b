import { texts } from '#foundation/web/client/language.ts'
import type { Attempt, Page, StudentPage, StudentQuestion, Test, TestDraft } from '../api-types.ts'
import type { Answer } from './answers.ts'
import { get, newKey, refusal, send, serverNow } from './api.ts'
import { openDraft, type Part } from './draft.ts'
import { act } from './form.ts'
import { deadline, duration, exactPercent, number, when } from './format.ts'
import { setTitle, setTrail } from './heading.ts'
import { type Child, fillWith, html } from './html.ts'
import { lazily } from './lazily.ts'
import { markdown } from './markdown.ts'
import { openPage } from './page.ts'
import { badge } from './parts.ts'
import { type Given, takePaper } from './paper.ts'
import { phrase } from './phrase.ts'
import { resultOf } from './result.ts'
import { REVIEW_TEXTS } from './review-texts.ts'
import { signInAddress } from './states.ts'
import { TEST_TEXTS } from './test-texts.ts'

const t = texts(TEST_TEXTS)
const again = texts(REVIEW_TEXTS)

openPage(async ({ required, query: asked, user, sso_url }) => {
  const [id, episode] = [required('id'), required('episode')]
  const query = new URLSearchParams({ test_id: id })
  const found = await get<Page<Test>>(
    `/api/episodes/${encodeURIComponent(episode)}/tests?${query.toString()}`,
  )
  const test = found.items.find((one) => one.id === id)
  if (!test) throw refusal(404, 'There is no such test')
  const [attempt, learner] = [asked.get('attempt'), asked.get('learner')]
  if (attempt) return lazily(import('./review.ts')).then(({ review }) => review(attempt, test, user.id))
  if (learner) return lazily(import('./one-learner.ts')).then(({ attemptsOf }) => attemptsOf(test, learner))
  setTitle(test.title)
  setTrail({ href: `/episode?id=${episode}`, text: t('to_episode') })
  return start(test, user.id, sso_url)
})

function start(test: Test, user_id: string, sso_url: string): Child {
  const { my, description } = test
  const isOpen = my.open_attempt !== null
  const button = html`<button type="button" class=${test.stats ? 'second' : ''}>
    ${t(test.stats ? 'try_it' : isOpen ? 'go_on' : 'start')}
  </button>`
  button.addEventListener('click', () => void act(button, () => begin(test, user_id, sso_url)))
  const shut = whyShut(test)
  return html`<div class="with-side">
    <div class="stack">
      <section aria-labelledby="about">
        <h2 id="about" class="unseen">${t('about')}</h2>
        ${description && markdown(description)} ${shut && html`<p class="note">${shut}</p>`}
        <p class="actions">${forTeachers(test)} ${!shut && button}</p>
        ${!shut && !test.stats && test.time_limit_seconds !== null && !isOpen && html`<p class="quiet-text">${t('clock_runs')}</p>`}
      </section>
      ${my.history.length > 0 && history(test)}
    </div>
    <aside class="facts-first" aria-label=${t('rules')}>${facts(test)}</aside>
  </div>`
}

/** Who teaches here sees the results, mends the questions, or looks at the paper as a learner does. */
const forTeachers = ({ id, episode_id, stats }: Test) =>
  stats && [
    html`<a class="button" href="/test/edit?id=${id}&episode=${episode_id}#results">${t('see_results')}</a>`,
    html`<a class="button second" href="/test/edit?id=${id}&episode=${episode_id}">${t('edit_test')}</a>`,
  ]

function whyShut({ my, opens_at, closes_at, question_count }: Test): Child {
  const now = serverNow()
  if (question_count === 0) return t('no_questions')
  if (opens_at !== null && Date.parse(opens_at) > now) return phrase(t, 'opens', { time: deadline(opens_at) })
  if (closes_at !== null && Date.parse(closes_at) < now) return phrase(t, 'closed', { time: when(closes_at) })
  if (my.attempts_left === 0) return t('used_up')
  if (my.next_attempt_at !== null && Date.parse(my.next_attempt_at) > now)
    return phrase(t, 'try_at', { time: when(my.next_attempt_at) })
  return null
}

function facts({
  question_count,
  max_score,
  time_limit_seconds,
  my,
  closes_at,
  score_policy,
  passing_percent,
}: Test) {
  const fact = (name: string, value: Child) =>
    value &&
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`
  return html`<dl class="facts">
    ${fact(t('questions'), number(question_count))} ${fact(t('points_in_all'), number(max_score))}
    ${fact(t('time'), time_limit_seconds === null ? t('no_limit') : duration(time_limit_seconds))}
    ${fact(t('attempts'), my.attempts_left === null ? t('no_attempt_limit') : t('left', { count: my.attempts_left }))}
    ${fact(t('counts'), t(score_policy))}
    ${fact(t('to_pass'), passing_percent !== null && `${number(passing_percent)} %`)}
    ${fact(t('closes'), closes_at && deadline(closes_at))}
    ${fact(t('so_far'), my.kept_percent !== null && html`<strong>${exactPercent(my.kept_percent)}</strong> ${my.passed ? badge(t('passed'), 'good', 'check') : null}`)}
  </dl>`
}

const history = ({ my, id, episode_id }: Test) =>
  html`<section aria-labelledby="attempts">
    <h2 id="attempts">${t('your_attempts')}</h2>
    <ol class="rows">
      ${my.history.map(
        ({ id: attempt_id, number: nth, submitted_at, score, max_score, percent, status }) =>
          html`<li class="line">
            <div>
              <p>
                ${phrase(t, 'attempt', { number: nth, time: html`<span class="quiet-text">${when(submitted_at)}</span>` })}
              </p>
            </div>
            ${status === 'expired' ? badge(t('too_late'), 'bad', 'clock') : html`<span class="quiet-text">${t('of', { score, max: max_score })}</span>`}
            <strong class="mark">${exactPercent(percent)}</strong>
            <a
              class="button second small"
              href="/test?id=${id}&episode=${episode_id}&attempt=${attempt_id}"
              aria-label=${again('open_one', { number: nth })}
              >${again('open_again')}</a
            >
          </li>`,
      )}
    </ol>
  </section>`

/** Loads all questions, which opens the attempt, and replaces the start panel with them. */
async function begin(test: Test, user_id: string, sso_url: string) {
  const address = `/api/episodes/tests/${test.id}/questions?view=student&per_page=100`
  const first = await get<StudentPage>(address)
  const questions: StudentQuestion[] = [...first.items]
  for (let page = 2; page <= first.pages; page++)
    questions.push(...(await get<StudentPage>(`${address}&page=${page}`)).items)
  const opened_at = first.attempt?.opened_at ?? null
  const shown: { paper?: ReturnType<typeof takePaper> } = {}
  const draft = openDraft<Given>({
    place: `given.${user_id}.${test.id}.${opened_at ?? 'preview'}`,
    key: newKey(),
    ...sharedDraft(test.id, opened_at),
    changed: (id) => shown.paper?.refresh(id),
    said: (text) => void shown.paper?.said(text),
  })
  await draft.settle()
  const paper = takePaper({
    test,
    questions,
    expires_at: first.attempt?.expires_at ?? null,
    sign_in: signInAddress(sso_url),
    given: (id) => draft.parts[id]?.value,
    changed: (id, given) => draft.put(id, given),
    settle: () => draft.settle(),
    handIn: async (answers) => {
      const attempt = await send<Attempt>('POST', `/api/episodes/tests/${test.id}/attempt`, {
        answers,
        client_id: draft.key,
      })
      draft.end()
      show(resultOf(attempt, questions, test))
    },
  })
  shown.paper = paper
  show(paper.element)
}

/** The draft of the open attempt on the service. Without an attempt nothing can be handed in, and nothing is sent. */
function sharedDraft(test_id: string, opened_at: string | null) {
  const path = `/api/episodes/tests/${test_id}/draft`
  const partsOf = (told: TestDraft): Record<string, Part<Given>> =>
    told.opened_at !== opened_at
      ? {}
      : Object.fromEntries(
          told.answers.map(({ question_id, answer, is_flagged, at }) => [
            question_id,
            { value: { answer: (answer ?? undefined) as Answer, is_flagged }, at },
          ]),
        )
  return {
    read: async () => (opened_at === null ? {} : partsOf(await get<TestDraft>(path))),
    write: async (changed: Record<string, Part<Given>>) => {
      if (opened_at === null) return changed
      const answers = Object.entries(changed).map(([question_id, { value, at }]) => ({
        question_id,
        answer: value.answer ?? null,
        is_flagged: value.is_flagged,
        at,
      }))
      return partsOf(await send<TestDraft>('PUT', path, { opened_at, answers }))
    },
  }
}

function show(content: HTMLElement) {
  const page = document.querySelector('#page')
  if (page) fillWith(page, content)
  document.querySelector('main')?.scrollIntoView()
  document.querySelector('h1')?.setAttribute('tabindex', '-1')
  document.querySelector('h1')?.focus()
}
