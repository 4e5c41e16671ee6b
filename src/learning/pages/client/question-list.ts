import type { AuthorQuestion, QuestionChange, QuestionType, Test } from '../api-types.ts'
import { send } from './api.ts'
import { download } from './csv.ts'
import { confirmed } from './dialog.ts'
import { formDialog } from './form-dialog.ts'
import { act, field, select } from './form.ts'
import { count } from './format.ts'
import { fillWith, html } from './html.ts'
import { icon } from './icons.ts'
import { meta } from './parts.ts'
import { questionForm } from './question-form.ts'
import { QUESTION_KINDS } from './question-kinds.ts'
import { keyOf } from './question-key.ts'
import { textIn } from './read.ts'
import { empty } from './states.ts'
import { toast } from './toast.ts'

type Regraded = AuthorQuestion & { regrade: { mode: string; attempts: number; done: boolean } }

const REGRADES = [
  ['', 'Grade them again if the key changed'],
  ['recalculate', 'Grade them again'],
  ['full_credit', 'Give everybody the full points'],
  ['none', 'Leave them as they are'],
] as const

/** The questions of a test: create, edit, reorder, remove, import and export. */
export function questionList(exam: Test, first: AuthorQuestion[]): HTMLElement {
  let questions = first
  const list = html`<ol class="key-list"></ol>`
  const none = empty('No questions yet. Write the first one, or import a GIFT file from another system.')
  const sum = html`<p class="meta"></p>`
  const exporter = html`<button type="button" class="second small" onclick=${save}>
    ${icon('download')}Export
  </button>`

  function show(focus?: string) {
    const points = questions.reduce((all, one) => all + Math.round(one.points * 100), 0) / 100
    sum.textContent =
      questions.length === 0 ? '' : `${count(questions.length, 'question')}, ${count(points, 'point')}`
    none.hidden = questions.length > 0
    exporter.hidden = questions.length === 0
    fillWith(list, questions.map(card))
    if (focus) list.querySelector<HTMLElement>(`[data-focus="${CSS.escape(focus)}"]`)?.focus()
  }

  async function create(type: QuestionType) {
    const { element, read } = questionForm(type, undefined)
    await formDialog(
      QUESTION_KINDS[type].name,
      element,
      'Add question',
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
    const { element, read } = questionForm(question.type, question)
    const attempts = exam.stats?.attempt_count ?? 0
    if (attempts > 0)
      element.append(
        field({
          name: 'regrade',
          label: 'Earlier attempts',
          hint: `${count(attempts, 'attempt')} so far`,
          control: select(REGRADES),
        }),
      )
    await formDialog(
      'Edit question',
      element,
      'Save',
      async (form) => {
        const mode = attempts > 0 ? textIn(form, 'regrade') : ''
        const body = { ...read(), ...(mode && { regrade: mode }) } as QuestionChange
        const { regrade, ...saved } = await send<Regraded>(
          'PUT',
          `/api/episodes/questions/${question.id}`,
          body,
        )
        questions = questions.map((one) => (one.id === saved.id ? saved : one))
        show()
        if (regrade.attempts > 0)
          toast(
            `${count(regrade.attempts, 'attempt')} ${regrade.done ? 'graded again' : 'will be graded again shortly'}.`,
          )
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
    const words = 'It leaves the score of every attempt, also of those that are over.'
    if (!(await confirmed('Delete this question?', words, 'Delete'))) return
    await act(button, async () => {
      await send('DELETE', `/api/episodes/questions/${question.id}`)
      questions = questions.filter((one) => one !== question)
      show()
      toast('The question is deleted.')
    })
  }

  // The GIFT module is loaded only on use.
  async function save() {
    const { exportGift } = await import('../gift.ts')
    const { gift, skipped } = exportGift(questions as Parameters<typeof exportGift>[0])
    download(`${exam.title.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.gift`, 'text/plain', gift)
    if (skipped.length > 0)
      toast(`${count(skipped.length, 'question')} left out: GIFT has no words for them.`)
  }

  async function load() {
    const { importDialog } = await import('./gift-import.ts')
    const made = await importDialog(exam.id)
    if (made.length === 0) return
    questions = [...questions, ...made]
    show()
    toast(`${count(made.length, 'question')} imported.`)
  }

  function card(question: AuthorQuestion, place: number): HTMLElement {
    const { id, type, prompt, points, explanation } = question
    const name = `question ${place + 1}`
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
        ${meta(html`<strong>${place + 1}</strong>`, QUESTION_KINDS[type].name, count(points, 'point'))}
        <p class="keyed-prompt" dir="auto">${prompt}</p>
        ${keyOf(question)} ${explanation && html`<p class="hint" dir="auto">${explanation}</p>`}
      </div>
      <div class="keyed-tools">
        ${place > 0 && tool('up', `Move ${name} up`, `${id}-1`, (button) => void move(question, -1, button))}
        ${place < questions.length - 1 && tool('down', `Move ${name} down`, `${id}1`, (button) => void move(question, 1, button))}
        <button
          type="button"
          class="icon-button"
          aria-label="Edit ${name}"
          title="Edit"
          onclick=${() => edit(question)}
        >
          ${icon('edit')}
        </button>
        ${tool('trash', `Delete ${name}`, `${id}x`, (button) => void remove(question, button))}
      </div>
    </li>`
  }

  show()
  return html`<section id="questions">
    <div class="section-head">
      <h2>Questions</h2>
      <div class="actions">
        <button type="button" class="second small" onclick=${load}>${icon('paper')}Import GIFT</button>
        ${exporter}
      </div>
    </div>
    ${sum}${none}${list}
    <details class="add-question">
      <summary class="button">${icon('plus')}Add a question</summary>
      <ul class="type-list">
        ${(Object.keys(QUESTION_KINDS) as QuestionType[]).map((type) => {
          const { name, hint } = QUESTION_KINDS[type]
          return html`<li>
            <button type="button" class="type-choice" onclick=${() => create(type)}>
              <strong>${name}</strong><span class="hint">${hint}</span>
            </button>
          </li>`
        })}
      </ul>
    </details>
  </section>`
}
