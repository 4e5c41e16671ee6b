import { parseTraceContext, type TraceContext } from './traceparent.ts'

export type Attributes = Record<string, string | number>

/** A unit of work in a trace. Names and attributes hold no ids, addresses, tokens or texts of callers. */
export type Span = {
  trace_id: string
  /** Work within `work` belongs to this span. */
  run: <T>(work: () => T) => T
  set: (attributes: Attributes) => void
  end: (hasFailed: boolean) => void
}

export type SpanKind = 'server' | 'client' | 'consumer'

/** `parent` null: a trace of its own. Undefined: the span whose work this is. */
export type NewSpan = {
  name: string
  kind: SpanKind
  parent?: TraceContext | null | undefined
  attributes?: Attributes
}

export type Tracer = {
  begin: (span: NewSpan) => Span
  /** The span whose work this is. */
  current: () => TraceContext | undefined
  /** What `work` starts belongs to no span. */
  leave: (work: () => void) => void
}

let tracer: Tracer | undefined

/** Switches traces on for this process (open-tracing.ts), or off. */
export function useTracer(next: Tracer | undefined): void {
  tracer = next
}

export const isTracing = (): boolean => tracer !== undefined

/** Undefined while traces are off. */
export const beginSpan = (span: NewSpan): Span | undefined => tracer?.begin(span)

/** The context that outgoing calls and stored work carry; undefined while traces are off. */
export const currentTrace = (): TraceContext | undefined => tracer?.current()

/** Starts work that a request only wakes. Each piece of it continues the trace that is stored with it. */
export function leaveTrace(work: () => void): void {
  if (tracer) tracer.leave(work)
  else work()
}

/** Runs work as a span, in the trace that `stored` names or in a trace of its own. `isFailure` judges its result. */
export async function continueTrace<T>(
  { name, attributes = {} }: Pick<NewSpan, 'name' | 'attributes'>,
  stored: string | null,
  work: () => Promise<T>,
  isFailure: (result: T) => boolean,
): Promise<T> {
  if (!tracer) return work()
  const parent = stored === null ? null : (parseTraceContext(stored) ?? null)
  const span = tracer.begin({ name, kind: 'consumer', parent, attributes })
  let hasFailed = true
  try {
    const result = await span.run(work)
    hasFailed = isFailure(result)
    return result
  } finally {
    span.end(hasFailed)
  }
}
