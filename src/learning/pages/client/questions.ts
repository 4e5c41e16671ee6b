import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Episode, Page, Post, QuestionPage } from '../api-types.ts'
import { get, newKey, send } from './api.ts'
import { DAY_TEXTS } from './day-texts.ts'
import { confirmed } from './dialog.ts'
import { act, field, tick } from './form.ts'
import { formDialog } from './form-dialog.ts'
import { clock, when } from './format.ts'
import { goTo } from './go-to.ts'
import { type Child, fillWith, html } from './html.ts'
import { markdown } from './markdown.ts'
import { badge, meta } from './parts.ts'
import { phrase } from './phrase.ts'
import { area, isTicked, textIn } from './read.ts'
import { toast } from './toast.ts'
import { whenSeen } from './when-seen.ts'

const t = texts(DAY_TEXTS)
const MAX_TEXT = 5_000
type Question = QuestionPage['items'][number]
/** What every post of the list needs. `changed` reads the list again. */
type Talk = {
  episode_id: string
  video: HTMLVideoElement | null
  may_moderate: boolean
  may_write: boolean
  changed: () => Promise<void>
}

/** Questions and answers below an episode. */
export function questionsOf(_: Channel, { id }: Episode, video: HTMLVideoElement | null): HTMLElement {
  const place = html`<div class="stack-small"></div>`
  let pages = 1
  const load = async () => {
    const items: Question[] = []
    let page: QuestionPage | undefined
    for (let n = 0; n < pages && (!page || page.next_cursor !== null); n++) {
      const cursor: string = page?.next_cursor ? `&cursor=${page.next_cursor}` : ''
      page = await get<QuestionPage>(`/api/episodes/${encodeURIComponent(id)}/posts?per_page=20${cursor}`)
      items.push(...page.items)
    }
    if (page) show(page, items)
  }
  const show = ({ may_moderate, may_write, next_cursor }: QuestionPage, items: Question[]) => {
    const talk: Talk = { episode_id: id, video, may_moderate, may_write, changed: load }
    const more = html`<button type="button" class="second small">${t('more')}</button>`
    more.addEventListener('click', () => {
      pages += 1
      void act(more, load)
    })
    fillWith(
      place,
      may_write && asker(talk),
      items.length === 0 && html`<p class="quiet-text">${t('no_questions')}</p>`,
      items.map((item) => questionOf(item, talk)),
      next_cursor !== null && html`<p>${more}</p>`,
    )
    const linked =
      location.hash.startsWith('#post-') && place.querySelector(`[id="${location.hash.slice(1)}"]`)
    if (linked) linked.scrollIntoView()
  }
  const section = html`<section aria-labelledby="questions">
    <h2 id="questions">${t('questions')}</h2>
    ${place}
  </section>`
  // The questions are not what the page is for: without them it shows the rest.
  const quietly = () => void load().catch(() => {})
  if (location.hash.startsWith('#post-')) quietly()
  else whenSeen(section, quietly)
  return section
}

function asker(talk: Talk) {
  const { video } = talk
  const control = area('', MAX_TEXT, 3)
  const button = html`<button type="submit" class="second small">${t('ask')}</button>`
  const about = video && tick('about', t('about_time', { time: clock(video.currentTime) }))
  for (const event of ['timeupdate', 'seeked'])
    video?.addEventListener(event, () => {
      const label = about?.querySelector('label')
      if (label) label.textContent = t('about_time', { time: clock(video.currentTime) })
    })
  const form: HTMLElement = html`<form
    onsubmit=${(event: Event) => {
      event.preventDefault()
      const at_seconds = video && isTicked(form, 'about') ? Math.floor(video.currentTime) : null
      if (!control.value.trim()) return control.focus()
      return void act(
        button,
        async () => {
          await write(talk, { text: control.value, at_seconds })
          toast(t('asked'))
        },
        form,
      )
    }}
  >
    ${field({ name: 'text', label: t('your_question'), hint: t('formatting'), control })} ${about}
    <p class="actions">${button}</p>
  </form>`
  return form
}

async function write(talk: Talk, body: { text: string; at_seconds?: number | null; question_id?: string }) {
  await send('POST', `/api/episodes/${talk.episode_id}/posts`, { ...body, client_id: newKey() })
  await talk.changed()
}

