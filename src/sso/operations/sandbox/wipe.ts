import { type Static, Type } from 'typebox'
import type { Database, Tx } from '#foundation/database/database.ts'
import { badRequest, forbidden, notFound, unprocessable } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { recordAct } from '../../core/audit/audit.ts'
import { queueForgetting } from '../../lifecycle/erasure/afterwards.ts'
import { requireOperator, requireOperatorNow } from '../../core/access/operator.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { isNoAdmin } from '../retention/sweeps.ts'

export type WipeBody = Static<typeof WipeBody>
export const WipeBody = Type.Object({
  /** Wipes one sandbox site. */
  site_code: Type.Optional(Type.String()),
  /** Wipes the whole sandbox; explicit, so that omitting site_code cannot do it by accident. */
  all: Type.Optional(Type.Literal(true)),
})

export type Wiped = Static<typeof Wiped>
export const Wiped = Type.Object({
  people: Type.Integer(),
  memberships: Type.Integer(),
  sessions: Type.Integer(),
  messages: Type.Integer(),
  events: Type.Integer(),
  imports: Type.Integer(),
  /** False when one call could not finish; repeat the same call to continue. */
  is_done: Type.Boolean(),
})

/** Rows per batch, to keep locks short. */
const BATCH = 1_000
/** Half of a request's limit of thirty seconds. */
const LONGEST_MS = 15_000

type Step = (tx: Tx, site_ids: string[]) => Promise<{ count: number }>

/**
 * Wipes the sandbox or one of its sites: people except ADMINs, memberships, sessions, messages, events, imports. Sites,
 * keys, endpoints, orders and audit log stay; no webhook is sent. Each statement repeats the sandbox condition. 400
 * without a target, 403 for non-operators and production sites, 404 unknown site.
 */
export async function wipeSandbox(
  { database }: Pick<SsoParts, 'database'>,
  caller: Caller,
  { site_code, all }: WipeBody,
  from: Origin,
): Promise<Wiped> {
  requireOperator(caller)
  if (site_code === undefined && all === undefined)
    throw badRequest('missing_field', 'site_code: is required, or all: true', {
      errors: [{ field: 'site_code', code: 'required', message: 'is required, or all: true' }],
    })
  if (site_code !== undefined && all)
    throw unprocessable('all', 'ambiguous', 'must not stand beside site_code')
  const until = performance.now() + LONGEST_MS
  const site_ids = await chooseSites(database, caller, site_code, from)
  const wiped: Wiped = {
    people: 0,
    memberships: 0,
    sessions: 0,
    messages: 0,
    events: 0,
    imports: 0,
    is_done: true,
  }
  for (const [name, step] of Object.entries(STEPS) as [keyof typeof STEPS, Step][])
    for (let count = BATCH; count === BATCH;) {
      if (performance.now() > until) return { ...wiped, is_done: false }
      ;({ count } = await database.transaction((tx) => step(tx, site_ids)))
      wiped[name] += count
    }
  return wiped
}

async function chooseSites(
  database: Database,
  caller: Caller,
  site_code: string | undefined,
  from: Origin,
): Promise<string[]> {
  return database.transaction(async (tx) => {
    await requireOperatorNow(tx, caller)
    const sites = await tx<{ site_id: string; environment: Caller['environment'] }[]>`
      select site_id, environment from sso.sites
       where coalesce(site_code = ${site_code ?? null}, environment = 'sandbox') order by site_id`
    if (site_code !== undefined && sites.length === 0) throw notFound('Site')
    if (sites.some(({ environment }) => environment !== 'sandbox'))
      throw forbidden('sandbox_only', 'Only a sandbox site can be wiped')
    const act = { action: 'sandbox.wiped', environment: 'sandbox', actor_user_id: caller.user_id } as const
    const site_id = site_code === undefined ? null : (sites[0]?.site_id ?? null)
    await recordAct(tx, { ...act, site_id, subject_user_id: null }, from)
    return sites.map((site) => site.site_id)
  })
}

const STEPS: Record<Exclude<keyof Wiped, 'is_done'>, Step> = {
  // People who belong to no other site; their data is deleted by cascade.
  people: async (tx, site_ids) => {
    const people = await tx<{ user_id: string }[]>`
        delete from sso.users where environment = 'sandbox' and user_id = any(array(
          select u.user_id from sso.users u
           where u.environment = 'sandbox' and ${isNoAdmin(tx)}
             and (u.registration_site_id = any(${site_ids}::uuid[])
                  or exists (select from sso.memberships m
                              where m.user_id = u.user_id and m.site_id = any(${site_ids}::uuid[])))
             and not exists (select from sso.memberships m
                              where m.user_id = u.user_id and m.site_id <> all(${site_ids}::uuid[]))
           order by u.user_id limit ${BATCH} for update of u skip locked))
        returning user_id`
    await queueForgetting(
      tx,
      people.map(({ user_id }) => user_id),
    )
    return people
  },

  memberships: (tx, site_ids) => tx`
        delete from sso.memberships m using (
          select m.user_id, m.site_id
            from sso.memberships m join sso.roles r using (site_id, role)
            join sso.sites i on i.site_id = m.site_id and i.environment = 'sandbox'
           where m.site_id = any(${site_ids}::uuid[]) and not r.is_admin
           order by m.user_id, m.site_id limit ${BATCH} for update of m skip locked) as old
         where m.user_id = old.user_id and m.site_id = old.site_id`,

  sessions: (tx, site_ids) => tx`
        delete from sso.sessions where session_id = any(array(
          select s.session_id from sso.sessions s join sso.sites i using (site_id)
           where s.site_id = any(${site_ids}::uuid[]) and i.environment = 'sandbox'
           order by s.session_id limit ${BATCH} for update of s skip locked))`,

  messages: (tx, site_ids) => tx`
    delete from sso.messages where environment = 'sandbox' and message_id = any(array(
      select message_id from sso.messages
       where environment = 'sandbox' and site_id = any(${site_ids}::uuid[])
       order by message_id limit ${BATCH} for update skip locked))`,

  events: (tx, site_ids) => tx`
    delete from sso.webhook_events where event_id = any(array(
      select e.event_id from sso.webhook_events e join sso.sites i using (site_id)
       where e.site_id = any(${site_ids}::uuid[]) and i.environment = 'sandbox'
       order by e.event_id limit ${BATCH} for update of e skip locked))`,

  // A running import is left alone.
  imports: (tx, site_ids) => tx`
    delete from sso.bulk_jobs where job_id = any(array(
      select b.job_id from sso.bulk_jobs b join sso.sites i using (site_id)
       where b.site_id = any(${site_ids}::uuid[]) and i.environment = 'sandbox' and b.finished_at is not null
       order by b.job_id limit ${BATCH} for update of b skip locked))`,
}
