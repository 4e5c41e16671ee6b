import type { Letter } from '#foundation/security/session-gate.ts'
import { languageOf } from '#foundation/web/client/texts.ts'
import { queueMessage } from '../../core/messages/queue.ts'
import type { SsoParts } from '../../core/parts.ts'
import { isEmailVerified } from '../person/email-claims.ts'

type Addressee = {
  email: string
  environment: 'sandbox' | 'production'
  locale: string | null
  site_id: string
  is_sent: boolean
}

/**
 * Queues a letter of a sibling service as mail. Only verified addresses get one: otherwise an account on the address
 * of a stranger would let its teacher write to them. False when nobody can be written to.
 */
export async function sendLetter(
  { database, keys }: Pick<SsoParts, 'database' | 'keys'>,
  { letter_id, tenant_id, user_id, bodies, unsubscribe_url }: Letter,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const [person] = await tx<Addressee[]>`
      select u.email, u.environment, u.locale, here.site_id,
             exists (select from sso.messages where message_id = ${letter_id}) as is_sent
        from sso.users u
        join lateral (
          select m.site_id from sso.memberships m join sso.sites i using (site_id)
           where m.user_id = u.user_id and i.tenant_id = ${tenant_id} and i.deleted_at is null and m.suspended_at is null
           order by m.joined_at, m.site_id limit 1) as here on true
       where u.user_id = ${user_id} and u.status = 'active' and u.email is not null
         and ${isEmailVerified(tx, tenant_id)}`
    if (!person) return false
    if (person.is_sent) return true
    const { email: recipient, environment, site_id } = person
    const language = languageOf(person.locale)
    const { subject, text } = bodies[language]
    await queueMessage(
      tx,
      { keys },
      {
        message_id: letter_id,
        environment,
        site_id,
        user_id,
        channel: 'email',
        kind: 'learning_letter',
        recipient,
        subject: oneLine(subject),
        text,
        language,
        unsubscribe_url,
      },
    )
    return true
  })
}

/** A line break in a subject would begin a header of the writer's choice. */
const oneLine = (subject: string) => subject.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ').trim()