function questionOf(question: Question, talk: Talk): HTMLElement {
  const { id, answers, answer_count, deleted } = question
  const list = html`<div class="answers"></div>`
  const all = html`<button type="button" class="quiet">${t('all_answers', { count: answer_count })}</button>`
  all.addEventListener(
    'click',
    () =>
      void act(all, async () =>
        fillWith(
          list,
          (await allAnswers(id)).map((one) => postOf(one, talk)),
        ),
      ),
  )
  fillWith(
    list,
    answers.map((one) => postOf(one, talk)),
    answer_count > answers.length && html`<p>${all}</p>`,
  )
  return html`<article class="question">
    ${deleted ? html`<p class="quiet-text" id="post-${id}">${t('gone')}</p>` : postOf(question, talk)} ${list}
  </article>`
}

async function allAnswers(question_id: string): Promise<Post[]> {
  const answers: Post[] = []
  for (let next: string | null = ''; next !== null;) {
    const page: Page<Post> & { next_cursor: string | null } = await get(
      `/api/posts/${question_id}/answers?per_page=100${next && `&cursor=${next}`}`,
    )
    answers.push(...page.items)
    next = page.next_cursor
  }
  return answers
}

const nameOf = ({ author }: Post): string =>
  author.is_you ? t('you') : (author.name ?? author.email ?? t(author.is_teacher ? 'teacher' : 'learner'))

function postOf(post: Post, talk: Talk): HTMLElement {
  const { id, text, at_seconds, author, created_at, edited_at, hidden } = post
  const { video } = talk
  return html`<div class="post" id="post-${id}">
    <p class="post-head">
      <strong dir="auto">${nameOf(post)}</strong>
      ${author.is_teacher && badge(t('teacher'), 'good')}
      ${hidden && badge(t(author.is_you && !talk.may_moderate ? 'hidden_yours' : 'hidden'), 'warn')}
    </p>
    ${meta(when(created_at), edited_at && html`<span>${phrase(t, 'edited', { time: when(edited_at) })}</span>`)}
    ${
      at_seconds !== null &&
      (video
        ? html`<button type="button" class="quiet" onclick=${() => goTo(video, at_seconds)}>
            ${t('jump', { time: clock(at_seconds) })}
          </button>`
        : html`<p>${clock(at_seconds)}</p>`)
    }
    ${markdown(text)}
    <p class="actions">${actionsOf(post, talk)}</p>
  </div>`
}

function actionsOf(post: Post, talk: Talk): Child {
  const { id, author, hidden, question_id } = post
  const button = (words: string, run: (self: HTMLElement) => void, label?: string) => {
    const made: HTMLElement = html`<button type="button" class="quiet" aria-label=${label}>${words}</button>`
    made.addEventListener('click', () => run(made))
    return made
  }
  const hide = async () => {
    await send('PUT', `/api/posts/${id}`, { hidden: !hidden })
    await talk.changed()
  }
  const remove = async () => {
    if (!(await confirmed(t('delete_title'), t('delete_text'), t('delete')))) return
    await send('DELETE', `/api/posts/${id}`)
    await talk.changed()
  }
  return [
    talk.may_write &&
      question_id === null &&
      button(t('answer'), () => void answer(post, talk), t('answer_to', { name: nameOf(post) })),
    author.is_you && button(t('edit'), () => void edit(post, talk), t('edit_post')),
    talk.may_moderate && button(t(hidden ? 'show' : 'hide'), (self) => void act(self, hide)),
    (author.is_you || talk.may_moderate) && button(t('delete'), (self) => void act(self, remove)),
  ]
}

function answer(post: Post, talk: Talk) {
  const content = field({
    name: 'text',
    label: t('your_answer'),
    hint: t('formatting'),
    control: area('', MAX_TEXT, 6),
  })
  return formDialog(t('answer_to', { name: nameOf(post) }), content, t('answer'), async (form) => {
    await write(talk, { text: textIn(form, 'text'), question_id: post.id })
    toast(t('answered'))
  })
}

function edit({ id, text, question_id }: Post, talk: Talk) {
  const label = t(question_id === null ? 'your_question' : 'your_answer')
  const content = field({ name: 'text', label, hint: t('formatting'), control: area(text, MAX_TEXT, 6) })
  return formDialog(t('edit_post'), content, t('save'), async (form) => {
    const typed = textIn(form, 'text')
    if (typed !== text) await send('PUT', `/api/posts/${id}`, { text: typed })
    await talk.changed()
  })
}
