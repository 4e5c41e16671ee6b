import type { AgentType, Finding } from '../finding.ts'

/** What a model contributed to a run. */
export type Drafted = {
  findings: Finding[]
  /** The model gave at least one usable answer. */
  answered: boolean
  /** One sentence about what went wrong, without addresses or keys. */
  error: string | null
}

export type ModelStatus = {
  provider_host: string
  model: string
  last_success_at: string | null
  last_error: string | null
}

/** The operator's model server, if there is one (`LLM_BASE_URL` and `LLM_MODEL`). */
export type Model = {
  /** Suggestions for these channels; `findings` is what was computed about them. Never throws, ends within 22 s. */
  draft: (
    agent: AgentType,
    tenant_id: string,
    channel_ids: string[],
    findings: readonly Finding[],
  ) => Promise<Drafted>
  status: () => ModelStatus
}
