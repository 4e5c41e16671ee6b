import type { Tx } from '#foundation/database/database.ts'
import type { Handlers } from '#foundation/jobs/attempt.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'
import { openOutbound } from '#foundation/outbound/outbound.ts'
import type { SsoParts } from '../../core/parts.ts'
import { SCHEDULES } from '../facts/events.ts'
import { createLogoutTokens } from './logout-token.ts'
import { outboundPolicies } from './policy.ts'

const KIND = 'openid.logout'

type Ended = { session_id: string; site_id: string; logout_uri: string | null }

/**
 * Queues the logout calls to OpenID clients, in the transaction that ends the sessions. One call per session, because a
 * logout token names one. The job holds only ids; the URI and the rest are read when it runs.
 */
export async function tellClients(tx: Tx, user_id: string, ended: readonly Ended[]): Promise<void> {
  const told = ended.filter(({ logout_uri }) => logout_uri !== null)
  await enqueue(
    tx,
    told.map(({ session_id, site_id }) => ({
      kind: KIND,
      payload: { session_id, site_id, user_id },
      delays: SCHEDULES.back_channel,
      priority: 0,
    })),
  )
}

type Client = { site_code: string; environment: 'sandbox' | 'production'; uri: string }

/** Posts the logout token as a form (OpenID Connect Back-Channel Logout 1.0, section 2.5); any 2xx is a success. */
export function openBackChannel(parts: SsoParts): { handlers: Handlers; close: () => Promise<void> } {
  const sign = createLogoutTokens(parts.ring, parts.tokens)
  const outbound = openOutbound()
  const policyFor = outboundPolicies(parts)
  return {
    handlers: {
      [KIND]: async ({ db, job }) => {
        const [site_id, session_id, sso_subject_id] = ['site_id', 'session_id', 'user_id'].map((name) =>
          String(job.payload[name]),
        ) as [string, string, string]
        const [client] = await db.fast<Client[]>`
          select i.site_code, i.environment, c.backchannel_logout_uri as uri
            from sso.openid_clients c join sso.sites i using (site_id)
           where c.site_id = ${site_id} and c.backchannel_logout_uri is not null and i.deleted_at is null`
        if (!client) return undefined
        const { uri, ...site } = client
        const logout_token = await sign({ ...site, sso_subject_id, session_ids: [session_id] })
        const reply = await outbound.send({
          url: uri,
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ logout_token }).toString(),
          policy: policyFor(site.environment),
          partition: site_id,
        })
        const isHeard = reply.ok && reply.status >= 200 && reply.status < 300
        return isHeard ? undefined : { error: reply.ok ? `status ${reply.status}` : reply.error }
      },
    },
    close: () => outbound.close(),
  }
}
