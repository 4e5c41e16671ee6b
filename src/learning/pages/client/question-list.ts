import { changesOf } from '#foundation/web/client/changes.ts'
import { texts } from '#foundation/web/client/language.ts'
import type { AuthorQuestion, QuestionChange, QuestionType, Test } from '../api-types.ts'
import { send } from './api.ts'
import { download } from './download.ts'
import { confirmed } from './dialog.ts'
import { formDialog } from './form-dialog.ts'
import { act, field, select } from './form.ts'
import { fillWith, html } from './html.ts'
import { icon } from './icons.ts'
import { laterButton } from './later-button.ts'
import { lazily } from './lazily.ts'
import { markdown } from './markdown.ts'
import { meta } from './parts.ts'
import { keyOf } from './question-key.ts'
import { textIn } from './read.ts'
import { empty } from './states.ts'
import { toast } from './toast.ts'
import { QUESTION_TEXTS } from './question-texts.ts'

const t = texts(QUESTION_TEXTS)

type Regraded = AuthorQuestion & { regrade: { mode: string; attempts: number; done: boolean } }

const REGRADES = [
  ['', t('regrade_auto')],
  ['recalculate', t('recalculate')],
  ['full_credit', t('full_credit')],
  ['none', t('leave')],
] as const

const TYPES: readonly QuestionType[] = [
  'single_choice',
  'multiple_choice',
  'true_false',
  'short_answer',
  'numeric',
  'matching',
  'ordering',
]

