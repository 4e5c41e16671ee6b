import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import autocannon from 'autocannon'

/** The result of one load: rate, latency in ms, and CPU time per answer in µs of each process involved. */
export type Load = {
  rate: number
  p50: number
  p99: number
  errors: number
  cpu: { ours: number; postgres: number; tool: number }
  /** p99 in ms of a slow stream of other requests during the load. */
  beside?: number
}

export type Target = { pid: number; postmaster: number | undefined }

export const CONNECTIONS = 32
const TICK_US = 10_000

type Client = {
  setBody(body: string): void
  setHeaders(headers: Record<string, string>): void
  setRequests(
    requests: { method: 'POST'; path: string; headers: Record<string, string>; body: string }[],
  ): void
  on(event: 'body', listener: (body: Buffer) => void): void
}

/** Loads one address for `seconds` over 32 connections. `setupClient` can give each connection its own body. */
export async function drive(
  target: Target,
  seconds: number,
  options: {
    url: string
    method?: 'GET' | 'POST'
    headers?: Record<string, string>
    expect?: number
    /** Default 32. */
    connections?: number
    /** Requests per second over all connections; unlimited by default. */
    rate?: number
    setupClient?: (client: Client) => void
  },
): Promise<Load> {
  const {
    url,
    method = 'GET',
    headers = {},
    expect = 200,
    connections = CONNECTIONS,
    rate,
    setupClient,
  } = options
  const before = cpuTimes(target)
  const result = await autocannon({
    url,
    method,
    headers,
    connections,
    ...(rate !== undefined && { overallRate: rate }),
    duration: seconds,
    ...(setupClient && { setupClient: setupClient as unknown as (client: autocannon.Client) => void }),
  })
  const after = cpuTimes(target)
  const count = result.requests.total
  const good =
    (result as unknown as { statusCodeStats: Record<string, { count: number }> }).statusCodeStats[
      String(expect)
    ]?.count ?? 0
  const each = (name: keyof typeof before) => (after[name] - before[name]) / Math.max(count, 1)
  return {
    rate: count / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    errors: count - good + result.errors,
    cpu: { ours: each('ours'), postgres: each('postgres'), tool: each('tool') },
  }
}

export function cpuTimes({ pid, postmaster }: Target) {
  return {
    ours: cpuOf(pid),
    postgres: postmaster === undefined ? 0 : cpuOfFamily(postmaster),
    tool: cpuOf(process.pid),
  }
}

/** The process id of the embedded server of a data folder. */
export const postmasterOf = (dataDir: string) =>
  Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0])

/** User and system time in µs from /proc; 0 on systems without it. */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_US
  } catch {
    return 0
  }
}

function cpuOfFamily(parent: number): number {
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return (
        readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /, '')
          .split(' ')[1] === String(parent)
      )
    } catch {
      return false
    }
  })
  return [parent, ...children.map(Number)].reduce((sum, pid) => sum + cpuOf(pid), 0)
}
