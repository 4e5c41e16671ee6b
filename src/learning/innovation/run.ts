import { type Static, Type } from 'typebox'
import { type Database, one, type Tx } from '#foundation/database/database.ts'
import { badRequest, notFound } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { Nullable, OneOf, Uuid } from '#foundation/http/schemas.ts'
import type { Viewer } from '../access/access.ts'
import { contentFindings } from './content.ts'
import { engagementFindings } from './engagement.ts'
import { AGENT_TYPES, type AgentType, type Finding } from '../finding.ts'
import type { Model } from '../language-model/model.ts'
import { type Recorded, recordFindings } from './record.ts'

export const RunBody = Type.Object({
  channel_id: Type.Optional(Nullable(Uuid)),
  use_model: Type.Optional(Nullable(Type.Boolean())),
})
export type RunBody = Static<typeof RunBody>

export type RunResult = Static<typeof RunResult>
export const RunResult = Type.Object({
  run_id: Uuid,
  agent_type: OneOf([...AGENT_TYPES]),
  mode: OneOf(['llm', 'heuristic']),
  created: Type.Integer(),
  refreshed: Type.Integer(),
  expired: Type.Integer(),
  duration_ms: Type.Integer(),
  llm_error: Nullable(Type.String()),
})

/** Channels per run, and per batch; the batch bounds the memory. */
const CHANNELS = 500
const TOGETHER = 25
/** A run answers within 30 s, so it reads channels for at most this long. The next run continues with the others. */
const SECONDS_TO_LOOK = 15
/** Seconds. An older run that has not finished died with its process. */
const LONGEST_RUN = 60

const FIND: Record<AgentType, typeof contentFindings> = {
  content: contentFindings,
  engagement: engagementFindings,
}

/**
 * Runs an agent over one channel, or over the tenant's live channels: 500 per run, the last changed first, the others
 * next time. It only creates suggestions. 404 for an unknown channel, 400 while the same agent is running.
 */
export async function runAgent(
  db: Database,
  model: Model | undefined,
  { tenant_id }: Viewer,
  agent: AgentType,
  { channel_id, use_model }: RunBody,
): Promise<RunResult> {
  const started = performance.now()
  const run_id = newId()
  const run = await begin(db, tenant_id, agent, run_id)
  try {
    const channels = channel_id
      ? [await liveChannel(db, tenant_id, channel_id.toLowerCase())]
      : await nextChannels(db, tenant_id, run)
    const sum: Recorded = { created: 0, refreshed: 0, expired: 0 }
    const add = (part: Recorded) => {
      for (const name of ['created', 'refreshed', 'expired'] as const) sum[name] += part[name]
    }
    let looked = 0
    const findings: Finding[] = []
    do {
      const ids = channels.slice(looked, looked + TOGETHER).map(({ id }) => id)
      const found = await FIND[agent](db.pool, tenant_id, ids)
      add(await recordRun(db, agent, { tenant_id, run_id }, ids, found))
      findings.push(...found)
      looked += ids.length
    } while (looked < channels.length && performance.now() - started < SECONDS_TO_LOOK * 1_000)

    const drafting = use_model === false ? undefined : model
    const ids = channels.slice(0, looked).map(({ id }) => id)
    const drafted = await drafting?.draft(agent, tenant_id, ids, findings)
    if (drafted && drafted.findings.length > 0)
      add(await db.transaction((tx) => recordDrafts(tx, agent, { tenant_id, run_id }, drafted.findings)))
    const last = channels.length > looked || channels.length === CHANNELS ? channels[looked - 1] : undefined
    await end(
      db,
      tenant_id,
      agent,
      run_id,
      channel_id ? run : { next_before: last?.updated_at ?? null, next_id: last?.id ?? null },
    )
    return {
      run_id,
      agent_type: agent,
      mode: drafted?.answered ? 'llm' : 'heuristic',
      ...sum,
      duration_ms: Math.round(performance.now() - started),
      llm_error: drafted?.error ?? null,
    }
  } catch (error) {
    await abandon(db, tenant_id, agent, run_id)
    throw error
  }
}

const recordRun = (
  db: Database,
  agent: AgentType,
  run: { tenant_id: string; run_id: string },
  ids: string[],
  found: Finding[],
) => db.transaction((tx) => recordFindings(tx, agent, run, ids, found))

/** Drafts cover no channel, so they expire no other suggestion. */
const recordDrafts = (
  tx: Tx,
  agent: AgentType,
  run: { tenant_id: string; run_id: string },
  found: Finding[],
) => recordFindings(tx, agent, run, [], found)

type Place = { next_before: string | null; next_id: string | null }

/** Takes the lease: one run per tenant and agent at a time. A lease of a dead run ends after LONGEST_RUN. */
async function begin(db: Database, tenant_id: string, agent: AgentType, run_id: string): Promise<Place> {
  const [run] = await db.pool<Place[]>`
    insert into learning.agent_runs as r (tenant_id, agent_type, run_id) values (${tenant_id}, ${agent}, ${run_id})
    on conflict (tenant_id, agent_type) do update
       set run_id = excluded.run_id, started_at = clock_timestamp(), finished_at = null
     where r.finished_at is not null or r.started_at < clock_timestamp() - make_interval(secs => ${LONGEST_RUN})
    returning next_before, next_id`
  if (!run) throw badRequest('already_running', 'This agent is already running')
  return run
}

const end = (db: Database, tenant_id: string, agent: AgentType, run_id: string, place: Place) => db.pool`
  update learning.agent_runs
     set finished_at = clock_timestamp(), last_run_at = clock_timestamp(), next_before = ${place.next_before},
         next_id = ${place.next_id}
   where tenant_id = ${tenant_id} and agent_type = ${agent} and run_id = ${run_id}`

/**
 * Releases the lease, so that the next run need not wait. What the failed run recorded stays, because each part is one
 * transaction.
 */
const abandon = (db: Database, tenant_id: string, agent: AgentType, run_id: string) =>
  db.pool`
    update learning.agent_runs set finished_at = clock_timestamp()
     where tenant_id = ${tenant_id} and agent_type = ${agent} and run_id = ${run_id}`.catch(() => {})

type Channel = { id: string; updated_at: string }

async function liveChannel(db: Database, tenant_id: string, channel_id: string): Promise<Channel> {
  const found = await db.fast<Channel[]>`
    select id, updated_at from learning.channels
     where tenant_id = ${tenant_id} and id = ${channel_id} and deleted_at is null`
  if (found.length === 0) throw notFound('Channel')
  return one(found)
}

const nextChannels = (db: Database, tenant_id: string, { next_before, next_id }: Place) => db.pool<Channel[]>`
  select id, updated_at from learning.channels
   where tenant_id = ${tenant_id} and deleted_at is null
     ${next_before === null ? db.pool`` : db.pool`and (updated_at, id) < (${next_before}, ${next_id})`}
   order by updated_at desc, id desc limit ${CHANNELS}`
