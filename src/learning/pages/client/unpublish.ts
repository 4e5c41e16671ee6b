import { texts } from '#foundation/web/client/language.ts'
import type { Channel } from '../api-types.ts'
import { get, send } from './api.ts'
import { confirmed } from './dialog.ts'
import { EDITOR_ACT_TEXTS } from './editor-act-texts.ts'

const t = texts(EDITOR_ACT_TEXTS)

/** Takes an episode away from learners. Sends all episodes, because a PUT moves unnamed ones behind the named ones. */
export async function unpublish(channel_id: string, id: string): Promise<void> {
  if (!(await confirmed(t('unpublish_ask'), t('unpublish_text'), t('unpublish')))) return
  const path = `/api/channels/${channel_id}`
  const { episodes, version } = await get<Channel>(path)
  const body = {
    episodes: episodes.map((one) => ({ id: one.id, ...(one.id === id && { status: 'draft' }) })),
  }
  await send<Channel>('PUT', path, body, { headers: { 'If-Match': `"${version}"` } })
  location.reload()
}
