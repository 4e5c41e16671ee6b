import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Episode, Note, Page } from '../api-types.ts'
import { get, newKey, send } from './api.ts'
import { download } from './download.ts'
import { DAY_TEXTS } from './day-texts.ts'
import { act, field } from './form.ts'
import { formDialog } from './form-dialog.ts'
import { clock } from './format.ts'
import { goTo } from './go-to.ts'
import { fillWith, html } from './html.ts'
import { area, textIn } from './read.ts'
import { toast } from './toast.ts'
import { whenSeen } from './when-seen.ts'

const t = texts(DAY_TEXTS)
type Player = HTMLVideoElement | null

/** The learner's own notes and bookmarks of an episode. They are read again when the page is looked at again. */
export function notesOf(channel: Channel, episode: Episode, video: Player): HTMLElement {
  const list = html`<ul class="rows notes"></ul>`
  const reload = async () => {
    const notes = await allNotes(episode.id)
    fillWith(
      list,
      notes.map((note) => row(note, video, reload)),
    )
    list.hidden = notes.length === 0
    none.hidden = notes.length > 0
    saver.hidden = notes.length === 0
  }
  const none = html`<p class="quiet-text" hidden>${t('no_notes')}</p>`
  const save = async () => {
    const notes = await allNotes(episode.id)
    const lines = notes.map(({ at_seconds, text }) => `- [${clock(at_seconds)}] ${text || t('bookmark')}`)
    download(
      'notes.md',
      'text/markdown;charset=utf-8',
      [`# ${channel.title}: ${episode.title}`, '', ...lines, ''].join('\n'),
    )
  }
  const saver = html`<button type="button" class="quiet" hidden onclick=${() => void act(saver, save)}>
    ${t('download')}
  </button>`
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && list.isConnected) quietly(reload)
  })
  const section = html`<section aria-labelledby="notes" class="stack-small">
    <div class="section-head">
      <h2 id="notes">${t('notes')}</h2>
      <p class="quiet-text">${t('notes_private')}</p>
    </div>
    ${writer(episode.id, video, reload)} ${none} ${list}
    <p>${saver}</p>
  </section>`
  whenSeen(section, () => quietly(reload))
  return section
}

/** A list that cannot be read now stays as it is; the next look tries again. */
const quietly = (load: () => Promise<void>) => void load().catch(() => {})

async function allNotes(episode_id: string): Promise<Note[]> {
  const url = `/api/notes?per_page=100&episode_id=${encodeURIComponent(episode_id)}`
  const notes: Note[] = []
  for (let next: string | null = ''; next !== null;) {
    const page: Page<Note> & { next_cursor: string | null } = await get(next ? `${url}&cursor=${next}` : url)
    notes.push(...page.items)
    next = page.next_cursor
  }
  return notes.toSorted((a, b) => a.at_seconds - b.at_seconds || (a.id < b.id ? -1 : 1))
}

function writer(episode_id: string, video: Player, reload: () => Promise<void>) {
  const control = area('', 2_000, 2)
  const noteButton = html`<button type="submit" class="second small"></button>`
  const bookmarkButton = html`<button type="button" class="quiet"></button>`
  const now = () => Math.floor(video?.currentTime ?? 0)
  const say = () => {
    noteButton.textContent = t('save_at', { time: clock(now()) })
    bookmarkButton.textContent = t('bookmark_at', { time: clock(now()) })
  }
  say()
  for (const event of ['timeupdate', 'seeked', 'loadedmetadata']) video?.addEventListener(event, say)
  const add = async (text: string) => {
    const at_seconds = now()
    await send('POST', `/api/episodes/${episode_id}/notes`, { at_seconds, text, client_id: newKey() })
    toast(text ? t('note_saved') : t('bookmarked', { time: clock(at_seconds) }))
    await reload()
  }
  const form: HTMLElement = html`<form
    onsubmit=${(event: Event) => {
      event.preventDefault()
      const text = control.value.trim()
      if (text)
        void act(noteButton, async () => {
          await add(text)
          control.value = ''
        })
      else control.focus()
    }}
  >
    ${field({ name: 'note', label: t('note'), control })}
    <p class="actions">${noteButton} ${video && bookmarkButton}</p>
  </form>`
  bookmarkButton.addEventListener('click', () => void act(bookmarkButton, () => add('')))
  return form
}

function row(note: Note, video: Player, reload: () => Promise<void>): HTMLElement {
  const { id, at_seconds, text } = note
  const time = clock(at_seconds)
  const edit = () => {
    const control = area(text, 2_000, 4)
    void formDialog(
      t('edit_note', { time }),
      field({ name: 'text', label: t('note'), control }),
      t('save'),
      async (form) => {
        const typed = textIn(form, 'text').trim()
        if (typed !== text) await send('PUT', `/api/notes/${id}`, { text: typed })
      },
    ).then((isSaved) => isSaved && quietly(reload))
  }
  const remover = html`<button type="button" class="quiet" aria-label=${t('delete_note', { time })}>
    ${t('delete')}
  </button>`
  remover.addEventListener(
    'click',
    () =>
      void act(remover, async () => {
        await send('DELETE', `/api/notes/${id}`)
        await reload()
        const again = { at_seconds, text, client_id: newKey() }
        const undo = () =>
          quietly(async () => {
            await send('POST', `/api/episodes/${note.episode_id}/notes`, again)
            await reload()
          })
        toast(t('deleted'), { action: { text: t('undo'), run: undo } })
      }),
  )
  return html`<li class="line">
    ${
      video
        ? html`<button
            type="button"
            class="quiet"
            aria-label=${t('jump', { time })}
            onclick=${() => goTo(video, at_seconds)}
          >
            ${time}
          </button>`
        : html`<span>${time}</span>`
    }
    <p class="as-written" dir="auto">${text || html`<span class="quiet-text">${t('bookmark')}</span>`}</p>
    <p class="actions">
      <button type="button" class="quiet" aria-label=${t('edit_note', { time })} onclick=${edit}>
        ${t('edit')}
      </button>
      ${remover}
    </p>
  </li>`
}
