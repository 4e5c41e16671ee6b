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

/** One answer that is not handed in, and whether the learner marked the question. */
export type Given = { answer: Answer; is_flagged: boolean }

type Taking = {
  test: Test
  questions: StudentQuestion[]
  expires_at: string | null
  sign_in: string
  /** The answers so far, by question id. */
  given: (id: string) => Given | undefined
  changed: (id: string, given: Given) => void
  /** Brings in what other tabs and devices wrote. Never fails. */
  settle: () => Promise<void>
  handIn: (answers: { question_id: string; answer: Answer }[]) => Promise<void>
}

/** The remaining seconds at which screen readers announce the time. */
const ANNOUNCED = [300, 60]

/** The questions of a test, with a bar that shows progress and hands in. */
export function takePaper({ questions, expires_at, changed, handIn, ...taking }: Taking) {
  const given = (id: string): Given => ({ answer: undefined, is_flagged: false, ...taking.given(id) })
  const answered = () => questions.filter(({ id }) => given(id).answer !== undefined).length
  const flagged = () => questions.filter(({ id }) => given(id).is_flagged).length
  const saved = html`<span class="quiet-text" role="status"></span>`
  const status = html`<p></p>`
  const places = questions.map((_, i) => html`<li><a href="#q-${i + 1}">${i + 1}</a></li>`)

  const update = () => {
    status.textContent = t('answered', { done: answered(), all: questions.length })
    for (const [i, { id }] of questions.entries()) {
      const link = places[i]?.querySelector('a')
      const { answer, is_flagged: isFlagged } = given(id)
      const isAnswered = answer !== undefined
      link?.classList.toggle('is-answered', isAnswered)
      link?.classList.toggle('is-flagged', isFlagged)
      link?.setAttribute('aria-label', t(nameOf(isAnswered, isFlagged), { number: i + 1 }))
    }
  }
  const change = (id: string, now: Partial<Given>) => {
    changed(id, { ...given(id), ...now })
    update()
  }

  const submit = html`<button type="button">${t('hand_in')}</button>`
  const bar = html`<p class="bar" role="alert" hidden>
    ${phrase(t, 'signed_out', { link: html`<a href=${taking.sign_in} target="_blank">${t('sign_in_again')}</a>` })}
  </p>`
  const answers = () =>
    questions.flatMap(({ id }) => {
      const { answer } = given(id)
      return answer === undefined ? [] : [{ question_id: id, answer }]
    })
  const send = () =>
    act(submit, async () => {
      try {
        await taking.settle()
        await handIn(answers())
      } catch (error) {
        if (refusalOf(error).status !== 401) throw error
        bar.hidden = false
      }
    })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && !bar.hidden && bar.isConnected) void send()
  })
  submit.addEventListener('click', () => {
    void taking
      .settle()
      .then(() => confirmed(t('hand_in_ask'), review(questions.length - answered(), flagged()), t('hand_in')))
      .then((yes) => yes && send())
  })

  const paper = html`<div class="paper">
    <div class="paper-bar">
      ${expires_at && timer(expires_at, () => void send())} ${status} ${saved} ${submit}
    </div>
    ${bar}
    <div class="paper-body">
      <nav aria-label=${t('questions')}>
        <ol class="places">
          ${places}
        </ol>
      </nav>
      <ol class="questions">
        ${questions.map((question, i) => questionOf(question, i + 1, given(question.id), change))}
      </ol>
    </div>
  </div>`
  listenToKeys(paper)
  update()
  return {
    element: paper,
    said: (text: string) => (saved.textContent = text),
    /** Shows an answer that came from elsewhere. */
    refresh(id: string) {
      const place = questions.findIndex((question) => question.id === id)
      const [shown, question] = [paper.querySelector(`#q-${place + 1}`), questions[place]]
      if (!shown || !question) return
      const hadFocus = shown.contains(document.activeElement)
      const now = questionOf(question, place + 1, given(id), change)
      shown.replaceWith(now)
      if (hadFocus) now.focus()
      update()
    },
  }
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
  { answer, is_flagged }: Given,
  change: (id: string, now: Partial<Given>) => void,
) {
  const { id, prompt, points } = question
  const flag = html`<button type="button" class="icon-button" aria-label=${t('mark', { number: place })}>
    ${icon('flag')}
  </button>`
  flag.setAttribute('aria-pressed', String(is_flagged))
  flag.addEventListener('click', () => {
    const isOn = flag.getAttribute('aria-pressed') !== 'true'
    flag.setAttribute('aria-pressed', String(isOn))
    change(id, { is_flagged: isOn })
  })
  return html`<li class="question" id="q-${place}" tabindex="-1">
    <fieldset>
      <legend>
        <span class="unseen">${t('question_word')} </span><b>${place}</b
        ><span>${t('points', { count: points })}</span>
      </legend>
      <div id="p-${place}">${markdown(prompt)}</div>
      ${ANSWER_INPUTS[question.type]({ question, place, answer, give: (now) => change(id, { answer: now }) })}
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
