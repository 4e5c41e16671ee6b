import { texts } from '#foundation/web/client/language.ts'
import type { Homework } from '../api-types.ts'
import { send } from './api.ts'
import type { LessonDraft } from './editor-draft.ts'
import { type Part, partOf } from './editor-part.ts'
import { EDITOR_ACT_TEXTS } from './editor-act-texts.ts'
import { HOMEWORK_FIELDS, publishedHomework, removed, type Work } from './editor-work.ts'
import { act } from './form.ts'
import { deadline } from './format.ts'
import { fillWith, html } from './html.ts'
import { icon } from './icons.ts'
import { lazily } from './lazily.ts'
import { badge, meta } from './parts.ts'
import { phrase } from './phrase.ts'
import { empty } from './states.ts'
import { WORK_TEXTS } from './work-texts.ts'

const t = texts(WORK_TEXTS)
const e = texts(EDITOR_ACT_TEXTS)

/** The homework of a lesson, each with its form below it once it is opened. */
export function homeworkList(
  place: { channel_id: string; episode_id: string },
  draft: LessonDraft,
): Work<Homework> {
  let items: Homework[] = []
  const list = html`<ul class="rows work-rows"></ul>`
  const none = empty(t('no_homework'))
  const rows = new Map<string, ReturnType<typeof rowOf>>()
  const adder: HTMLElement = html`<button
    type="button"
    class="second small"
    onclick=${() => void act(adder, create)}
  >
    ${icon('plus')}${t('new_homework')}
  </button>`

  function set(next: Homework[]) {
    items = next
    for (const [id, row] of rows)
      if (!items.some((one) => one.id === id)) {
        row.element.remove()
        rows.delete(id)
      }
    for (const one of items) {
      const row = rows.get(one.id)
      if (row) row.set(one)
      else rows.set(one.id, rowOf(one))
    }
    list.replaceChildren(...items.flatMap(({ id }) => rows.get(id)?.element ?? []))
    none.hidden = items.length > 0
  }

  /** It begins as a draft, and is published with the lesson. */
  async function create() {
    const made = await send<Homework>('POST', `/api/episodes/${place.episode_id}/homework`, {
      title: e('untitled'),
      status: 'draft',
    })
    draft.add(publishedHomework([made]))
    draft.put(`homework.${made.id}.status`, 'published')
    set([...items, made])
    await rows.get(made.id)?.open()
    const title = rows.get(made.id)?.element.querySelector<HTMLInputElement>('[name=title]')
    title?.focus()
    title?.select()
  }

  function rowOf(first: Homework) {
    let homework = first
    const prefix = `homework.${homework.id}.`
    const now = (field: string) => draft.valueOf(prefix + field)
    const head = html`<div class="work-words"></div>`
    const panel = html`<div class="work-panel" id="panel-${homework.id}" hidden></div>`
    const link = html`<span></span>`
    const remover: HTMLElement = html`<button type="button" class="icon-button">${icon('trash')}</button>`
    remover.addEventListener('click', () => {
      void removed(remover, String(now('title')), t('homework_kept'), async () => {
        await send('DELETE', `/api/episodes/homework/${homework.id}`)
        draft.drop(prefix)
        set(items.filter(({ id }) => id !== homework.id))
      })
    })
    const toggle = html`<button
      type="button"
      class="second small"
      aria-expanded="false"
      aria-controls=${panel.id}
      onclick=${() => void act(toggle, async () => (panel.hidden ? open() : close()))}
    ></button>`
    const element = html`<li>
      ${head}
      <div class="actions">${link}${toggle}${remover}</div>
      ${panel}
    </li>`
    let part: Part | undefined

    async function open() {
      const { homeworkForm } = await lazily(import('./homework-fields.ts'))
      if (!part) {
        part = partOf(draft, prefix, () => homeworkForm(shownNow(), prefix))
        panel.append(part.element)
      }
      panel.hidden = false
      show()
    }
    function close() {
      part?.check()
      panel.hidden = true
      show()
    }
    const shownNow = () =>
      ({
        ...homework,
        ...Object.fromEntries(HOMEWORK_FIELDS.map((field) => [field, now(field)])),
      }) as Homework

    function show() {
      const { submission_count = 0, ungraded_count = 0 } = homework
      const { title, due_at, max_score, status } = shownNow()
      const isNew = homework.status === 'draft' && status === 'published'
      fillWith(
        head,
        html`<h3 dir="auto">${title || e('untitled')}</h3>`,
        meta(
          status === 'draft' && badge(t('draft')),
          isNew && badge(e('goes_along')),
          t('points', { count: max_score ?? 0 }),
          due_at && html`<span>${phrase(t, 'due', { time: deadline(due_at) })}</span>`,
          t('handed_in', { count: submission_count }),
        ),
      )
      const grading = `/grading?episode=${place.episode_id}&channel=${place.channel_id}&homework=${homework.id}`
      fillWith(
        link,
        ungraded_count > 0 &&
          html`<a class="button small" href=${grading}>${t('grade', { count: ungraded_count })}</a>`,
        ungraded_count === 0 &&
          submission_count > 0 &&
          html`<a class="button second small" href=${grading}>${t('see_work')}</a>`,
      )
      link.hidden = link.childElementCount === 0
      toggle.setAttribute('aria-expanded', String(!panel.hidden))
      fillWith(
        toggle,
        panel.hidden && icon('edit'),
        panel.hidden ? t('edit') : e('close'),
        html`<span class="unseen"> ${title}</span>`,
      )
      remover.setAttribute('aria-label', t('delete_named', { title }))
      remover.title = t('delete')
    }
    show()
    return {
      element,
      open,
      show,
      part: () => part,
      set: (next: Homework) => {
        homework = next
        show()
      },
    }
  }

  return {
    element: html`<section id="homework">
      <div class="section-head">
        <h2>${t('homework')}</h2>
        ${adder}
      </div>
      ${none}${list}
    </section>`,
    set,
    create,
    show: () => rows.forEach(({ show }) => show()),
    parts: () => [...rows.values()].flatMap(({ part }) => part() ?? []),
    openNamed: async (id) => rows.get(id)?.open(),
  }
}
