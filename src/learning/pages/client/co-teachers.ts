import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Teachers } from '../api-types.ts'
import { get, send } from './api.ts'
import { CO_TEACHER_TEXTS } from './co-teacher-texts.ts'
import { showDialog } from './dialog.ts'
import { act } from './form.ts'
import { type Child, fillWith, html } from './html.ts'
import { addressOf, nameOf } from './person.ts'

const t = texts(CO_TEACHER_TEXTS)
/** Milliseconds without a key before the service is asked. */
const PAUSE = 250

type Someone = Teachers['found'][number]

/** Who teaches the channel, with names; its owner finds others by name and takes them in or out, each at once. */
export async function openTeachers(channel: Channel, title: string): Promise<void> {
  const path = `/api/channels/${channel.id}/teachers`
  const list = html`<ul class="rows"></ul>`
  const found = html`<ul class="rows"></ul>`
  const told = html`<p class="quiet-text" role="status"></p>`
  let now = await get<Teachers>(path)

  const nameIn = ({ user_id, display_name, email }: Someone) =>
    nameOf({ user_id, display_name, user_email: email })
  const line = (one: Someone, more: Child) =>
    html`<li class="line">
      <div>
        <bdi>${nameIn(one)}</bdi>
        ${addressOf({ ...one, user_email: one.email })}
      </div>
      ${more}
    </li>`
  const button = (text: string, label: string, run: (made: HTMLElement) => void) => {
    const made: HTMLElement = html`<button
      type="button"
      class="second small"
      aria-label=${label}
      onclick=${() => run(made)}
    >
      ${text}
    </button>`
    return made
  }

  function show() {
    fillWith(
      list,
      now.items.map((one) => {
        if (one.is_owner) return line(one, html`<span class="badge is-plain">${t('owner')}</span>`)
        const name = nameIn(one)
        return line(
          one,
          now.may_change &&
            button('×', t('remove_named', { name }), (made) =>
              change(made, (ids) => ids.filter((id) => id !== one.user_id), t('removed', { name })),
            ),
        )
      }),
    )
  }

  /** The list is sent whole, so it is read first. */
  function change(made: HTMLElement, changed: (ids: readonly string[]) => string[], done: string) {
    void act(made, async () => {
      const address = `/api/channels/${channel.id}`
      const { version, instructor_ids } = await get<Channel>(address)
      const headers = { 'If-Match': `"${version}"` }
      const body = { instructor_ids: changed(instructor_ids) }
      const saved = await send<Channel>('PUT', address, body, { headers })
      // The form beside this one goes on from here, unless others have changed the channel before.
      if (version === channel.version) channel.version = saved.version
      now = await get<Teachers>(path)
      input.value = ''
      fillWith(found)
      show()
      told.textContent = done
    })
  }

  async function find() {
    const q = input.value.trim()
    const { found: people } =
      q === '' ? { found: [] } : await get<Teachers>(`${path}?${new URLSearchParams({ q }).toString()}`)
    if (q !== input.value.trim()) return
    fillWith(
      found,
      people.map((one) => {
        const name = nameIn(one)
        return line(
          one,
          button(t('add_one'), t('add_named', { name }), (made) =>
            change(made, (ids) => [...ids, one.user_id], t('added', { name })),
          ),
        )
      }),
    )
    told.textContent = q !== '' && people.length === 0 ? t('nobody') : ''
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  const input = html`<input
    type="search"
    id="co-teacher"
    maxlength="200"
    autocomplete="off"
    dir="auto"
    aria-describedby="co-teacher-hint"
  />` as HTMLInputElement
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void act(told, find), PAUSE)
  })
  show()
  const content = html`<div class="stack-small">
    ${list}
    ${
      now.may_change
        ? html`<div class="field">
            <label for="co-teacher">${t('add')}</label>
            <p class="hint" id="co-teacher-hint">${t('hint')}</p>
            ${input}
          </div>`
        : html`<p class="quiet-text">${t('owner_only')}</p>`
    }
    ${told} ${found}
  </div>`
  // Enter would close the dialog.
  content.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target === input) event.preventDefault()
  })
  void showDialog(title, content)
}
