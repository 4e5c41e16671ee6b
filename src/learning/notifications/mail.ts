import type { Database, Tx } from '#foundation/database/database.ts'
import type { Handlers } from '#foundation/jobs/attempt.ts'
import { LANGUAGES, textsIn } from '#foundation/web/client/texts.ts'
import { queueLetters } from '../letters/letters.ts'
import { type Kind, MAIL_JOB } from './notify.ts'
import { NOTIFICATION_TEXTS } from './texts.ts'
import type { Unsubscribe } from './unsubscribe.ts'

const BATCH = 100

/** `base` is the public address of learning, for the links of a mail. */
export type MailParts = { base: string; unsubscribe: Unsubscribe }

/** Hands waiting mails over to the one door for mail, a batch in each transaction. */
export const mailJobs = (db: Database, parts: MailParts): Handlers => ({
  [MAIL_JOB]: async ({ job }) => {
    const tenant_id = String(job.payload['tenant_id'])
    while ((await db.transaction((tx) => handOver(tx, tenant_id, parts))) === BATCH);
  },
})

type Waiting = {
  user_id: string
  kind: Kind
  count: number
  channel_id: string
  channel: string
  episode_id: string
  title: string
  is_visible: boolean
}

/** Returns the number of mails that waited. What its reader cannot see any more is not mailed. */
async function handOver(tx: Tx, tenant_id: string, { base, unsubscribe }: MailParts): Promise<number> {
  const waiting = await tx<Waiting[]>`
    with waiting as (
      select user_id, id from learning.notifications
       where tenant_id = ${tenant_id} and is_to_mail
       order by created_at, id limit ${BATCH}
         for no key update skip locked)
    update learning.notifications n set is_to_mail = false
      from waiting, learning.channels c, learning.episodes e
     where n.tenant_id = ${tenant_id} and n.user_id = waiting.user_id and n.id = waiting.id
       and c.tenant_id = n.tenant_id and c.id = n.channel_id and e.tenant_id = n.tenant_id and e.id = n.episode_id
    returning n.user_id, n.kind, n.count, n.channel_id, c.title as channel, n.episode_id,
              coalesce(
                (select h.title from learning.homework h where h.tenant_id = n.tenant_id and h.id = n.target_id),
                (select t.title from learning.tests t where t.tenant_id = n.tenant_id and t.id = n.target_id),
                e.title) as title,
              c.deleted_at is null and c.status = 'published' and e.deleted_at is null
                and learning.is_released(e.status, e.release_at)
                and (learning.is_enrolled(n.tenant_id, n.user_id, c.id)
                     or learning.is_editor(n.tenant_id, n.user_id, c.id)) as is_visible`
  const letters = waiting
    .filter(({ is_visible }) => is_visible)
    .map((one) => {
      const unsubscribe_url = base + unsubscribe.pathFor({ tenant_id, ...one })
      const bodies = LANGUAGES.map((language) => [language, bodyOf(one, language, base, unsubscribe_url)])
      return {
        kind: `notification_${one.kind}`,
        user_id: one.user_id,
        bodies: Object.fromEntries(bodies),
        unsubscribe_url,
      }
    })
  await queueLetters(tx, tenant_id, letters)
  return waiting.length
}

function bodyOf(one: Waiting, language: (typeof LANGUAGES)[number], base: string, url: string) {
  const { kind, count, title, channel, channel_id, episode_id } = one
  const t = textsIn(NOTIFICATION_TEXTS, language)
  const link = kind === 'graded' ? `${base}/grades` : `${base}/episode?id=${episode_id}&channel=${channel_id}`
  const paragraphs = [t(`${kind}_text`, { title, channel, count }), link, t('why', { channel, url })]
  return { subject: t(kind, { title, channel }), text: paragraphs.join('\n\n') }
}
