import { texts } from '#foundation/web/client/language.ts'
import type { Channel, ChannelChange } from '../api-types.ts'
import { get, refusal } from './api.ts'
import { CHANNEL_FORM_TEXTS } from './channel-form-texts.ts'
import { checklist, missing } from './checklist-view.ts'
import { aboutFields, rulesFields, sentChannel } from './channel-fields.ts'
import { act } from './form.ts'
import { setTitle, setTrail } from './heading.ts'
import { LEAVING_TEXTS } from './leaving-texts.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { laterButton } from './later-button.ts'
import { lazily } from './lazily.ts'
import { outline } from './outline.ts'
import { openPage } from './page.ts'
import { badge } from './parts.ts'
import { guardUnsaved } from './read.ts'
import { toast } from './toast.ts'
import { EDITING_TEXTS } from './editing-texts.ts'

const t = texts(EDITING_TEXTS)
const leaving = texts(LEAVING_TEXTS)
const fields = texts(CHANNEL_FORM_TEXTS)

const open = openPage(async ({ query }) => {
  const id = query.get('id')
  if (!id) {
    setTitle(fields('new_channel'))
    setTrail({ href: '/channels?mine=1', text: t('channels') })
    return editor(undefined)
  }
  const channel = await get<Channel>(`/api/channels/${id}`)
  if (!channel.my.can_edit) throw refusal(403, fields('owner_only'))
  setTitle(fields('edit_channel', { title: channel.title }))
  setTrail(
    { href: '/channels?mine=1', text: t('channels') },
    { href: `/channel?id=${id}`, text: channel.title },
  )
  return editor(channel)
})

/** Milliseconds without a key before the list of what is missing is made again. */
const PAUSE = 200
const TONES = { draft: 'plain', published: 'good', archived: 'warn' } as const

function editor(channel: Channel | undefined) {
  const episodes = outline(channel)
  const state = html`<p class="savebar-state" role="status"></p>`
  const saver = html`<button type="submit">${fields(channel ? 'save_changes' : 'create_channel')}</button>`
  const side = html`<aside class="editor-side" aria-label=${fields('publishing')}></aside>`
  const form: HTMLElement = html`<form class="editor" onsubmit=${submit} onkeydown=${saveByKey}>
    <div class="editor-main">
      <section>
        <h2>${t('about')}</h2>
        ${aboutFields(channel)}
      </section>
      <section>
        <h2>${t('episodes')}</h2>
        <p class="hint">${fields('episodes_hint')}</p>
        ${episodes.element}
        <p class="actions">
          ${laterButton({ sign: 'list', text: fields('paste'), look: 'second small', work: async () => (await lazily(import('./paste-dialog.ts'))).pasteEpisodes(episodes.add) })}
        </p>
      </section>
      <section>
        <h2>${fields('rules')}</h2>
        ${rulesFields(channel)}
      </section>
    </div>
    ${side}
    <div class="savebar">${state}${saver}</div>
  </form>`
  const guard = guardUnsaved(form, (isDirty) => {
    state.textContent = fields(isDirty ? 'dirty' : 'clean')
    form.classList.toggle('is-dirty', isDirty)
  })
  let later: ReturnType<typeof setTimeout> | undefined
  // The list reads every episode, which a key must not wait for.
  form.addEventListener('input', (event) => {
    clearTimeout(later)
    if (event instanceof InputEvent) later = setTimeout(showSide, PAUSE)
    else showSide()
  })
  showSide()
  const typed = () => ({ ...sentChannel(form), lines: episodes.read() })
  const before = typed()

  function submit(event: Event) {
    event.preventDefault()
    void save(saver)
  }

  function saveByKey(event: KeyboardEvent) {
    if (!(event.ctrlKey || event.metaKey) || event.key !== 's') return
    event.preventDefault()
    void save(saver)
  }

  async function save(button: HTMLElement, more: Pick<ChannelChange, 'status'> = {}) {
    await act(
      button,
      async () => {
        const now = { ...typed(), ...more }
        const isNew = now.status === 'published' && channel?.status !== 'published'
        const lacking = isNew ? missing({ ...sentChannel(form), episodes: episodes.shown() }) : []
        if (lacking.length > 0) throw refusal(400, leaving('not_yet', { open: lacking.join(', ') }))
        const { createChannel, saveChannel } = await lazily(import('./channel-save.ts'))
        if (!channel) {
          const made = await createChannel(now)
          guard.saved()
          location.assign(`/channel/edit?id=${made.id}`)
          return
        }
        if (!(await saveChannel(channel, before, now))) return
        guard.saved()
        toast(more.status === 'published' ? fields('is_published') : t('saved'))
        await open()
        document.querySelector<HTMLElement>('.savebar button')?.focus()
      },
      form,
    )
  }

  function showSide() {
    const described = { ...sentChannel(form), episodes: episodes.shown() }
    const publish: HTMLElement = html`<button
      type="button"
      class="wide"
      onclick=${() => save(publish, { status: 'published' })}
    >
      ${fields('publish')}
    </button>`
    const status = channel?.status ?? 'draft'
    side.replaceChildren(
      html`<div class="section-head">
        <h2>${fields('before')}</h2>
        ${badge(t(status), TONES[status])}
      </div>`,
      checklist(described, {
        ...(described.episodes.length > 0 && {
          has_published: html`<button
            type="button"
            class="second small"
            onclick=${() => episodes.publishAll()}
          >
            ${leaving('publish_all')}
          </button>`,
        }),
      }),
      ...(channel && channel.status !== 'published' ? [publish] : []),
      ...(channel
        ? [
            html`<a class="button second wide" href="/channel?id=${channel.id}"
              >${icon('eye')}${fields('as_learner')}</a
            >`,
            laterButton({
              text: fields('teachers'),
              look: 'second wide',
              work: async () =>
                (await lazily(import('./co-teachers.ts'))).openTeachers(channel, fields('teachers')),
            }),
            laterButton({
              sign: 'paper',
              text: fields('copy_channel'),
              look: 'second wide',
              work: async () => (await lazily(import('./copy-actions.ts'))).copyChannel(channel),
            }),
          ]
        : []),
    )
  }
  return form
}
