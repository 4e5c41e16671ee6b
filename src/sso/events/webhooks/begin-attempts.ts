import type { Database } from '#foundation/database.ts'
import { type Job } from '#foundation/jobs/jobs.ts'
import { needsNoFlush } from '#foundation/jobs/leases.ts'
import type { HostRate } from './host-rate.ts'

export type Due = {
  delivery_id: string
  event_id: string
  event_type: string
  webhook_id: string
  site_id: string
  environment: 'sandbox' | 'production'
  body: string | null
  url: string
  is_gone: boolean
  /** Active, and confirmed unless this is a ping. */
  is_open: boolean
  is_urgent: boolean
  is_failing: boolean
  secret_enc: Buffer
  secret_old_enc: Buffer | null
  /** The new secret does not sign X-SSO-Signature yet. */
  is_before_switch: boolean
  /** Its host has had what it may have: nothing is sent now. */
  wait_ms?: number
}

export type BeginParts = { rate: HostRate; hostOf: (url: string) => string }

export const isGone = ({ is_gone, body }: Due) => is_gone || body === null

/**
 * Reads what is due, finds out which of it may leave now, and notes that those attempts begin. A delivery that is no more has
 * nothing left to do.
 */
export async function beginAttempts(db: Database, jobs: readonly Job[], { rate, hostOf }: BeginParts) {
  const due = await readDue(db, jobs)
  const sending = due.filter((one) => one.is_open && !isGone(one))
  const waits = await rate.take(
    sending.map(({ delivery_id, url, is_urgent }) => ({
      delivery_id,
      host: hostOf(url),
      isUrgent: is_urgent,
    })),
  )
  const beginning = due.filter((one) => (one.is_open || isGone(one)) && !waits.has(one.delivery_id))
  await noteBegin(db, jobs, new Set(beginning.map(({ delivery_id }) => delivery_id)))
  return due.map((one) => {
    const wait_ms = waits.get(one.delivery_id)
    return wait_ms === undefined ? one : { ...one, wait_ms }
  })
}

/** The eldest first. */
const readDue = ({ pool }: Database, jobs: readonly Job[]): Promise<Due[]> =>
  pool<Due[]>`
    select d.delivery_id, d.event_id, d.event_type, d.webhook_id, i.site_id, i.environment,
           convert_from(e.body, 'UTF8') as body, w.url,
           w.deleted_at is not null or i.deleted_at is not null as is_gone,
           w.status = 'active' and (w.confirmed_at is not null or d.event_type = 'ping') as is_open,
           j.priority = 0 as is_urgent, w.consecutive_failures > 0 as is_failing, i.webhook_secret_enc as secret_enc,
           case when i.webhook_switch_at + interval '24 h' > statement_timestamp()
                then i.webhook_secret_old_enc end as secret_old_enc,
           coalesce(i.webhook_switch_at > statement_timestamp(), false) as is_before_switch
      from foundation.jobs j
      join sso.webhook_deliveries d on d.delivery_id = j.job_id
      join sso.webhook_events e using (event_id)
      join sso.webhook_endpoints w using (webhook_id)
      join sso.sites i on i.site_id = w.site_id
     where j.job_id = any(${jobs.map(({ job_id }) => job_id)}::uuid[]) and d.state = 'pending'
     order by j.priority, j.run_at, j.job_id`

async function noteBegin({ pool }: Database, jobs: readonly Job[], beginning: ReadonlySet<string>) {
  const begun = jobs.filter(({ job_id }) => beginning.has(job_id))
  if (begun.length === 0) return
  await pool`
    insert into sso.webhook_attempts (delivery_id, claim)
    select delivery_id, claim
      from unnest(${begun.map(({ job_id }) => job_id)}::uuid[], ${begun.map(({ claims }) => claims)}::int[])
             as j (delivery_id, claim)
     where ${needsNoFlush(pool)}
    on conflict (delivery_id, claim) do update set started_at = clock_timestamp(), finished_at = null`
}
