import { changesOf } from '#foundation/web/client/changes.ts'
import { saveEdit } from '#foundation/web/client/conflict.ts'
import { texts } from '#foundation/web/client/language.ts'
import type { Channel, ChannelChange } from '../api-types.ts'
import { get, refusal, refusalOf, send } from './api.ts'
import { CHANNEL_FORM_TEXTS } from './channel-form-texts.ts'
import { EDITING_TEXTS } from './editing-texts.ts'
import type { Line } from './outline.ts'

const t = texts(CHANNEL_FORM_TEXTS)
const episodes = texts(EDITING_TEXTS)

/** What the form holds. */
type Typed = Omit<ChannelChange, 'episodes'> & { lines: readonly Line[] }
/** A channel with its episodes as one level of fields: who changed what is found out field by field. */
type Flat = { version: number; order: string[]; [field: string]: unknown }

const NAMES: Record<string, string> = {
  title: t('title'),
  description: t('description'),
  language: t('language'),
  level: t('level'),
  category: t('category'),
  tags: t('tags'),
  thumbnail_url: t('picture'),
  visibility: t('visibility'),
  enrollment: t('enrollment'),
  status: t('status'),
  sequential: t('sequential'),
  completion_threshold: t('completed_from'),
  passing_percent: t('passed_from'),
  grade_weights: t('weights'),
  order: episodes('episodes'),
}

export function createChannel({ lines, ...fields }: Typed): Promise<Channel> {
  return send<Channel>('POST', '/api/channels', { status: 'draft', ...fields, episodes: lines.map(sentOf) })
}

/**
 * Saves what differs from `before`, what the form held when it was opened. Whoever was faster is shown field by field.
 * Undefined when they go on editing.
 */
export async function saveChannel(
  channel: Channel,
  before: Typed,
  now: Typed,
): Promise<{ version: number } | undefined> {
  const path = `/api/channels/${channel.id}`
  let latest = channel
  const titles = new Map(now.lines.map((line) => [keyOf(line), line.title]))
  const titleOf = (id: string) =>
    [...latest.episodes, ...channel.episodes].find((one) => one.id === id)?.title ?? titles.get(id) ?? id
  const names = { ...NAMES }
  for (const { id, title } of channel.episodes) {
    names[`title.${id}`] = `${t('episode_title')}: ${title}`
    names[`status.${id}`] = `${t('status')}: ${title}`
  }
  return saveEdit<Flat>({
    was: flat(channel),
    yours: changesOf<Flat>(flatForm(before), flatForm(now)),
    names,
    inWords: (name, value) =>
      name === 'order' ? (value as string[]).map(titleOf) : inWords(String(name), value),
    read: async () => flat((latest = await get<Channel>(path))),
    async save(changes, version) {
      const headers = { 'If-Match': `"${version}"` }
      try {
        return flat(
          await send<Channel>('PUT', path, bodyOf(changes, now.lines, channel, latest), { headers }),
        )
      } catch (error) {
        const { status, message } = refusalOf(error)
        throw status === 400 && message.startsWith('Channel changed') ? refusal(412, message) : error
      }
    },
  })
}

/**
 * The changed fields as PUT takes them. The order is sent with every episode, because a PUT moves unnamed ones behind the
 * named ones; who did not change it sends the one that stands.
 */
function bodyOf(
  changes: Partial<Flat>,
  lines: readonly Line[],
  was: Channel,
  latest: Channel,
): ChannelChange {
  const { order, ...fields } = changes
  const own = Object.entries(fields).filter(([name]) => !name.includes('.'))
  const ofEpisode = (id: string) =>
    Object.fromEntries(
      (['title', 'status'] as const).flatMap((name) =>
        `${name}.${id}` in changes ? [[name, changes[`${name}.${id}`]]] : [],
      ),
    )
  const isThere = new Set(latest.episodes.map(({ id }) => id))
  const kept = new Set(order)
  const listed = order
    ? lines.filter(({ episode }) => !episode || isThere.has(episode.id))
    : latest.episodes.map((episode) => ({ episode, title: '', status: episode.status }))
  const gone = order ? was.episodes.filter(({ id }) => !kept.has(id) && isThere.has(id)) : []
  const isAny = order !== undefined || own.length < Object.keys(fields).length
  return {
    ...Object.fromEntries(own),
    ...(isAny && {
      episodes: [
        ...listed.map((line) =>
          line.episode ? { id: line.episode.id, ...ofEpisode(line.episode.id) } : sentOf(line),
        ),
        ...gone.map(({ id }) => ({ id, deleted: true })),
      ],
    }),
  }
}

const sentOf = ({ title, status, url }: Line) => ({ title, status, ...(url && { video: { url } }) })

/** An episode that is not saved yet is new at every reading. */
const keyOf = ({ episode, title, url = '' }: Line) => episode?.id ?? `${title} ${url}`.trim()

const flatForm = ({ lines, ...fields }: Typed): Flat => ({
  version: 0,
  ...fields,
  order: lines.map(keyOf),
  ...Object.fromEntries(
    lines.flatMap(({ episode, title, status }) =>
      episode
        ? [
            [`title.${episode.id}`, title],
            [`status.${episode.id}`, status],
          ]
        : [],
    ),
  ),
})

/** Only what the form has. */
const flat = ({ version, ...channel }: Channel): Flat => ({
  ...Object.fromEntries(
    Object.entries(channel).filter(([name]) => name in NAMES && name !== 'grade_weights'),
  ),
  ...flatForm({
    grade_weights: channel.grade_weights && {
      homework: channel.grade_weights.homework,
      tests: channel.grade_weights.tests,
    },
    lines: channel.episodes.map((episode) => ({ episode, title: episode.title, status: episode.status })),
  }),
  version,
})

/** Words of the API as the form names them. */
function inWords(name: string, value: unknown): unknown {
  if (name === 'level') return t(`level_${value as Channel['level']}`)
  if (name === 'completion_threshold') return `${Math.round(Number(value) * 1_000) / 10} %`
  if (name === 'grade_weights' && value !== null) {
    const { homework, tests } = value as NonNullable<Channel['grade_weights']>
    return [`${t('homework')} ${homework}`, `${t('tests')} ${tests}`]
  }
  const isWord = ['visibility', 'enrollment', 'status'].includes(name.split('.')[0] ?? '')
  return isWord && typeof value === 'string'
    ? t(value as Channel['visibility' | 'enrollment' | 'status'])
    : value
}
