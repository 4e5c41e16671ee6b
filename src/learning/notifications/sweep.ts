import { createHash } from 'node:crypto'
import { type Database, type Tx, violates } from '#foundation/database/database.ts'
import type { Handlers } from '#foundation/jobs/attempt.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'
import type { Logger } from '#foundation/log.ts'
import { mailSoon, type Told, wantedBy } from './notify.ts'

const SWEEP_JOB = 'learning.notification_sweep'
/** Seconds between two looks at what is due and what is new. */
const EVERY = 300
const KEPT_DAYS = 90
const BATCH = 10_000

export const sweepJobs = (db: Database): Handlers => ({
  [SWEEP_JOB]: async () => {
    await tellOfTime(db)
    await deleteOld(db)
  },
})

/** Queues the sweep at each turn of five minutes until stopped. Whichever process comes first writes the job. */
export function startSweeps(db: Database, log: Logger): { stop: () => Promise<void> } {
  let running = Promise.resolve()
  const timer = setInterval(() => {
    running = queueSweep(db).catch((err: unknown) => log.error({ err }, 'the next turn queues it again'))
  }, EVERY * 1_000).unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}

/** The id of the job is that of its turn, so a second process finds it queued. */
async function queueSweep(db: Database): Promise<void> {
  const turn = Math.floor(Date.now() / (EVERY * 1_000))
  const hex = createHash('sha256').update(`${SWEEP_JOB}/${turn}`).digest('hex')
  const job_id = [8, 12, 16, 20, 32].map((end, at, ends) => hex.slice(ends[at - 1] ?? 0, end)).join('-')
  try {
    await db.transaction((tx) =>
      enqueue(tx, [{ job_id, kind: SWEEP_JOB, payload: {}, delays: [30, 60], lease_seconds: 120 }]),
    )
  } catch (error) {
    if (!violates(error, 'jobs_pkey')) throw error
  }
}

/** Tells of work that is due within 24 hours, and of episodes that came out since the last look. */
export async function tellOfTime(db: Database): Promise<void> {
  const tenants = await db.pool<{ tenant_id: string }[]>`
    select tenant_id from learning.channel_counts order by tenant_id`
  const tenant_ids = tenants.map(({ tenant_id }) => tenant_id)
  await db.transaction(async (tx) => mailSoon(tx, await tellOfDueWork(tx, tenant_ids)))
  await db.transaction(async (tx) => mailSoon(tx, await tellOfEpisodes(tx, tenant_ids)))
}

/** Once per person and work: learners who have handed in nothing there, or finished no attempt. */
const tellOfDueWork = (tx: Tx, tenant_ids: string[]) => tx<Told[]>`
  with work as (
    select h.tenant_id, h.episode_id, h.id, null as user_id from learning.homework h
     where h.tenant_id = any(${tenant_ids}) and h.deleted_at is null and h.status = 'published'
       and h.due_at > statement_timestamp() and h.due_at <= statement_timestamp() + interval '24 hours'
    union all
    select t.tenant_id, t.episode_id, t.id, null from learning.tests t
     where t.tenant_id = any(${tenant_ids}) and t.deleted_at is null and t.status = 'published'
       and t.closes_at > statement_timestamp() and t.closes_at <= statement_timestamp() + interval '24 hours'
       and (t.opens_at is null or t.opens_at <= statement_timestamp())
    union all
    -- Those who have longer than the others are told of their own deadline.
    select d.tenant_id, coalesce(h.episode_id, t.episode_id), d.work_id, d.user_id
      from learning.deadlines d
      left join learning.homework h
        on h.tenant_id = d.tenant_id and h.id = d.work_id and h.deleted_at is null and h.status = 'published'
       and h.due_at < d.until
      left join learning.tests t
        on t.tenant_id = d.tenant_id and t.id = d.work_id and t.deleted_at is null and t.status = 'published'
       and t.closes_at < d.until and (t.opens_at is null or t.opens_at <= statement_timestamp())
     where d.tenant_id = any(${tenant_ids})
       and d.until > statement_timestamp() and d.until <= statement_timestamp() + interval '24 hours'
       and (h.id is not null or t.id is not null))
  insert into learning.notifications (
    tenant_id, user_id, kind, channel_id, episode_id, target_id, is_hidden, is_to_mail)
  select n.tenant_id, n.user_id, 'due', c.id, e.id, work.id, not wanted.in_page, wanted.by_mail
    from work
    join learning.episodes e
      on e.tenant_id = work.tenant_id and e.id = work.episode_id and e.deleted_at is null
     and learning.is_released(e.status, e.release_at)
    join learning.channels c
      on c.tenant_id = e.tenant_id and c.id = e.channel_id and c.deleted_at is null and c.status = 'published'
    join learning.enrollments n on n.tenant_id = c.tenant_id and n.channel_id = c.id and not n.as_admin
     and n.user_id = coalesce(work.user_id, n.user_id),
         ${wantedBy(tx, tx`n.tenant_id`, tx`n.user_id`, tx`'due'`)}
   where (work.user_id is not null or not exists (
           select from learning.deadlines d
            where d.tenant_id = n.tenant_id and d.work_id = work.id and d.user_id = n.user_id
              and d.until > statement_timestamp() + interval '24 hours'))
     and not learning.is_editor(n.tenant_id, n.user_id, n.channel_id)
     and not exists (
           select from learning.submissions s
            where s.tenant_id = n.tenant_id and s.homework_id = work.id and s.user_id = n.user_id and s.is_current
              and s.status <> 'returned')
     and not exists (
           select from learning.attempts a
            where a.tenant_id = n.tenant_id and a.test_id = work.id and a.user_id = n.user_id
              and learning.attempt_status(a.status, a.expires_at) <> 'open')
  on conflict do nothing
  returning tenant_id, is_to_mail`

