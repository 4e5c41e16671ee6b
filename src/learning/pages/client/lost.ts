import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Progress } from '../api-types.ts'
import { get, type Refusal } from './api.ts'
import { type Child, html } from './html.ts'
import { LOST_TEXTS } from './lost-texts.ts'
import { phrase } from './phrase.ts'
import { sentence } from './states.ts'

const t = texts(LOST_TEXTS)

type Kind = 'channel' | 'episode' | 'homework' | 'test' | 'attempt' | 'learner' | 'nothing'
const KINDS: Readonly<Record<string, Kind>> = {
  channel: 'channel',
  'channel-edit': 'channel',
  episode: 'episode',
  'episode-edit': 'episode',
  homework: 'homework',
  grading: 'homework',
  test: 'test',
  'test-edit': 'test',
}

/**
 * Instead of a thing that is not there or not for the reader: what kind of thing it is, and the ways to what they may
 * open. The words are the same whether it exists or not, and every way was asked for with the reader's own rights.
 */
export async function lostPanel({ status, message }: Refusal): Promise<HTMLElement> {
  const page = document.body.dataset['page'] ?? ''
  const query = new URLSearchParams(location.search)
  const channel = await channelOf(page, query)
  const isForbidden = status === 403
  return html`<section class="panel" role="alert">
    <h2>${t(isForbidden ? 'forbidden' : kindOf(page, query, channel))}</h2>
    <p>${isForbidden ? `${sentence(message)} ${t('from_here')}` : t('why')}</p>
    <ul class="ways">
      ${waysOf(page, query, channel).map(([href, text]) => html`<li><a href=${href}>${text}</a></li>`)}
    </ul>
  </section>`
}

function kindOf(page: string, query: URLSearchParams, channel: Channel | undefined): Kind {
  if (page === 'channel' && channel) return 'learner'
  if (page === 'test' && query.has('attempt')) return 'attempt'
  return KINDS[page] ?? 'nothing'
}

function waysOf(page: string, query: URLSearchParams, channel: Channel | undefined): [string, Child][] {
  const around = query.get('episode') ?? (page === 'episode-edit' ? query.get('id') : null)
  const episode = channel?.episodes.find(({ id }) => id === around)
  const named = (key: 'to_channel' | 'to_episode', title: string) =>
    phrase(t, key, { title: html`<bdi>${title}</bdi>` })
  return [
    ...(channel && episode
      ? [
          [`/episode?id=${episode.id}&channel=${channel.id}`, named('to_episode', episode.title)] satisfies [
            string,
            Child,
          ],
        ]
      : []),
    ...(channel
      ? [[`/channel?id=${channel.id}`, named('to_channel', channel.title)] satisfies [string, Child]]
      : []),
    ['/channels', t('to_channels')],
    ['/', t('to_start')],
  ]
}

/** The channel around the missing thing, if the reader may open it. */
async function channelOf(page: string, query: URLSearchParams): Promise<Channel | undefined> {
  const id = query.get('id')
  try {
    const known = query.get('channel') ?? (KINDS[page] === 'channel' ? id : null)
    const episode_id = query.get('episode') ?? (KINDS[page] === 'episode' ? id : null)
    const channel_id = known ?? (episode_id && (await channelOfEpisode(episode_id)))
    return channel_id ? await get<Channel>(`/api/channels/${encodeURIComponent(channel_id)}`) : undefined
  } catch {
    return undefined
  }
}

const channelOfEpisode = async (id: string) =>
  (await get<Progress>(`/api/progress/${encodeURIComponent(id)}`)).channel_id
