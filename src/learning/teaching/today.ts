import { type Static, Type } from 'typebox'
import type { Database, Lane } from '#foundation/database/database.ts'
import { inTurn, type Reader } from '#foundation/database/lists.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { Viewer } from '../access/access.ts'
import { risksIn } from '../innovation/engagement.ts'
import { readLearners } from '../innovation/learners.ts'
import { listSuggestions, Suggestion } from '../innovation/suggestion.ts'
import { type Names, withNames } from '../names.ts'
import { listToGrade, ToGrade } from './to-grade.ts'

const EVENTS = ['homework_due', 'test_opens', 'test_closes', 'episode_released'] as const

const Behind = Type.Object({
  user_id: Type.String(),
  user_email: Type.String(),
  display_name: Nullable(Type.String()),
  channel_id: Uuid,
  channel_title: Type.String(),
  risk: Type.Integer(),
  reasons: Type.Array(Type.String()),
})
type Behind = Static<typeof Behind>

const Event = Type.Object({
  kind: OneOf([...EVENTS]),
  at: Time,
  id: Uuid,
  title: Type.String(),
  episode_id: Uuid,
  channel_id: Uuid,
  channel_title: Type.String(),
})
type Event = Static<typeof Event>

/** What the tenant of an ADMIN has already. */
const Setup = Type.Object({
  has_channel: Type.Boolean(),
  has_published: Type.Boolean(),
  has_learner: Type.Boolean(),
  sends_mail: Type.Boolean(),
})

/**
 * The home of someone who teaches: at most 5, 10 and 20 rows. For an ADMIN also the 3 newest suggestions that wait, and what
 * is set up.
 */
export const Today = Type.Object({
  to_grade: Type.Object({ items: Type.Array(ToGrade), total: Type.Integer() }),
  behind: Type.Array(Behind),
  week: Type.Array(Event),
  suggestions: Type.Optional(Type.Object({ items: Type.Array(Suggestion), total: Type.Integer() })),
  setup: Type.Optional(Setup),
})

const [FIRST, BEHIND, WEEK, SUGGESTED] = [5, 10, 20, 3]
/** The newest channels of a teacher that are searched for learners who fell behind. */
const SEARCHED = 30
/** Below this risk nobody needs a teacher today: away for a week alone is 15. */
const NEEDS_HELP = 30

/** What waits in the channels that the viewer owns or instructs: work, learners, and the seven days ahead. */
export async function readToday(
  db: Database,
  names: Names,
  viewer: Viewer,
  sends_mail: boolean,
): Promise<Static<typeof Today>> {
  const turn = inTurn(db, viewer.user_id)
  const [{ items, total }, behind, week, more] = await Promise.all([
    listToGrade(db, names, viewer, { page: 1, per_page: FIRST }),
    fellBehind(turn, names, viewer),
    turn.read(weekAhead(turn.sql, viewer)),
    viewer.is_admin ? forAdmin(db, turn, viewer, sends_mail) : {},
  ])
  return { to_grade: { items, total }, behind, week: [...week], ...more }
}

async function forAdmin(db: Database, turn: Reader, viewer: Viewer, sends_mail: boolean) {
  const waiting = { status: 'pending', page: 1, per_page: SUGGESTED } as const
  const [{ items, total }, [found]] = await Promise.all([
    listSuggestions(db, viewer, waiting),
    turn.read(setupOf(turn.sql, viewer)),
  ])
  const none = { has_channel: false, has_published: false, has_learner: false }
  return { suggestions: { items, total }, setup: { ...(found ?? none), sends_mail } }
}

const setupOf = (sql: Lane, { tenant_id }: Viewer) => sql<Omit<Static<typeof Setup>, 'sends_mail'>[]>`
  select exists (select from learning.channels where tenant_id = ${tenant_id} and deleted_at is null) as has_channel,
         exists (select from learning.channels
                  where tenant_id = ${tenant_id} and deleted_at is null and status = 'published') as has_published,
         exists (select from learning.enrollments where tenant_id = ${tenant_id} and not as_admin) as has_learner`

async function fellBehind(turn: Reader, names: Names, { tenant_id, user_id }: Viewer): Promise<Behind[]> {
  const { sql, read } = turn
  const own = await read(sql<{ channel_id: string }[]>`
    select channel_id from learning.channel_editors
     where tenant_id = ${tenant_id} and user_id = ${user_id}
     order by created_at desc, channel_id desc limit ${SEARCHED}`)
  const rows = await read(
    readLearners(
      sql,
      tenant_id,
      own.map(({ channel_id }) => channel_id),
    ),
  )
  const worst = [...Map.groupBy(rows, ({ channel_id }) => channel_id).values()]
    .flatMap((learners) => {
      const [{ channel_id, channel_title } = { channel_id: '', channel_title: '' }] = learners
      return risksIn(learners).map((one) => ({ ...one, channel_id, channel_title }))
    })
    .filter(({ risk }) => risk >= NEEDS_HELP)
    .toSorted((a, b) => b.risk - a.risk || (a.channel_id + a.user_id < b.channel_id + b.user_id ? -1 : 1))
  return withNames(names, tenant_id, worst.slice(0, BEHIND))
}

const weekAhead = (sql: Lane, { tenant_id, user_id }: Viewer) => sql<Event[]>`
  with episode as (
    select e.id, e.title, e.status, e.release_at, c.id as channel_id, c.title as channel_title
      from learning.channel_editors x
      join learning.channels c on c.tenant_id = x.tenant_id and c.id = x.channel_id
       and c.deleted_at is null and c.status = 'published'
      join learning.episodes e on e.tenant_id = c.tenant_id and e.channel_id = c.id
       and e.deleted_at is null and e.status = 'published'
     where x.tenant_id = ${tenant_id} and x.user_id = ${user_id})
  select ahead.kind, ahead.at, ahead.id, ahead.title, episode.id as episode_id, episode.channel_id,
         episode.channel_title
    from episode
    join lateral (
      select 'homework_due' as kind, h.due_at as at, h.id, h.title from learning.homework h
       where h.tenant_id = ${tenant_id} and h.episode_id = episode.id and h.deleted_at is null and h.status = 'published'
      union all
      select moment.kind, moment.at, t.id, t.title
        from learning.tests t,
             lateral (values ('test_opens', t.opens_at), ('test_closes', t.closes_at)) as moment(kind, at)
       where t.tenant_id = ${tenant_id} and t.episode_id = episode.id and t.deleted_at is null and t.status = 'published'
      union all
      select 'episode_released', episode.release_at, episode.id, episode.title) as ahead
      on ahead.at > statement_timestamp() and ahead.at <= statement_timestamp() + interval '7 days'
   order by ahead.at, ahead.kind, ahead.id limit ${WEEK}`
