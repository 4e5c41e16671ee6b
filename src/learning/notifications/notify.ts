import type { Lane, Tx } from '#foundation/database/database.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'

export const KINDS = ['graded', 'due', 'episode', 'answer'] as const
export type Kind = (typeof KINDS)[number]

/** What some people are told. `target_id` is the homework, test, episode or question. */
export type News = {
  kind: Kind
  channel_id: string
  episode_id: string
  target_id: string
  user_ids: string[]
}

/** Hands the waiting mails of a tenant over. */
export const MAIL_JOB = 'learning.notification_mail'

/**
 * Tells people in the transaction of what they are told. Left out are those who cannot see it (neither enrolled nor an
 * editor, or the channel or the episode is not published) and those who want to hear of it neither in the page nor by
 * mail. People who are told of the same due work or new episode a second time are left out as well.
 */
export async function notify(tx: Tx, tenant_id: string, news: News): Promise<void> {
  const { kind, channel_id, episode_id, target_id, user_ids } = news
  const told = await tx<Told[]>`
    insert into learning.notifications (
      tenant_id, user_id, kind, channel_id, episode_id, target_id, is_hidden, is_to_mail)
    select ${tenant_id}, person.user_id, ${kind}, c.id, e.id, ${target_id}, not wanted.in_page, wanted.by_mail
      from unnest(${user_ids}::text[]) as person(user_id)
      join learning.channels c
        on c.tenant_id = ${tenant_id} and c.id = ${channel_id} and c.deleted_at is null and c.status = 'published'
      join learning.episodes e
        on e.tenant_id = c.tenant_id and e.channel_id = c.id and e.id = ${episode_id} and e.deleted_at is null
       and learning.is_released(e.status, e.release_at),
           ${wantedBy(tx, tx`${tenant_id}`, tx`person.user_id`, tx`${kind}`)}
     where learning.is_enrolled(${tenant_id}, person.user_id, c.id)
        or learning.is_editor(${tenant_id}, person.user_id, c.id)
    on conflict do nothing
    returning tenant_id, is_to_mail`
  await mailSoon(tx, told)
}

export type Told = { tenant_id: string; is_to_mail: boolean }

/** A lateral join with what a person wants to hear of a kind; no row for a person who wants nothing. */
export const wantedBy = (
  sql: Lane,
  tenant_id: ReturnType<Lane>,
  user_id: ReturnType<Lane>,
  kind: ReturnType<Lane>,
) => sql`
  lateral (
    select coalesce(bool_and(s.in_page), true) as in_page, coalesce(bool_and(s.by_mail), true) as by_mail
      from learning.notification_settings s
     where s.tenant_id = ${tenant_id} and s.user_id = ${user_id} and s.kind = ${kind}
    having coalesce(bool_and(s.in_page or s.by_mail), true)) as wanted`

/** Wakes the hand-over of mails in the tenants where somebody shall get one. */
export async function mailSoon(tx: Tx, told: readonly Told[]): Promise<void> {
  const tenant_ids = new Set(told.filter(({ is_to_mail }) => is_to_mail).map(({ tenant_id }) => tenant_id))
  await enqueue(
    tx,
    [...tenant_ids].map((tenant_id) => ({
      kind: MAIL_JOB,
      payload: { tenant_id },
      delays: [10, 60, 300, 1_800, 7_200],
      lease_seconds: 60,
    })),
  )
}
