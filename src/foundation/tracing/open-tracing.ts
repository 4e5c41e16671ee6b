import { AsyncLocalStorage } from 'node:async_hooks'
import {
  createTraceState,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span as LibrarySpan,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Logger } from '../log.ts'
import type { TraceContext } from './traceparent.ts'
import { type NewSpan, type Span, type Tracer, useTracer } from './tracing.ts'

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }
/** How long a stop waits for the collector to take the last spans. */
const PATIENCE_MS = 3_000
/** A collector's answer may be long. */
const REASON_LENGTH = 300

type Options = {
  name: string
  /** The collector. */
  endpoint: string | undefined
  /** Given, because they may be secrets, which have left the environment by now. */
  headers: Record<string, string>
  version: string
  log: Logger
}

/**
 * Starts to export spans by OTLP over HTTP; returns the function that sends what is left and stops. Only a start with
 * traces switched on imports this file and its libraries. They read the other standard variables themselves:
 * OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER, OTEL_BSP_*.
 */
export function openTracing({ name, endpoint, headers, version, log }: Options): () => Promise<void> {
  const note = (reason: string) =>
    log.warn({ reason: reason.slice(0, REASON_LENGTH) }, 'traces could not be exported')
  const silent = () => {}
  diag.setLogger(
    { error: note, warn: silent, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  )
  const exporter = new OTLPTraceExporter({
    url: `${endpoint ?? 'http://localhost:4318'}/v1/traces`,
    headers,
  })
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': name, 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }))
  const provider = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  useTracer(tracerOf(provider, version))
  return async () => {
    useTracer(undefined)
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, PATIENCE_MS)
    await Promise.race([provider.shutdown().catch((error: unknown) => note(String(error))), late])
    clearTimeout(timer)
    diag.disable()
  }
}

function tracerOf(provider: BasicTracerProvider, version: string): Tracer {
  const library = provider.getTracer('lyceum', version)
  const active = new AsyncLocalStorage<LibrarySpan>()
  const contextOf = (parent: NewSpan['parent']) => {
    if (parent) return trace.setSpanContext(ROOT_CONTEXT, remote(parent))
    const span = parent === null ? undefined : active.getStore()
    return span ? trace.setSpan(ROOT_CONTEXT, span) : ROOT_CONTEXT
  }
  const wrap = (span: LibrarySpan): Span => ({
    trace_id: span.spanContext().traceId,
    run: (work) => active.run(span, work),
    set: (attributes) => void span.setAttributes(attributes),
    end(hasFailed) {
      if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  })
  return {
    begin: ({ name, kind, parent, attributes = {} }) =>
      wrap(library.startSpan(name, { kind: KINDS[kind], attributes }, contextOf(parent))),
    leave: (work) => active.exit(work),
    current() {
      const context = active.getStore()?.spanContext()
      if (!context) return undefined
      const tracestate = context.traceState?.serialize()
      return {
        trace_id: context.traceId,
        span_id: context.spanId,
        isSampled: (context.traceFlags & TraceFlags.SAMPLED) !== 0,
        ...(tracestate && { tracestate }),
      }
    },
  }
}

const remote = ({ trace_id, span_id, isSampled, tracestate }: TraceContext) => ({
  traceId: trace_id,
  spanId: span_id,
  traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
  ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
})
