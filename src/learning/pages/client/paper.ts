import { texts } from '#foundation/web/client/language.ts'
import type { StudentQuestion, Test } from '../api-types.ts'
import type { Answer } from './answers.ts'
import { refusalOf, serverNow } from './api.ts'
import { confirmed } from './dialog.ts'
import { act } from './form.ts'
import { clock } from './format.ts'
import { type Child, fillWith, html } from './html.ts'
import { icon } from './icons.ts'
import { markdown } from './markdown.ts'
import { phrase } from './phrase.ts'
import { ANSWER_INPUTS } from './question-kinds.ts'
import { TEST_TEXTS } from './test-texts.ts'

const t = texts(TEST_TEXTS)

/** The answers kept on this device during a test, so that a closed tab or a lost session loses nothing. */
type Draft = { answers: Record<string, Answer>; flagged: string[]; client_id: string }

type Taking = {
  test: Test
  questions: StudentQuestion[]
  expires_at: string | null
  kept: Draft | undefined
  client_id: string
  sign_in: string
  changed: (draft: Draft) => void
  handIn: (answers: { question_id: string; answer: Answer }[], client_id: string) => Promise<void>
}

/** The remaining seconds at which screen readers announce the time. */
const ANNOUNCED = [300, 60]

/** The questions of a test, with a bar that shows progress and hands in. */
export function takePaper({ questions, expires_at, changed, handIn, ...taking }: Taking): HTMLElement {
  const draft: Draft = { answers: {}, flagged: [], client_id: taking.client_id, ...taking.kept }
  const answered = () => questions.filter(({ id }) => draft.answers[id] !== undefined).length
  const status = html`<p></p>`
  const places = questions.map((_, i) => html`<li><a href="#q-${i + 1}">${i + 1}</a></li>`)

  const update = () => {
    status.textContent = t('answered', { done: answered(), all: questions.length })
    for (const [i, { id }] of questions.entries()) {
      const link = places[i]?.querySelector('a')
      const isAnswered = draft.answers[id] !== undefined
      const isFlagged = draft.flagged.includes(id)
      link?.classList.toggle('is-answered', isAnswered)
      link?.classList.toggle('is-flagged', isFlagged)
      link?.setAttribute('aria-label', t(nameOf(isAnswered, isFlagged), { number: i + 1 }))
    }
    changed(draft)
  }
  const give = (id: string, answer: Answer) => {
    if (answer === undefined) delete draft.answers[id]
    else draft.answers[id] = answer
    update()
  }

  const submit = html`<button type="button">${t('hand_in')}</button>`
  const bar = html`<p class="bar" role="alert" hidden>
    ${phrase(t, 'signed_out', { link: html`<a href=${taking.sign_in} target="_blank">${t('sign_in_again')}</a>` })}
  </p>`
  const given = () =>
    questions.flatMap(({ id }) => {
      const answer = draft.answers[id]
      return answer === undefined ? [] : [{ question_id: id, answer }]
    })
  const send = () =>
    act(submit, async () => {
      try {
        await handIn(given(), draft.client_id)
      } catch (error) {
        if (refusalOf(error).status !== 401) throw error
        bar.hidden = false
      }
    })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && !bar.hidden && bar.isConnected) void send()
  })
  submit.addEventListener('click', () => {
    void confirmed(
      t('hand_in_ask'),
      review(questions.length - answered(), draft.flagged.length),
      t('hand_in'),
    ).then((yes) => yes && send())
  })

  const paper = html`<div class="paper">
    <div class="paper-bar">${expires_at && timer(expires_at, () => void send())} ${status} ${submit}</div>
    ${bar}
    <div class="paper-body">
      <nav aria-label=${t('questions')}>
        <ol class="places">
          ${places}
        </ol>
      </nav>
      <ol class="questions">
        ${questions.map((question, i) => questionOf(question, i + 1, draft, give, update))}
      </ol>
    </div>
  </div>`
  listenToKeys(paper)
  update()
  return paper
}

const nameOf = (isAnswered: boolean, isFlagged: boolean) =>
  isAnswered
    ? isFlagged
      ? 'question_both'
      : 'question_answered'
    : isFlagged
      ? 'question_marked'
      : 'question'

function review(open: number, flagged: number): Child {
  const parts = [
    open > 0 ? t('open', { count: open }) : t('none_open'),
    flagged > 0 && t('flagged', { count: flagged }),
    t('final'),
  ]
  return parts.filter(Boolean).join(' ')
}

function questionOf(
  question: StudentQuestion,
  place: number,
  draft: Draft,
  give: (id: string, answer: Answer) => void,
  update: () => void,
) {
  const { id, prompt, points } = question
  const flag = html`<button type="button" class="icon-button" aria-label=${t('mark', { number: place })}>
    ${icon('flag')}
  </button>`
  const showFlag = () => flag.setAttribute('aria-pressed', String(draft.flagged.includes(id)))
  flag.addEventListener('click', () => {
    draft.flagged = draft.flagged.includes(id)
      ? draft.flagged.filter((one) => one !== id)
      : [...draft.flagged, id]
    showFlag()
    update()
  })
  showFlag()
  return html`<li class="question" id="q-${place}" tabindex="-1">
    <fieldset>
      <legend>
        <span class="unseen">${t('question_word')} </span><b>${place}</b
        ><span>${t('points', { count: points })}</span>
      </legend>
      <div id="p-${place}">${markdown(prompt)}</div>
      ${ANSWER_INPUTS[question.type]({ question, place, answer: draft.answers[id], give: (answer) => give(id, answer) })}
    </fieldset>
    ${flag}
  </li>`
}

/** Counts down by the service's clock. At the end it hands in the answers so far. */
function timer(expires_at: string, over: () => void) {
  const shown = html`<strong></strong>`
  const spoken = html`<span class="unseen" role="status"></span>`
  const own = html`<p class="timer">
    ${icon('clock')}<span class="unseen">${t('time_left')}</span> ${shown} ${spoken}
  </p>`
  const left = () => Math.ceil((Date.parse(expires_at) - serverNow()) / 1_000)
  let before = left()
  const tick = () => {
    const now = left()
    fillWith(shown, clock(Math.max(now, 0)))
    own.classList.toggle('is-short', now <= 60)
    const passed = ANNOUNCED.find((at) => before > at && now <= at)
    if (passed !== undefined) spoken.textContent = t('minutes_left', { count: passed / 60 })
    before = now
    if (now > 0) return
    clearInterval(beat)
    if (own.isConnected) over()
  }
  const beat = setInterval(tick, 1_000)
  tick()
  return own
}

/** j and k move between questions; 1 to 9 choose an option of the focused one. */
function listenToKeys(paper: HTMLElement) {
  document.addEventListener('keydown', ({ key, target, ctrlKey, metaKey, altKey }) => {
    if (!paper.isConnected || ctrlKey || metaKey || altKey || document.querySelector('dialog[open]')) return
    if (!(target instanceof HTMLElement)) return
    if (
      target.closest('textarea, select') ||
      (target instanceof HTMLInputElement && !['radio', 'checkbox'].includes(target.type))
    )
      return
    const all = Array.from(paper.querySelectorAll<HTMLElement>('.question'))
    const at = all.findIndex((one) => one.contains(target))
    if (key === 'j' || key === 'k')
      all[Math.min(all.length - 1, Math.max(0, at + (key === 'j' ? 1 : -1)))]?.focus()
    else if (/^[1-9]$/.test(key))
      all[at]?.querySelectorAll<HTMLInputElement>('[type=radio], [type=checkbox]')[Number(key) - 1]?.click()
  })
}
