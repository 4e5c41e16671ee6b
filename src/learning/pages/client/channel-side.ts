import { texts } from '#foundation/web/client/language.ts'
import type { Channel } from '../api-types.ts'
import { send } from './api.ts'
import { CHANNEL_TEXTS } from './channel-texts.ts'
import { confirmed } from './dialog.ts'
import { act } from './form.ts'
import { number } from './format.ts'
import { type Child, html } from './html.ts'
import { languageName } from './parts.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { toast } from './toast.ts'

const t = texts(CHANNEL_TEXTS)
const shell = texts(SHELL_TEXTS)

/** What a channel is and asks. */
export function facts(channel: Channel) {
  const {
    language,
    level,
    category,
    tags,
    enrollment_count,
    passing_percent,
    sequential,
    completion_threshold,
  } = channel
  const isFed = channel.status === 'published' && channel.visibility === 'public'
  const fact = (name: string, value: Child) =>
    value &&
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`
  return html`<dl class="facts">
    ${fact(t('language'), languageName(language))} ${fact(t('level'), level !== 'all' && shell(level))}
    ${fact(t('subject'), category && html`<bdi>${category}</bdi>`)}
    ${fact(t('topics'), tags.length > 0 && tags.map((tag, i) => [i > 0 && ', ', html`<a dir="auto" href="/channels?${new URLSearchParams({ tag }).toString()}">${tag}</a>`]))}
    ${fact(t('learners'), number(enrollment_count))}
    ${fact(t('to_pass'), `${number(passing_percent)}\u00a0%`)}
    ${fact(t('counts_as_watched'), t('from_on', { percent: `${number(completion_threshold * 100)}\u00a0%` }))}
    ${fact(t('order'), sequential && t('sequential'))}
    ${fact(t('devices'), isFed && html`<a href="/api/device/feed/${channel.id}">${t('feed')}</a>`)}
  </dl>`
}

/** Ends one's own enrollment, after a question. */
export function leaving({ id, title, enrollment }: Channel, reload: () => Promise<void>) {
  const button = html`<button type="button" class="quiet">${t('leave')}</button>`
  const text = t(enrollment === 'open' ? 'leave_text' : 'leave_closed')
  button.addEventListener('click', () => {
    void confirmed(t('leave_one', { title }), text, t('leave')).then(async (yes) => {
      if (!yes || !(await act(button, async () => void (await send('DELETE', `/api/enrollments/${id}`)))))
        return
      await reload()
      toast(t('left', { title }))
    })
  })
  return button
}

/** Deletes the channel, after a question. */
export function removal({ id, title, enrollment_count }: Channel) {
  const button = html`<button type="button" class="quiet">${t('delete_this')}</button>`
  const text = t('delete_text', { count: enrollment_count })
  button.addEventListener('click', () => {
    void confirmed(t('delete_one', { title }), text, t('delete')).then(async (yes) => {
      if (yes && (await act(button, async () => void (await send('DELETE', `/api/channels/${id}`)))))
        location.assign('/channels')
    })
  })
  return button
}
