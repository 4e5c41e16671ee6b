import { texts } from '#foundation/web/client/language.ts'
import type { Homework, Test } from '../api-types.ts'
import { send } from './api.ts'
import { confirmed } from './dialog.ts'
import { formDialog } from './form-dialog.ts'
import { act, field } from './form.ts'
import { deadline } from './format.ts'
import { homeworkForm } from './homework-fields.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { laterButton } from './later-button.ts'
import { lazily } from './lazily.ts'
import { badge, meta } from './parts.ts'
import { phrase } from './phrase.ts'
import { textIn } from './read.ts'
import { empty } from './states.ts'
import { toast } from './toast.ts'
import { EDITING_TEXTS } from './editing-texts.ts'

const t = texts(EDITING_TEXTS)

type Place = { channel_id: string; episode_id: string }

/** The editor's lists of homework and tests of an episode. */
export const workLists = (place: Place, homework: Homework[], tests: Test[]): HTMLElement =>
  html`<div class="two">${homeworkList(place, homework)}${testList(place, tests)}</div>`

const within = ({ channel_id, episode_id }: Place) => `episode=${episode_id}&channel=${channel_id}`

function homeworkList(place: Place, items: Homework[]): HTMLElement {
  const list = html`<ul class="rows work-rows"></ul>`
  const none = empty(t('no_homework'))
  const show = () => {
    list.replaceChildren(...items.map(line))
    none.hidden = items.length > 0
  }

  async function edit(homework: Homework | undefined) {
    const { element, read } = homeworkForm(homework)
    const title = t(homework ? 'edit_homework' : 'new_homework')
    await formDialog(
      title,
      element,
      t(homework ? 'save' : 'create_homework'),
      async () => {
        if (homework) {
          const saved = await send<Homework>('PUT', `/api/episodes/homework/${homework.id}`, read())
          items.splice(items.indexOf(homework), 1, saved)
        } else items.push(await send<Homework>('POST', `/api/episodes/${place.episode_id}/homework`, read()))
        show()
      },
      { isWide: true },
    )
  }

  function line(homework: Homework): HTMLElement {
    const { id, title, status, due_at, max_score, submission_count = 0, ungraded_count = 0 } = homework
    const remover: HTMLElement = html`<button
      type="button"
      class="icon-button"
      aria-label=${t('delete_named', { title })}
      title=${t('delete')}
      onclick=${() =>
        removed(remover, title, t('homework_kept'), async () => {
          await send('DELETE', `/api/episodes/homework/${id}`)
          items.splice(items.indexOf(homework), 1)
          show()
        })}
    >
      ${icon('trash')}
    </button>`
    return html`<li>
      <div class="work-words">
        <h3 dir="auto">${title}</h3>
        ${meta(status === 'draft' && badge(t('draft')), t('points', { count: max_score }), due_at && html`<span>${phrase(t, 'due', { time: deadline(due_at) })}</span>`, t('handed_in', { count: submission_count }))}
      </div>
      <div class="actions">
        ${ungraded_count > 0 && html`<a class="button small" href="/grading?${within(place)}&homework=${id}">${t('grade', { count: ungraded_count })}</a>`}
        ${ungraded_count === 0 && submission_count > 0 && html`<a class="button second small" href="/grading?${within(place)}&homework=${id}">${t('see_work')}</a>`}
        <button type="button" class="second small" onclick=${() => edit(homework)}>
          ${icon('edit')}${t('edit')}<span class="unseen"> ${title}</span>
        </button>
        ${remover}
      </div>
    </li>`
  }

  show()
  return html`<section id="homework">
    <div class="section-head">
      <h2>${t('homework')}</h2>
      <button type="button" class="second small" onclick=${() => edit(undefined)}>
        ${icon('plus')}${t('new_homework')}
      </button>
    </div>
    ${none}${list}
  </section>`
}

function testList(place: Place, items: Test[]): HTMLElement {
  const list = html`<ul class="rows work-rows"></ul>`
  const none = empty(t('no_tests'))
  const show = () => {
    list.replaceChildren(...items.map(line))
    none.hidden = items.length > 0
  }

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
        const { id } = await send<Test>('POST', `/api/episodes/${place.episode_id}/tests`, body)
        location.assign(`/test/edit?id=${id}&${within(place)}`)
      },
    )

  function line(exam: Test): HTMLElement {
    const { id, title, status, question_count, max_score, stats } = exam
    const copy = async () => {
      const { copyTest } = await lazily(import('./copy-actions.ts'))
      items.push(await copyTest(exam))
      show()
    }
    const remover: HTMLElement = html`<button
      type="button"
      class="icon-button"
      aria-label=${t('delete_named', { title })}
      title=${t('delete')}
      onclick=${() =>
        removed(remover, title, t('attempts_kept'), async () => {
          await send('DELETE', `/api/episodes/tests/${id}`)
          items.splice(items.indexOf(exam), 1)
          show()
        })}
    >
      ${icon('trash')}
    </button>`
    return html`<li>
      <div class="work-words">
        <h3 dir="auto">${title}</h3>
        ${meta(
          status === 'draft' && badge(t('draft')),
          question_count === 0
            ? html`<span class="is-lacking">${icon('warn')}${t('no_questions')}</span>`
            : t('questions', { count: question_count }),
          question_count > 0 && t('points', { count: max_score }),
          stats && stats.learner_count > 0 && t('learners', { count: stats.learner_count }),
        )}
      </div>
      <div class="actions">
        <a class="button second small" href="/test/edit?id=${id}&${within(place)}"
          >${icon('edit')}${t('questions_link')}<span class="unseen">${t('of_title', { title })}</span></a
        >
        ${laterButton({ sign: 'paper', text: t('copy_it'), label: t('copy_named', { title }), look: 'second small', work: copy })}
        ${remover}
      </div>
    </li>`
  }

  show()
  return html`<section id="tests">
    <div class="section-head">
      <h2>${t('tests')}</h2>
      <button type="button" class="second small" onclick=${create}>${icon('plus')}${t('new_test')}</button>
    </div>
    ${none}${list}
  </section>`
}

async function removed(button: HTMLElement, title: string, consequence: string, remove: () => Promise<void>) {
  if (!(await confirmed(t('delete_ask', { title }), consequence, t('delete')))) return
  const worked = await act(button, remove)
  if (worked) toast(t('deleted', { title }))
}
