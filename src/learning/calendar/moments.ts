import type { Database, Lane } from '#foundation/database/database.ts'
import { textsIn } from '#foundation/web/client/texts.ts'
import { editorOf, isVisible } from '../access/access.ts'
import { closeFor, dueFor } from '../access/deadlines.ts'
import type { Subscriber } from './address.ts'
import { type Moment, writeCalendar } from './ical.ts'
import { CALENDAR_TEXTS } from './texts.ts'

type Row = {
  kind: 'due' | 'opens' | 'closes' | 'release'
  id: string
  title: string
  at: string
  changed_at: string
  channel_id: string
  channel_title: string
  episode_id: string
}

/** Calendars are read again and again, so their size has a limit. */
const MOST = 1_000

/**
 * The calendar of a person: deadlines of homework, openings and closings of tests and releases of episodes in the
 * channels where they are enrolled, from 30 days ago to a year ahead. An episode that is not out has no title yet.
 */
export async function calendarOf(db: Database, who: Subscriber, base: string): Promise<string> {
  const rows = await readMoments(db, who)
  const t = textsIn(CALENDAR_TEXTS, who.language)
  const host = new URL(base).host
  const moments = rows.map(
    ({ kind, id, title, at, changed_at, channel_id, channel_title, episode_id }): Moment => {
      const isHidden = kind === 'release'
      return {
        uid: `${kind}-${id}@${host}`,
        at,
        changed_at,
        summary: t(kind, { title: isHidden ? channel_title : title }),
        description: channel_title,
        url: isHidden
          ? `${base}/channel?id=${channel_id}`
          : `${base}/episode?id=${episode_id}&channel=${channel_id}`,
      }
    },
  )
  return writeCalendar(t('name'), moments)
}

/** When the work was changed, or the deadline that this person has there. */
const lastChange = (sql: Lane, work: ReturnType<Lane>, { user_id }: Subscriber) => sql`
  greatest(${work}.updated_at, (
    select d.set_at from learning.deadlines d
     where d.tenant_id = ${work}.tenant_id and d.work_id = ${work}.id and d.user_id = ${user_id}))`

const readMoments = ({ lists, pool }: Database, who: Subscriber) => {
  const { tenant_id, user_id } = who
  const viewer = { tenant_id, user_id, edits_all: false }
  return lists(
    user_id,
    pool<Row[]>`
      with episode as materialized (
        select e.id, e.release_at, e.updated_at, c.id as channel_id, c.title as channel_title,
               learning.is_released(e.status, e.release_at) as is_out, e.status
          from learning.enrollments n
          join learning.channels c on c.tenant_id = n.tenant_id and c.id = n.channel_id
          join learning.episodes e on e.tenant_id = c.tenant_id and e.channel_id = c.id and e.deleted_at is null,
               ${editorOf(pool, viewer)}
         where n.tenant_id = ${tenant_id} and n.user_id = ${user_id} and ${isVisible(pool, viewer)}
           and c.status = 'published'),
      moment as (
        select 'due' as kind, h.id, h.title, ${dueFor(pool, user_id)} as at,
               ${lastChange(pool, pool`h`, who)} as changed_at, episode.id as episode_id
          from episode join learning.homework h on h.tenant_id = ${tenant_id} and h.episode_id = episode.id
         where is_out and h.deleted_at is null and h.status = 'published'
        union all
        select moved.kind, t.id, t.title, moved.at, ${lastChange(pool, pool`t`, who)}, episode.id
          from episode join learning.tests t on t.tenant_id = ${tenant_id} and t.episode_id = episode.id,
               lateral (values ('opens', t.opens_at), ('closes', ${closeFor(pool, user_id)})) as moved(kind, at)
         where is_out and t.deleted_at is null and t.status = 'published'
        union all
        select 'release', id, '', release_at, updated_at, id from episode
         where not is_out and episode.status = 'published')
      select moment.*, episode.channel_id, episode.channel_title
        from moment join episode on episode.id = moment.episode_id
       where moment.at between statement_timestamp() - interval '30 days' and statement_timestamp() + interval '366 days'
       order by moment.at, moment.kind, moment.id limit ${MOST}`,
  )
}
