import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

export type HttpMetrics = {
  /** Returns a function that records a duration (ms) for one method, route and status. */
  timer(method: string, route: string, status: number): (ms: number) => void
}

export type Metrics = {
  http(service: string): HttpMetrics
  counter(name: string, help: string): { inc(by?: number): void }
  /** Gauges of one name with one label, read from the database at each scrape. If the read fails, they are left out. */
  gauges(name: string, help: string, label: string, read: () => Promise<Record<string, number>>): void
  counters(name: string, help: string, label: string): { inc(value: string, by?: number): void }
  /** What this process has counted, as plain data. */
  read(): Promise<Reading>
  /** Prometheus text exposition format 0.0.4, of all processes that share the ports. */
  text(): Promise<string>
}

/** The metrics of one process. */
export type Reading = { library: object[]; durations: Duration[] }

/** Upper bounds in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const DURATION = 'lyceum_http_request_duration_seconds'

/** `all` reads the metrics of every process; by default those of this one. */
export function createMetrics(all?: () => Promise<Reading[]>): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations: Duration[] = []
  const read = async () => ({ library: await registry.getMetricsAsJSON(), durations })
  return {
    http: (service) => ({ timer: countDurations(service, durations) }),
    counter(name, help) {
      return new Counter({ name, help, registers: [registry] })
    },
    gauges(name, help, label, read) {
      const gauge: Gauge = new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        // Every process reads the same from the database.
        aggregator: 'max',
        collect: async () => {
          gauge.reset()
          const values = await read().catch(() => ({}))
          for (const [value, number] of Object.entries(values)) gauge.set({ [label]: value }, number)
        },
      })
    },
    counters(name, help, label) {
      const counter = new Counter({ name, help, labelNames: [label], registers: [registry] })
      return { inc: (value, by = 1) => counter.inc({ [label]: value }, by) }
    },
    read,
    text: async () => {
      if (all) return exposeTogether(await all())
      return `${await registry.metrics()}\n${durations.length > 0 ? expose(durations) : ''}`
    },
  }
}

type Duration = { labels: string; buckets: number[]; sum: number; count: number }

/**
 * Histogram without the library, which builds a label object and a hash string per observation: a tenth of the cost of
 * a small response.
 */
const countDurations =
  (service: string, durations: Duration[]): HttpMetrics['timer'] =>
  (method, route, status) => {
    const labels = `service="${service}",method="${method}",route="${route}",status="${status}"`
    const duration: Duration = { labels, buckets: BUCKETS.map(() => 0), sum: 0, count: 0 }
    durations.push(duration)
    return (ms) => {
      const seconds = ms / 1000
      const place = BUCKETS.findIndex((bound) => seconds <= bound)
      if (place >= 0) duration.buckets[place] = (duration.buckets[place] ?? 0) + 1
      duration.sum += seconds
      duration.count++
    }
  }

async function exposeTogether(readings: readonly Reading[]): Promise<string> {
  const library = AggregatorRegistry.aggregate(readings.map((reading) => reading.library))
  const sums = new Map<string, Duration>()
  for (const one of readings.flatMap(({ durations }) => durations)) {
    const sum = sums.get(one.labels)
    if (!sum) {
      sums.set(one.labels, structuredClone(one))
      continue
    }
    sum.buckets = sum.buckets.map((count, place) => count + (one.buckets[place] ?? 0))
    sum.sum += one.sum
    sum.count += one.count
  }
  return `${await library.metrics()}\n${sums.size > 0 ? expose([...sums.values()]) : ''}`
}

function expose(durations: Duration[]): string {
  const lines = [
    `# HELP ${DURATION} Time from the head of a request to its finished answer, before the answer is written`,
    `# TYPE ${DURATION} histogram`,
  ]
  for (const { labels, buckets, sum, count } of durations) {
    let below = 0
    for (const [place, bound] of BUCKETS.entries()) {
      below += buckets[place] ?? 0
      lines.push(`${DURATION}_bucket{${labels},le="${bound}"} ${below}`)
    }
    lines.push(
      `${DURATION}_bucket{${labels},le="+Inf"} ${count}`,
      `${DURATION}_sum{${labels}} ${sum}`,
      `${DURATION}_count{${labels}} ${count}`,
    )
  }
  return `${lines.join('\n')}\n`
}
