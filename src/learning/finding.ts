import { createHash } from 'node:crypto'

export const AGENT_TYPES = ['content', 'engagement'] as const
export type AgentType = (typeof AGENT_TYPES)[number]
export const SEVERITIES = ['info', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]
export const TARGET_TYPES = ['channel', 'episode', 'video', 'homework', 'test', 'question'] as const

/** What a finding is about. The target of a video is its episode. */
export type Target = { type: (typeof TARGET_TYPES)[number]; id: string; title: string }

/** One observation of an agent, before the check whether it is new. */
export type Finding = {
  kind: string
  severity: Severity
  title: string
  body: string
  /** The numbers behind the finding. */
  evidence: Record<string, unknown>
  channel_id: string
  target: Target
  /** Distinguishes findings of one kind about one target, such as by the option of a question. */
  item?: string
  /** What an editor would send in the POST or PUT of the target. */
  patch?: object
  /** From 0 to 1. */
  confidence: number
  /** Severity as a number; higher is worse. A rejected finding returns early when this has grown by a fifth. */
  metric?: number
  /** The model that wrote the finding; absent when it was computed. */
  model?: string
}

/** Equal in every run for the same finding. */
export const fingerprintOf = (
  agent: AgentType,
  { kind, target, item = '' }: Pick<Finding, 'kind' | 'target' | 'item'>,
): string => createHash('sha256').update([agent, kind, target.type, target.id, item].join('\0')).digest('hex')

/** Rounds a ratio to four decimals; more would suggest a precision that the numbers lack. */
export const rounded = (value: number) => Math.round(value * 10_000) / 10_000
