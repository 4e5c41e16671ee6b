import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Episode, ListedChannel, Page, Test } from '../api-types.ts'
import { get, refusal, send } from './api.ts'
import { COPY_TEXTS } from './copy-texts.ts'
import { formDialog } from './form-dialog.ts'
import { act, field, select } from './form.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { readPasted, type Pasted } from './pasted.ts'
import { area, textIn } from './read.ts'
import { toast } from './toast.ts'

const t = texts(COPY_TEXTS)

/** A button that copies the channel and opens the copy. */
export const channelCopier = ({ id, title }: Channel): HTMLElement =>
  copier(t('copy_channel'), 'second wide', async () => {
    const named = t('copy_title', { title }).slice(0, 200)
    const copy = await send<Channel>('POST', `/api/channels/${id}/copy`, { title: named })
    location.assign(`/channel/edit?id=${copy.id}`)
  })

/** Buttons that copy an episode, which opens the copy, and that move it to another channel. */
export const episodeActions = (channel: Channel, { id, title }: Episode): HTMLElement =>
  html`<div class="actions">
    ${copier(t('copy'), 'second small', async () => {
      const made = await send<{ episode_id: string }>('POST', `/api/episodes/${id}/copy`, {})
      location.assign(`/episode/edit?id=${made.episode_id}&channel=${channel.id}`)
    })}
    <button type="button" class="second small" onclick=${() => void move(channel, { id, title })}>
      ${t('move')}
    </button>
  </div>`

/** A button that copies a test beside it; `made` gets the copy. */
export const testCopier = ({ id, title }: Test, made: (copy: Test) => void): HTMLElement =>
  copier(
    t('copy'),
    'second small',
    async () => {
      made(await send<Test>('POST', `/api/episodes/tests/${id}/copy`, {}))
      toast(t('copied', { title }))
    },
    t('copy_named', { title }),
  )

function copier(text: string, look: string, work: () => Promise<void>, label = text): HTMLElement {
  const button: HTMLElement = html`<button
    type="button"
    class=${look}
    aria-label=${label}
    onclick=${() => void act(button, work)}
  >
    ${icon('paper')}${text}
  </button>`
  return button
}

async function move(channel: Channel, { id }: Pick<Episode, 'id' | 'title'>) {
  const { items } = await get<Page<ListedChannel>>('/api/channels?mine=1&per_page=100')
  const others = items.filter((one) => one.id !== channel.id)
  if (others.length === 0) return toast(t('no_other'))
  const control = select(others.map((one) => [one.id, one.title] as const))
  await formDialog(
    t('move'),
    html`<div class="fields">
      <p class="hint">${t('move_text')}</p>
      ${field({ name: 'channel_id', label: t('to_channel'), control })}
    </div>`,
    t('move_now'),
    async (form) => {
      const channel_id = textIn(form, 'channel_id')
      await send('POST', `/api/episodes/${id}/move`, { channel_id })
      location.assign(`/episode/edit?id=${id}&channel=${channel_id}`)
    },
  )
}

/** A button that makes many episodes of a list of addresses. */
export const paster = (add: (episodes: Pasted[]) => void): HTMLElement =>
  html`<button type="button" class="second small" onclick=${() => void paste(add)}>
    ${icon('list')}${t('paste')}
  </button>`

const paste = (add: (episodes: Pasted[]) => void) =>
  formDialog(
    t('paste_title'),
    field({ name: 'links', label: t('paste_label'), hint: t('paste_hint'), control: area('', 200_000, 10) }),
    t('paste_now'),
    async (form) => {
      const found = readPasted(textIn(form, 'links'), (number) => t('new_one', { number }))
      if (found.length === 0) throw refusal(422, t('paste_none'))
      add(found)
      toast(t('pasted', { count: found.length }))
    },
    { isWide: true },
  )
