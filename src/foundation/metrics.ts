import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type HttpMetrics = {
  observe(method: string, route: string, status: number, ms: number): void
}

export type Metrics = {
  http(service: string): HttpMetrics
  /** A number that is read when somebody looks. */
  gauge(name: string, help: string, read: () => number): void
  counter(name: string, help: string): { inc(by?: number): void }
  /** Prometheus text exposition format 0.0.4. */
  text(): Promise<string>
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'lyceum_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer',
    labelNames: ['service', 'method', 'route', 'status'] as const,
    buckets: BUCKETS,
    registers: [registry],
  })
  return {
    http(service) {
      return {
        observe: (method, route, status, ms) =>
          durations.observe({ service, method, route, status: String(status) }, ms / 1000),
      }
    },
    gauge(name, help, read) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers: [registry],
        collect: () => {
          gauge.set(read())
        },
      })
    },
    counter(name, help) {
      return new Counter({ name, help, registers: [registry] })
    },
    text: () => registry.metrics(),
  }
}
