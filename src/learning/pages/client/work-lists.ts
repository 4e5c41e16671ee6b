import type { Homework, Test } from '../api-types.ts'
import { send } from './api.ts'
import { confirmed } from './dialog.ts'
import { formDialog } from './form-dialog.ts'
import { act, field } from './form.ts'
import { count, deadline, number } from './format.ts'
import { homeworkForm } from './homework-fields.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { badge, meta } from './parts.ts'
import { textIn } from './read.ts'
import { empty } from './states.ts'
import { toast } from './toast.ts'

type Place = { channel_id: string; episode_id: string }

/** The editor's lists of homework and tests of an episode. */
export const workLists = (place: Place, homework: Homework[], tests: Test[]): HTMLElement =>
  html`<div class="two">${homeworkList(place, homework)}${testList(place, tests)}</div>`

const within = ({ channel_id, episode_id }: Place) => `episode=${episode_id}&channel=${channel_id}`

function homeworkList(place: Place, items: Homework[]): HTMLElement {
  const list = html`<ul class="rows work-rows"></ul>`
  const none = empty('Nothing to hand in yet. Homework is graded by you; the learner sees your feedback.')
  const show = () => {
    list.replaceChildren(...items.map(line))
    none.hidden = items.length > 0
  }

  async function edit(homework: Homework | undefined) {
    const { element, read } = homeworkForm(homework)
    const title = homework ? 'Edit homework' : 'New homework'
    await formDialog(
      title,
      element,
      homework ? 'Save' : 'Create homework',
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
      aria-label="Delete ${title}"
      title="Delete"
      onclick=${() =>
        removed(remover, title, 'What learners handed in is kept, but counts no longer.', async () => {
          await send('DELETE', `/api/episodes/homework/${id}`)
          items.splice(items.indexOf(homework), 1)
          show()
        })}
    >
      ${icon('trash')}
    </button>`
    return html`<li>
      <div class="work-words">
        <h3>${title}</h3>
        ${meta(status === 'draft' && badge('Draft'), `${number(max_score)} points`, due_at && html`<span>due ${deadline(due_at)}</span>`, count(submission_count, 'learner handed in', 'learners handed in'))}
      </div>
      <div class="actions">
        ${ungraded_count > 0 && html`<a class="button small" href="/grading?${within(place)}&homework=${id}">Grade ${number(ungraded_count)}</a>`}
        ${ungraded_count === 0 && submission_count > 0 && html`<a class="button second small" href="/grading?${within(place)}&homework=${id}">See the work</a>`}
        <button type="button" class="second small" onclick=${() => edit(homework)}>
          ${icon('edit')}Edit<span class="unseen"> ${title}</span>
        </button>
        ${remover}
      </div>
    </li>`
  }

  show()
  return html`<section id="homework">
    <div class="section-head">
      <h2>Homework</h2>
      <button type="button" class="second small" onclick=${() => edit(undefined)}>
        ${icon('plus')}New homework
      </button>
    </div>
    ${none}${list}
  </section>`
}

function testList(place: Place, items: Test[]): HTMLElement {
  const list = html`<ul class="rows work-rows"></ul>`
  const none = empty('No test yet. A test grades itself, and a file of questions can be imported.')
  const show = () => {
    list.replaceChildren(...items.map(line))
    none.hidden = items.length > 0
  }

  const create = () =>
    formDialog(
      'New test',
      field({
        name: 'title',
        label: 'Title',
        control: html`<input required maxlength="200" dir="auto" autofocus />`,
      }),
      'Create and add questions',
      async (form) => {
        const body = { title: textIn(form, 'title'), status: 'draft' }
        const { id } = await send<Test>('POST', `/api/episodes/${place.episode_id}/tests`, body)
        location.assign(`/test/edit?id=${id}&${within(place)}`)
      },
    )

  function line(exam: Test): HTMLElement {
    const { id, title, status, question_count, max_score, stats } = exam
    const remover: HTMLElement = html`<button
      type="button"
      class="icon-button"
      aria-label="Delete ${title}"
      title="Delete"
      onclick=${() =>
        removed(remover, title, 'Attempts are kept, but count no longer.', async () => {
          await send('DELETE', `/api/episodes/tests/${id}`)
          items.splice(items.indexOf(exam), 1)
          show()
        })}
    >
      ${icon('trash')}
    </button>`
    return html`<li>
      <div class="work-words">
        <h3>${title}</h3>
        ${meta(
          status === 'draft' && badge('Draft'),
          question_count === 0
            ? html`<span class="is-lacking">${icon('warn')}no questions</span>`
            : count(question_count, 'question'),
          question_count > 0 && `${number(max_score)} points`,
          stats && stats.learner_count > 0 && count(stats.learner_count, 'learner'),
        )}
      </div>
      <div class="actions">
        <a class="button second small" href="/test/edit?id=${id}&${within(place)}"
          >${icon('edit')}Questions<span class="unseen"> of ${title}</span></a
        >
        ${remover}
      </div>
    </li>`
  }

  show()
  return html`<section id="tests">
    <div class="section-head">
      <h2>Tests</h2>
      <button type="button" class="second small" onclick=${create}>${icon('plus')}New test</button>
    </div>
    ${none}${list}
  </section>`
}

async function removed(button: HTMLElement, title: string, consequence: string, remove: () => Promise<void>) {
  if (!(await confirmed(`Delete “${title}”?`, consequence, 'Delete'))) return
  const worked = await act(button, remove)
  if (worked) toast(`“${title}” is deleted.`)
}
