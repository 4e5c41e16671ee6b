import type { Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { cutAt } from '#foundation/web/client/cut.ts'
import { type AgentType, type Finding, fingerprintOf, SEVERITIES } from '../finding.ts'

export type Recorded = { created: number; refreshed: number; expired: number }

/**
 * The maximum of open suggestions per kind and channel: 80 videos without captions are one problem, not 80. The others
 * follow when these are closed.
 */
const MAX_OPEN = 10
/** A rejected finding is suppressed for this many days, unless its metric has grown by this factor. */
const SILENT_DAYS = 30
const WORSE = 1.2

/**
 * Turns findings into suggestions with set-based SQL. Open ones get the new evidence, recently rejected ones stay
 * silent. A changed patch makes a new one, because somebody may be reviewing the old. A pending one of a covered
 * channel expires when not found again; a model's expires when its target is gone or has changed.
 */
export async function recordFindings(
  tx: Tx,
  agent: AgentType,
  { tenant_id, run_id }: { tenant_id: string; run_id: string },
  channel_ids: string[],
  findings: Finding[],
): Promise<Recorded> {
  // The list shows the newest first, so the most severe findings are inserted last.
  const rows = findings
    .map((finding, place) => ({ ...finding, place, fingerprint: fingerprintOf(agent, finding) }))
    .toSorted((a, b) => pressing(a) - pressing(b) || b.place - a.place)
    .map((finding) => ({ ...finding, new_id: newId() }))
  const found = tx`
    jsonb_to_recordset(${JSON.stringify(rows.map(columnsOf))}::text::jsonb) as found(
      new_id uuid, fingerprint text, kind text, severity text, title text, body text, evidence jsonb, channel_id uuid,
      target_type text, target_id uuid, target_title text, patch jsonb, confidence numeric, metric numeric, model text, place int)`
  const replaced = await tx`
    update learning.suggestions s set status = 'expired', updated_at = clock_timestamp()
      from ${found}
     where s.tenant_id = ${tenant_id} and s.fingerprint = found.fingerprint and s.status in ('pending', 'approved')
       and s.patch is distinct from found.patch`
  const refreshed = await tx`
    with known as materialized (
      select s.id, found.*, learning.target_stamp(${tenant_id}, found.target_type, found.target_id) as stamp
        from ${found}
        join learning.suggestions s
          on s.tenant_id = ${tenant_id} and s.fingerprint = found.fingerprint and s.status in ('pending', 'approved'))
    update learning.suggestions s
       set severity = known.severity, title = known.title, body = known.body, evidence = known.evidence,
           target_title = known.target_title, patch = known.patch, confidence = known.confidence,
           metric = known.metric, model = known.model, run_id = ${run_id}, updated_at = clock_timestamp(),
           target_stamp = known.stamp
      from known
     where s.tenant_id = ${tenant_id} and s.id = known.id and s.status in ('pending', 'approved') and known.stamp is not null`
  const created = await tx`
    with silent as materialized (
      select s.fingerprint from ${found}
        join learning.suggestions s on s.tenant_id = ${tenant_id} and s.fingerprint = found.fingerprint
       where s.status in ('pending', 'approved')
          or (s.status = 'rejected' and s.reviewed_at > statement_timestamp() - make_interval(days => ${SILENT_DAYS})
              and coalesce(found.metric < s.metric * ${WORSE}, true))),
    open as materialized (
      select s.channel_id, s.kind, count(*) as number from learning.suggestions s
       where s.tenant_id = ${tenant_id} and s.channel_id = any(${findings.map(({ channel_id }) => channel_id)})
         and s.status in ('pending', 'approved')
       group by s.channel_id, s.kind),
    fresh as materialized (
      select found.*, row_number() over (partition by found.channel_id, found.kind order by found.place) as number
        from ${found} where found.fingerprint not in (select fingerprint from silent)),
    chosen as materialized (
      select fresh.*, learning.target_stamp(${tenant_id}, fresh.target_type, fresh.target_id) as stamp
        from fresh left join open using (channel_id, kind)
       where fresh.number + coalesce(open.number, 0) <= ${MAX_OPEN})
    insert into learning.suggestions (
      tenant_id, id, agent_type, kind, severity, title, body, evidence, channel_id, target_type, target_id, target_title,
      target_stamp, patch, confidence, source, model, run_id, fingerprint, metric)
    select ${tenant_id}, new_id, ${agent}, kind, severity, title, body, evidence, channel_id, target_type, target_id,
           target_title, stamp, patch, confidence, case when model is null then 'heuristic' else 'llm' end, model, ${run_id},
           fingerprint, metric
      from chosen where stamp is not null order by new_id
    on conflict (tenant_id, fingerprint) where status in ('pending', 'approved') do nothing`
  const expired = await tx`
    update learning.suggestions s set status = 'expired', updated_at = clock_timestamp(),
           -- What is settled need not name anybody any longer.
           evidence = case jsonb_typeof(s.evidence -> 'learners') when 'array' then s.evidence - 'learners' else s.evidence end
     where s.tenant_id = ${tenant_id} and s.agent_type = ${agent} and s.status = 'pending'
       and case when s.channel_id <> all(${channel_ids})
                then not exists (select from learning.channels c
                                  where c.tenant_id = ${tenant_id} and c.id = s.channel_id and c.deleted_at is null)
                when s.source = 'heuristic' then s.fingerprint <> all(${rows.map(({ fingerprint }) => fingerprint)})
                else learning.target_stamp(s.tenant_id, s.target_type, s.target_id) is distinct from s.target_stamp end`
  return { created: created.count, refreshed: refreshed.count, expired: replaced.count + expired.count }
}

const pressing = ({ severity }: Finding) => SEVERITIES.indexOf(severity)

const columnsOf = ({ target, ...finding }: Finding & { new_id: string; fingerprint: string }) => ({
  patch: null,
  metric: null,
  model: null,
  ...finding,
  title: cutAt(finding.title, 200),
  body: cutAt(finding.body, 4_000),
  target_type: target.type,
  target_id: target.id,
  target_title: target.title,
})
