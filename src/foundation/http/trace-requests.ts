import type { FastifyRequest } from 'fastify'
import { readTraceContext } from '../tracing/traceparent.ts'
import { beginSpan, isTracing } from '../tracing/tracing.ts'
import type { App } from './app.ts'

/**
 * Notes the trace that a request belongs to, for its log line, and makes a span of each request while traces are on.
 * A span holds the method, the route pattern and the status.
 */
export function traceRequests(app: App, service: string) {
  app.decorateRequest('trace_id', '')
  app.decorateRequest('span', undefined)
  if (!isTracing()) {
    app.addHook('onRequest', (request, _, done) => {
      if (request.headers['traceparent'] !== undefined)
        request.trace_id = readTraceContext(request.headers)?.trace_id ?? ''
      done()
    })
    return
  }
  app.addHook('onRequest', (request, _, done) => {
    const { method, headers } = request
    const route = request.routeOptions.url ?? ''
    const span = beginSpan({
      name: route ? `${method} ${route}` : method,
      kind: 'server',
      parent: readTraceContext(headers) ?? null,
      attributes: {
        'lyceum.service': service,
        'http.request.method': method,
        ...(route && { 'http.route': route }),
      },
    })
    if (!span) return done()
    request.span = span
    request.trace_id = span.trace_id
    span.run(done)
  })
  // A body arrives in events of its connection, which belong to no request.
  app.addHook('preValidation', (request, _, done) => {
    if (request.span) request.span.run(done)
    else done()
  })
}

export function endSpan(request: FastifyRequest, status: number) {
  const { span } = request
  if (!span) return
  request.span = undefined
  span.set({ 'http.response.status_code': status })
  span.end(status >= 500)
}
