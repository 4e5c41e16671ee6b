import type { Tx } from '#foundation/database/database.ts'
import { queueMessage } from '../../core/messages/queue.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { OnDeletionFailed } from '../../events/webhooks/record-attempts.ts'

type Admin = {
  site_id: string
  site_code: string
  environment: 'sandbox' | 'production'
  user_id: string
  email: string
}

/**
 * Mails the ADMINs of sites that a user.account.deleted could not reach, in the transaction that ends its last attempt.
 * At most one mail an hour to each, however many deletions: it says where all of them are listed.
 */
export const notifyOfFailedDeletions =
  ({ keys }: Pick<SsoParts, 'keys'>): OnDeletionFailed =>
  async (tx, deliveries) => {
    const site_ids = [...new Set(deliveries.map(({ site_id }) => site_id))]
    for (const { site_id, site_code, environment, user_id, email } of await listAdmins(tx, site_ids))
      await queueMessage(
        tx,
        { keys },
        {
          environment,
          site_id,
          user_id,
          channel: 'email',
          kind: 'deletion_untold_notice',
          recipient: email,
          ...letter(site_code),
        },
      )
  }

/** The site's environment decides whether mail is sent: a sandbox sends none to anyone. */
const listAdmins = (tx: Tx, site_ids: string[]) => tx<Admin[]>`
  select i.site_id, i.site_code, i.environment, u.user_id, u.email
    from sso.sites i
    join sso.memberships m using (site_id) join sso.roles r using (site_id, role) join sso.users u using (user_id)
   where i.site_id = any(${site_ids}::uuid[]) and i.deleted_at is null and r.is_admin and m.suspended_at is null
     and u.status = 'active'
     and not exists (
       select from sso.messages e
        where e.user_id = u.user_id and e.kind = 'deletion_untold_notice' and e.site_id = i.site_id
          and e.created_at > statement_timestamp() - interval '1 hour')
   order by i.site_id, u.user_id`

const letter = (site_code: string) => ({
  subject: 'Your site was not told of a deleted account',
  text: `You receive this because you are an ADMIN of ${site_code}.

An account was deleted, and the webhook endpoint of ${site_code} did not take the event user.account.deleted at any of four attempts. Your site may still hold data of a person who asked for erasure.

GET /api/v1/webhooks/events?status=failed&event_type=user.account.deleted lists what was not delivered; POST /api/v1/webhooks/events/{event_id}/replay sends it again. GET /api/v1/users/erasures lists everybody your site has to forget.`,
})
