import { createHash } from 'node:crypto'

export const AGENT_TYPES = ['content', 'engagement'] as const
export type AgentType = (typeof AGENT_TYPES)[number]
export const SEVERITIES = ['info', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]
export const TARGET_TYPES = ['channel', 'episode', 'video', 'homework', 'test', 'question'] as const

/** What a finding is about. A video is named by its episode. */
export type Target = { type: (typeof TARGET_TYPES)[number]; id: string; title: string }

/** One thing an agent noticed, before it is known whether it is new. */
export type Finding = {
  kind: string
  severity: Severity
  title: string
  body: string
  /** The numbers the finding rests on. */
  evidence: Record<string, unknown>
  channel_id: string
  target: Target
  /** Tells findings of one kind about one target apart, such as the option of a question. */
  item?: string
  /** What the editor's own POST or PUT of the target would take. */
  patch?: object
  /** 0..1 */
  confidence: number
  /** How bad it is; more is worse. A rejected finding comes back early when this has grown by a fifth. */
  metric?: number
  /** The model that wrote it; without one it was computed. */
  model?: string
}

/** The same finding has the same one in every run. */
export const fingerprintOf = (
  agent: AgentType,
  { kind, target, item = '' }: Pick<Finding, 'kind' | 'target' | 'item'>,
): string => createHash('sha256').update([agent, kind, target.type, target.id, item].join('\0')).digest('hex')

/** Ratios are evidence to four decimals: more would only look exact. */
export const rounded = (value: number) => Math.round(value * 10_000) / 10_000
