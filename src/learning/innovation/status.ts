import { type Static, Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import { Nullable, OneOf, Time } from '#foundation/http/schemas.ts'
import type { Viewer } from '../access/access.ts'
import type { Model } from '../language-model/model.ts'
import { countPending } from './suggestion.ts'

const AgentStatus = Type.Object({ last_run_at: Nullable(Time), pending: Type.Integer() })

export type InnovationStatus = Static<typeof InnovationStatus>
export const InnovationStatus = Type.Object({
  configured: Type.Boolean(),
  mode: OneOf(['llm', 'heuristic']),
  provider_host: Nullable(Type.String()),
  model: Nullable(Type.String()),
  last_success_at: Nullable(Time),
  last_error: Nullable(Type.String()),
  can_run: Type.Boolean(),
  can_review: Type.Boolean(),
  agents: Type.Object({ content: AgentStatus, engagement: AgentStatus }),
})

/**
 * Whether a model is configured and works, and how many suggestions are pending. It never tells key, path and port of
 * the model server, and its errors only to an ADMIN. `pending` counts what the caller may list.
 */
export async function innovationStatus(
  db: Database,
  model: Model | undefined,
  viewer: Viewer,
): Promise<InnovationStatus> {
  const [runs, pending] = await Promise.all([
    db.fast<{ agent_type: string; last_run_at: string | null }[]>`
      select agent_type, last_run_at from learning.agent_runs where tenant_id = ${viewer.tenant_id} order by agent_type`,
    countPending(db, viewer),
  ])
  const known = model?.status()
  const agent = (type: string) => ({
    last_run_at: runs.find(({ agent_type }) => agent_type === type)?.last_run_at ?? null,
    pending: pending.get(type) ?? 0,
  })
  return {
    configured: known !== undefined,
    mode: known ? 'llm' : 'heuristic',
    provider_host: known?.provider_host ?? null,
    model: known?.model ?? null,
    last_success_at: known?.last_success_at ?? null,
    last_error: viewer.is_admin ? (known?.last_error ?? null) : null,
    can_run: viewer.is_admin,
    can_review: viewer.is_admin,
    agents: { content: agent('content'), engagement: agent('engagement') },
  }
}
