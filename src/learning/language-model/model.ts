import type { AgentType, Finding } from '../finding.ts'

export type Drafted = {
  findings: Finding[]
  /** The model gave at least one usable answer. */
  answered: boolean
  /** One sentence about the failure, without addresses or keys. */
  error: string | null
}

export type ModelStatus = {
  provider_host: string
  model: string
  last_success_at: string | null
  last_error: string | null
}

/** The model server of the operator (`LLM_BASE_URL` and `LLM_MODEL`). */
export type Model = {
  /** Drafts suggestions for these channels from the computed `findings`. Never throws; ends within 22 s. */
  draft: (
    agent: AgentType,
    tenant_id: string,
    channel_ids: string[],
    findings: readonly Finding[],
  ) => Promise<Drafted>
  status: () => ModelStatus
}