/** All new episodes of a channel are one notification, about the first of them. */
const tellOfEpisodes = (tx: Tx, tenant_ids: string[]) => tx<Told[]>`
  with untold as (
    select e.tenant_id, e.id from learning.episodes e
      join learning.channels c
        on c.tenant_id = e.tenant_id and c.id = e.channel_id and c.deleted_at is null and c.status = 'published'
     where e.tenant_id = any(${tenant_ids}) and e.announced_at is null and e.deleted_at is null
       and e.status = 'published' and learning.is_released(e.status, e.release_at)
     order by e.tenant_id, e.id limit ${BATCH}
       for no key update of e skip locked),
  fresh as (
    update learning.episodes e set announced_at = statement_timestamp()
      from untold where e.tenant_id = untold.tenant_id and e.id = untold.id
    returning e.tenant_id, e.channel_id, e.id, e.position, greatest(e.updated_at, e.release_at) as out_at),
  news as (
    select tenant_id, channel_id, count(*)::int as count, (array_agg(id order by position, id))[1] as episode_id,
           max(out_at) as out_at
      from fresh group by tenant_id, channel_id)
  insert into learning.notifications (
    tenant_id, user_id, kind, channel_id, episode_id, target_id, count, is_hidden, is_to_mail)
  select n.tenant_id, n.user_id, 'episode', n.channel_id, news.episode_id, news.episode_id, news.count,
         not wanted.in_page, wanted.by_mail
    from news
    join learning.enrollments n
      on n.tenant_id = news.tenant_id and n.channel_id = news.channel_id and not n.as_admin
     and n.enrolled_at < news.out_at,
         ${wantedBy(tx, tx`n.tenant_id`, tx`n.user_id`, tx`'episode'`)}
   where not learning.is_editor(n.tenant_id, n.user_id, n.channel_id)
  on conflict do nothing
  returning tenant_id, is_to_mail`

/** Deletes what is older than 90 days, in batches small enough not to block others. */
async function deleteOld(db: Database): Promise<void> {
  for (;;) {
    const gone = await db.pool`
      delete from learning.notifications n
       using (select tenant_id, user_id, id from learning.notifications
               where tenant_id = any(array(select tenant_id from learning.channel_counts))
                 and created_at < statement_timestamp() - make_interval(days => ${KEPT_DAYS})
               limit ${BATCH}) as old
       where n.tenant_id = old.tenant_id and n.user_id = old.user_id and n.id = old.id`
    if (gone.count < BATCH) return
  }
}
