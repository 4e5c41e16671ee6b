import type { Channel, ChannelChange } from '../api-types.ts'
import { get, refusal, refusalOf, send } from './api.ts'
import { checklist } from './checklist-view.ts'
import { confirmed } from './dialog.ts'
import { aboutFields, rulesFields, sentChannel } from './channel-fields.ts'
import { act } from './form.ts'
import { setTitle, setTrail } from './heading.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { outline } from './outline.ts'
import { openPage } from './page.ts'
import { badge } from './parts.ts'
import { guardUnsaved } from './read.ts'
import { toast } from './toast.ts'

const open = openPage(async ({ query }) => {
  const id = query.get('id')
  if (!id) {
    setTitle('New channel')
    setTrail({ href: '/channels?mine=1', text: 'Channels' })
    return editor(undefined)
  }
  const channel = await get<Channel>(`/api/channels/${id}`)
  if (!channel.my.can_edit) throw refusal(403, 'Only its owner and its instructors change a channel')
  setTitle(channel.title)
  setTrail({ href: '/channels?mine=1', text: 'Channels' }, { href: `/channel?id=${id}`, text: 'Channel' })
  return editor(channel)
})

const STATES = {
  draft: ['Draft', 'plain'],
  published: ['Published', 'good'],
  archived: ['Archived', 'warn'],
} as const

function editor(channel: Channel | undefined) {
  const episodes = outline(channel)
  const state = html`<p class="savebar-state" role="status"></p>`
  const saver = html`<button type="submit">${channel ? 'Save changes' : 'Create channel'}</button>`
  const side = html`<aside class="editor-side" aria-label="Publishing"></aside>`
  const form: HTMLElement = html`<form class="editor" onsubmit=${submit} onkeydown=${saveByKey}>
    <div class="editor-main">
      <section>
        <h2>About</h2>
        ${aboutFields(channel)}
      </section>
      <section>
        <h2>Episodes</h2>
        <p class="hint">In the order in which they are watched. New ones begin as drafts.</p>
        ${episodes.element}
      </section>
      <section>
        <h2>Rules</h2>
        ${rulesFields(channel)}
      </section>
    </div>
    ${side}
    <div class="savebar">${state}${saver}</div>
  </form>`
  const guard = guardUnsaved(form, (isDirty) => {
    state.textContent = isDirty ? 'Not saved yet' : 'All changes are saved'
    form.classList.toggle('is-dirty', isDirty)
  })
  form.addEventListener('input', showSide)
  showSide()

  function body(): ChannelChange {
    return { ...sentChannel(form), episodes: episodes.read() }
  }

  function submit(event: Event) {
    event.preventDefault()
    void save(saver)
  }

  function saveByKey(event: KeyboardEvent) {
    if (!(event.ctrlKey || event.metaKey) || event.key !== 's') return
    event.preventDefault()
    void save(saver)
  }

  async function save(button: HTMLElement, more: ChannelChange = {}) {
    await act(
      button,
      async () => {
        const sent = { ...body(), ...more }
        if (!channel) {
          const made = await send<Channel>('POST', '/api/channels', { status: 'draft', ...sent })
          guard.saved()
          location.assign(`/channel/edit?id=${made.id}`)
          return
        }
        const saved = await put(channel, sent)
        if (!saved) return
        guard.saved()
        toast(more.status === 'published' ? 'The channel is published.' : 'Saved.')
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
      Publish
    </button>`
    const [words, kind] = STATES[channel?.status ?? 'draft']
    side.replaceChildren(
      html`<div class="section-head">
        <h2>Before it goes out</h2>
        ${badge(words, kind)}
      </div>`,
      checklist(described),
      ...(channel && channel.status !== 'published' ? [publish] : []),
      ...(channel
        ? [
            html`<a class="button second wide" href="/channel?id=${channel.id}"
              >${icon('play')}See it as a learner does</a
            >`,
          ]
        : []),
    )
  }
  return form
}

/** Saves with an optimistic lock on the version that was read. Undefined if the author cancels after a conflict. */
async function put({ id, version }: Channel, body: ChannelChange): Promise<Channel | undefined> {
  const path = `/api/channels/${id}`
  try {
    return await send<Channel>('PUT', path, body, { headers: { 'If-Match': `"${version}"` } })
  } catch (error) {
    const { status, message } = refusalOf(error)
    if (status !== 400 || !message.startsWith('Channel changed')) throw error
    const isMine = await confirmed(
      'Somebody else has changed this channel',
      'It was saved by another editor, or in another tab, since you opened it. Saving yours replaces the fields you both changed.',
      'Save mine',
    )
    return isMine ? send<Channel>('PUT', path, body) : undefined
  }
}
