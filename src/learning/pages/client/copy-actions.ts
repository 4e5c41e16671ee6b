import { cutAt } from '#foundation/web/client/cut.ts'
import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Episode, ListedChannel, Page, Test } from '../api-types.ts'
import { get, send } from './api.ts'
import { COPY_TEXTS } from './copy-texts.ts'
import { formDialog } from './form-dialog.ts'
import { field, select } from './form.ts'
import { html } from './html.ts'
import { textIn } from './read.ts'
import { toast } from './toast.ts'

const t = texts(COPY_TEXTS)

/** Copies the channel and opens the copy. */
export async function copyChannel({ id, title }: Channel) {
  const named = cutAt(t('copy_title', { title }), 200)
  const copy = await send<Channel>('POST', `/api/channels/${id}/copy`, { title: named })
  location.assign(`/channel/edit?id=${copy.id}`)
}

/** Copies the episode and opens the copy. */
export async function copyEpisode(channel: Channel, { id }: Episode) {
  const made = await send<{ episode_id: string }>('POST', `/api/episodes/${id}/copy`, {})
  location.assign(`/episode/edit?id=${made.episode_id}&channel=${channel.id}`)
}

/** Copies the test beside it. */
export async function copyTest({ id, title }: Test): Promise<Test> {
  const copy = await send<Test>('POST', `/api/episodes/tests/${id}/copy`, {})
  toast(t('copied', { title }))
  return copy
}

/** Asks for another channel and moves the episode there. */
export async function moveEpisode(channel: Channel, { id }: Pick<Episode, 'id' | 'title'>) {
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
