import type { Tx } from '#foundation/database/database.ts'
import type { Deprecation } from '#foundation/http/deprecation.ts'
import { queueMessage } from '../../core/messages/queue.ts'
import type { SsoParts } from '../../core/parts.ts'

type Route = { method: string; url: string; config: { deprecated?: Deprecation } }
type Parts = Pick<SsoParts, 'database' | 'keys'>

/**
 * Mails the ADMINs of all production sites about each deprecated route (docs/api/sso.md, part 9). Each announcement is
 * sent once, even with restarts or concurrent processes.
 */
export async function announceDeprecations(parts: Parts, routes: readonly Route[]): Promise<void> {
  for (const { method, url, config } of routes) {
    const { deprecated } = config
    // The alias under /v1 is the same route.
    if (deprecated && !url.startsWith('/v1/')) await announce(parts, `${method} ${url}`, deprecated)
  }
}

async function announce(parts: Parts, route: string, deprecation: Deprecation) {
  const { since, sunset } = deprecation
  await parts.database.transaction(async (tx) => {
    const [fresh] = await tx`
      insert into sso.deprecation_notices (route, since, sunset) values (${route}, ${since}, ${sunset})
      on conflict do nothing returning route`
    if (!fresh) return
    for (const { user_id, email } of await listAdmins(tx))
      await queueMessage(tx, parts, {
        environment: 'production',
        site_id: null,
        user_id,
        channel: 'email',
        kind: 'deprecation_notice',
        recipient: email,
        ...letterAbout(route, deprecation),
      })
  })
}

const listAdmins = (tx: Tx) => tx<{ user_id: string; email: string }[]>`
  select u.user_id, u.email from sso.users u
   where u.environment = 'production' and u.status = 'active' and exists (
     select from sso.memberships m join sso.roles r using (site_id, role) join sso.sites i using (site_id)
      where m.user_id = u.user_id and m.suspended_at is null and r.is_admin
        and i.environment = 'production' and i.deleted_at is null)
   order by u.user_id`

function letterAbout(route: string, { since, sunset, link, successor }: Deprecation) {
  return {
    subject: `${route} will be removed on ${sunset}`,
    text: `You receive this because you are an ADMIN of a site.

${route} is deprecated since ${since}. It keeps working until ${sunset} and may be removed on that day.
${successor === undefined ? '' : `Use ${successor} instead.\n`}
What to change: ${link}

Until then its answers carry the headers Deprecation and Sunset.
`,
  }
}
