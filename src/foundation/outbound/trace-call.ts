import { traceparentOf } from '../tracing/traceparent.ts'
import { beginSpan, currentTrace } from '../tracing/tracing.ts'
import type { OutboundReply, OutboundRequest } from './outbound.ts'

type Send = (request: OutboundRequest) => Promise<OutboundReply>

/** While traces are on, a call is a span, and the other side learns the trace from its headers (W3C Trace Context). */
export function traceCall(request: OutboundRequest, send: Send): Promise<OutboundReply> {
  const { method, headers } = request
  const span = beginSpan({ name: method, kind: 'client', attributes: { 'http.request.method': method } })
  if (!span) return send(request)
  return span.run(async () => {
    const context = currentTrace()
    const traced = context && {
      traceparent: traceparentOf(context),
      ...(context.tracestate !== undefined && { tracestate: context.tracestate }),
    }
    const reply = await send({ ...request, headers: { ...headers, ...traced } })
    span.set(reply.ok ? { 'http.response.status_code': reply.status } : { 'error.type': reply.error })
    span.end(!reply.ok || reply.status >= 400)
    return reply
  })
}