/** The questions of a test: create, edit, reorder, remove, import and export. `changed` is told of each change. */
export function questionList(
  exam: Test,
  first: AuthorQuestion[],
  changed?: (questions: AuthorQuestion[]) => void,
): HTMLElement {
  let questions = first
  const list = html`<ol class="key-list"></ol>`
  const none = empty(t('none'))
  const sum = html`<p class="meta"></p>`
  const exporter = html`<button type="button" class="second small" onclick=${save}>
    ${icon('download')}${t('export')}
  </button>`

  function show(focus?: string) {
    const points = questions.reduce((all, one) => all + Math.round(one.points * 100), 0) / 100
    sum.textContent =
      questions.length === 0
        ? ''
        : t('sum', {
            questions: t('questions', { count: questions.length }),
            points: t('points', { count: points }),
          })
    none.hidden = questions.length > 0
    exporter.hidden = questions.length === 0
    fillWith(list, questions.map(card))
    if (questions !== first) changed?.(questions)
    if (focus) list.querySelector<HTMLElement>(`[data-focus="${CSS.escape(focus)}"]`)?.focus()
  }

  async function create(type: QuestionType) {
    const { questionForm } = await import('./question-form.ts')
    const { element, read } = questionForm(type, undefined)
    await formDialog(
      t(type),
      element,
      t('add_question'),
      async () => {
        questions = [
          ...questions,
          await send<AuthorQuestion>('POST', `/api/episodes/tests/${exam.id}/questions`, read()),
        ]
        show()
      },
      { isWide: true },
    )
  }

  async function edit(question: AuthorQuestion) {
    const { questionForm } = await import('./question-form.ts')
    const { element, read } = questionForm(question.type, question)
    const before = read()
    const attempts = exam.stats?.attempt_count ?? 0
    if (attempts > 0)
      element.append(
        field({
          name: 'regrade',
          label: t('earlier'),
          hint: t('attempts_so_far', { count: attempts }),
          control: select(REGRADES),
        }),
      )
    await formDialog(
      t('edit_question'),
      element,
      t('save'),
      async (form) => {
        const mode = attempts > 0 ? textIn(form, 'regrade') : ''
        const changes = changesOf<QuestionChange>(before, read())
        // Without a change there is nothing to grade again.
        if (Object.keys(changes).length === 0) return
        const body = { ...changes, ...(mode && { regrade: mode }) } as QuestionChange
        const { regrade, ...saved } = await send<Regraded>(
          'PUT',
          `/api/episodes/questions/${question.id}`,
          body,
        )
        questions = questions.map((one) => (one.id === saved.id ? saved : one))
        show()
        if (regrade.attempts > 0)
          toast(t(regrade.done ? 'graded_again' : 'will_be_graded', { count: regrade.attempts }))
      },
      { isWide: true },
    )
  }

  async function move(question: AuthorQuestion, by: -1 | 1, button: HTMLElement) {
    const at = questions.indexOf(question)
    const other = questions[at + by]
    if (!other) return
    await act(button, async () => {
      const { regrade: _, ...saved } = await send<Regraded>('PUT', `/api/episodes/questions/${question.id}`, {
        position: other.position,
      })
      questions = questions.toSpliced(at, 1).toSpliced(at + by, 0, saved)
      questions = questions.map((one, place) => ({ ...one, position: place + 1 }))
      show(`${question.id}${by}`)
    })
  }

  async function remove(question: AuthorQuestion, button: HTMLElement) {
    if (!(await confirmed(t('delete_ask'), t('delete_text'), t('delete')))) return
    await act(button, async () => {
      await send('DELETE', `/api/episodes/questions/${question.id}`)
      questions = questions.filter((one) => one !== question)
      show()
      toast(t('deleted'))
    })
  }

  // The modules of forms and of GIFT are loaded only on use.
  async function save() {
    const { exportGift } = await import('../gift.ts')
    const { gift, skipped } = exportGift(questions as Parameters<typeof exportGift>[0])
    download(`${exam.title.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.gift`, 'text/plain', gift)
    if (skipped.length > 0) toast(t('left_out', { count: skipped.length }))
  }

  async function load(made: AuthorQuestion[]) {
    if (made.length === 0) return
    questions = [...questions, ...made]
    show()
    toast(t('imported', { count: made.length }))
  }

  function card(question: AuthorQuestion, place: number): HTMLElement {
    const { id, type, prompt, points, explanation } = question
    const at = { number: place + 1 }
    const tool = (
      sign: 'up' | 'down' | 'trash',
      words: string,
      focus: string,
      run: (button: HTMLElement) => void,
    ) =>
      html`<button
        type="button"
        class="icon-button"
        data-focus=${focus}
        aria-label=${words}
        title=${words}
        onclick=${({ currentTarget }: Event) => run(currentTarget as HTMLElement)}
      >
        ${icon(sign)}
      </button>`
    return html`<li class="keyed">
      <div class="keyed-body">
        ${meta(html`<strong>${place + 1}</strong>`, t(type), t('points', { count: points }))}
        <div class="keyed-prompt">${markdown(prompt)}</div>
        ${keyOf(question)} ${explanation && html`<div class="hint">${markdown(explanation)}</div>`}
      </div>
      <div class="keyed-tools">
        ${place > 0 && tool('up', t('move_up', at), `${id}-1`, (button) => void move(question, -1, button))}
        ${place < questions.length - 1 && tool('down', t('move_down', at), `${id}1`, (button) => void move(question, 1, button))}
        <button
          type="button"
          class="icon-button"
          aria-label=${t('edit_named', at)}
          title=${t('edit')}
          onclick=${() => edit(question)}
        >
          ${icon('edit')}
        </button>
        ${tool('trash', t('delete_named', at), `${id}x`, (button) => void remove(question, button))}
      </div>
    </li>`
  }

  show()
  return html`<section id="questions">
    <div class="section-head">
      <h2>${t('list')}</h2>
      <div class="actions">
        ${laterButton({ sign: 'list', text: t('bank'), look: 'second small', work: async () => load(await (await lazily(import('./question-bank.ts'))).bankDialog(exam.id)) })}
        ${laterButton({ sign: 'paper', text: t('import'), look: 'second small', work: async () => load(await (await lazily(import('./gift-import.ts'))).importDialog(exam.id)) })}
        ${exporter}
      </div>
    </div>
    ${sum}${none}${list}
    <details class="add-question">
      <summary class="button">${icon('plus')}${t('add_a_question')}</summary>
      <ul class="type-list">
        ${TYPES.map((type) => {
          return html`<li>
            <button type="button" class="type-choice" onclick=${() => create(type)}>
              <strong>${t(type)}</strong><span class="hint">${t(`${type}_hint`)}</span>
            </button>
          </li>`
        })}
      </ul>
    </details>
  </section>`
}
