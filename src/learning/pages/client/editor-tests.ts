import { texts } from '#foundation/web/client/language.ts'
import type { Test } from '../api-types.ts'
import { send } from './api.ts'
import type { LessonDraft } from './editor-draft.ts'
import { EDITOR_ACT_TEXTS } from './editor-act-texts.ts'
import { publishedTests, removed, testStatus, type Work } from './editor-work.ts'
import { formDialog } from './form-dialog.ts'
import { act, field, tick } from './form.ts'
import { fillWith, html } from './html.ts'
import { icon } from './icons.ts'
import { laterButton } from './later-button.ts'
import { lazily } from './lazily.ts'
import { badge, meta } from './parts.ts'
import { textIn } from './read.ts'
import { empty } from './states.ts'
import { WORK_TEXTS } from './work-texts.ts'

const t = texts(WORK_TEXTS)
const e = texts(EDITOR_ACT_TEXTS)

/** The tests of a lesson, each with its settings and questions below it once it is opened. */
export function testList(place: { channel_id: string; episode_id: string }, draft: LessonDraft): Work<Test> {
  let items: Test[] = []
  const list = html`<ul class="rows work-rows"></ul>`
  const none = empty(t('no_tests'))
  const rows = new Map<string, ReturnType<typeof rowOf>>()

  function set(next: Test[]) {
    items = next
    for (const one of items) {
      const row = rows.get(one.id)
      if (row) row.set(one)
      else rows.set(one.id, rowOf(one))
    }
    list.replaceChildren(...items.flatMap(({ id }) => rows.get(id)?.element ?? []))
    none.hidden = items.length > 0
  }

  function added(made: Test, isToPublish: boolean) {
    draft.add(publishedTests([made]))
    if (isToPublish) draft.put(testStatus(made.id), 'published')
    set([...items, made])
  }

  /** It begins as a draft, and is published with the lesson. */
  const create = () =>
    formDialog(
      t('new_test'),
      field({
        name: 'title',
        label: t('title'),
        control: html`<input required maxlength="200" dir="auto" autofocus />`,
      }),
      t('create_test'),
      async (form) => {
        const body = { title: textIn(form, 'title'), status: 'draft' }
        const made = await send<Test>('POST', `/api/episodes/${place.episode_id}/tests`, body)
        added(made, true)
        await rows.get(made.id)?.open()
      },
    )

  function rowOf(first: Test) {
    let exam = first
    const name = testStatus(exam.id)
    const head = html`<div class="work-words"></div>`
    const panel = html`<div class="work-panel" id="panel-${exam.id}" hidden></div>`
    const toggle = html`<button
      type="button"
      class="second small"
      aria-expanded="false"
      aria-controls=${panel.id}
      onclick=${() => void act(toggle, async () => (panel.hidden ? open() : close()))}
    ></button>`
    const copier = laterButton({
      sign: 'paper',
      text: t('copy_it'),
      look: 'second small',
      work: async () => {
        const { copyTest } = await lazily(import('./copy-actions.ts'))
        added(await copyTest(exam), false)
      },
    })
    const remover: HTMLElement = html`<button type="button" class="icon-button">${icon('trash')}</button>`
    remover.addEventListener('click', () => {
      void removed(remover, exam.title, t('attempts_kept'), async () => {
        await send('DELETE', `/api/episodes/tests/${exam.id}`)
        draft.drop(`test.${exam.id}.`)
        set(items.filter(({ id }) => id !== exam.id))
      })
    })
    const together = tick(name, e('with_lesson'))
    const box = together.querySelector('input')
    box?.addEventListener('change', () => draft.put(name, box.checked ? 'published' : 'draft'))
    const element = html`<li>
      ${head}
      <div class="actions">${toggle}${copier}${remover}</div>
      ${together}${panel}
    </li>`

    async function open() {
      if (!panel.firstElementChild) {
        const { testPanel } = await lazily(import('./editor-test-panel.ts'))
        panel.append(
          await testPanel(exam, place, (next) => {
            set(items.map((one) => (one.id === next.id ? next : one)))
          }),
        )
      }
      panel.hidden = false
      show()
    }
    function close() {
      panel.hidden = true
      show()
    }
    function show() {
      const { title, status, question_count, max_score, stats } = exam
      fillWith(
        head,
        html`<h3 dir="auto">${title}</h3>`,
        meta(
          status === 'draft' && badge(t('draft')),
          question_count === 0
            ? html`<span class="is-lacking">${icon('warn')}${t('no_questions')}</span>`
            : t('questions', { count: question_count }),
          question_count > 0 && t('points', { count: max_score }),
          stats && stats.learner_count > 0 && t('learners', { count: stats.learner_count }),
        ),
      )
      together.hidden = status === 'published'
      if (box) box.checked = draft.valueOf(name) === 'published'
      toggle.setAttribute('aria-expanded', String(!panel.hidden))
      fillWith(
        toggle,
        panel.hidden && icon('edit'),
        panel.hidden ? t('questions_link') : e('close'),
        html`<span class="unseen">${t('of_title', { title })}</span>`,
      )
      copier.setAttribute('aria-label', t('copy_named', { title }))
      remover.setAttribute('aria-label', t('delete_named', { title }))
      remover.title = t('delete')
    }
    show()
    return {
      element,
      open,
      show,
      set: (next: Test) => {
        exam = next
        show()
      },
    }
  }

  return {
    element: html`<section id="tests">
      <div class="section-head">
        <h2>${t('tests')}</h2>
        <button type="button" class="second small" onclick=${create}>${icon('plus')}${t('new_test')}</button>
      </div>
      ${none}${list}
    </section>`,
    set,
    create,
    show: () => rows.forEach(({ show }) => show()),
    parts: () => [],
    openNamed: async () => {},
  }
}
