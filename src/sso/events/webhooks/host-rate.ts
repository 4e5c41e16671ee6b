import { clock } from '#foundation/clock.ts'
import type { Pool } from '#foundation/database/database.ts'
import { needsNoFlush } from '#foundation/jobs/leases.ts'

export type ToSend = { delivery_id: string; host: string; isUrgent: boolean }

export type HostRate = ReturnType<typeof createHostRate>

/**
 * Milliseconds after its turn when a reservation expires: another process has taken the delivery by then, or it is
 * gone.
 */
const LATE_MS = 5_000

/**
 * Rate limit per host for all processes: at most `perSecond` requests in any second, by a leaky bucket (GCRA) in one
 * row per host. Waiting deliveries use up no attempt. Each process queues its own: back channel first, then those told
 * to come back, then new ones.
 */
export function createHostRate({ pool }: { pool: Pool }, perSecond: number) {
  /** Size of a burst and spacing after it. Together they give `perSecond` in the worst second. */
  const burst = Math.max(1, Math.floor(perSecond / 10))
  const spacing = 1_100 / perSecond
  const lines = createLines(burst * spacing, 1.05 * spacing)

  /** Returns the wait in milliseconds by delivery_id; deliveries not in the map may be sent now. */
  async function take(all: readonly ToSend[]): Promise<ReadonlyMap<string, number>> {
    const waits = new Map<string, number>()
    if (perSecond === 0) return waits
    const hosts = [...Map.groupBy(all, ({ host }) => host)].map(
      ([host, sends]) => [host, lines.choose(host, sends)] as const,
    )
    const granted = await grant(pool, new Map(hosts.map(([host, { first }]) => [host, first])), {
      burst,
      spacing,
    })
    for (const [host, { first, later }] of hosts) {
      const { count, free_in_ms } = granted.get(host) ?? { count: 0, free_in_ms: 0 }
      const refused = first.slice(count)
      for (const [place, { delivery_id }] of [...refused, ...later].entries()) {
        const soon = Math.max(spacing, free_in_ms + place * spacing)
        // A delivery that lost its turn to an urgent one or another process does not go to the end of the queue.
        const isSoon = place < Math.min(refused.length, 2 * burst)
        waits.set(
          delivery_id,
          isSoon ? lines.again(host, delivery_id, soon) : lines.join(host, delivery_id, soon),
        )
      }
    }
    return waits
  }

  return { take }
}

/** The deliveries of this process that wait for each host. Times are on the monotonic clock. */
function createLines(together: number, step: number) {
  type Line = { last: number; reserved: Map<string, number> }
  const lines = new Map<string, Line>()

  function lineOf(host: string): Line {
    const line = lines.get(host) ?? { last: clock.monotonic(), reserved: new Map<string, number>() }
    lines.set(host, line)
    return line
  }

  /** Removes expired reservations: another process took the delivery, or it is gone. */
  function forgetLate() {
    const late = clock.monotonic() - LATE_MS
    for (const [host, { reserved }] of lines) {
      for (const [id, turn] of reserved) {
        if (turn >= late) break
        reserved.delete(id)
      }
      if (reserved.size === 0) lines.delete(host)
    }
  }

  return {
    /** Urgent deliveries first, then those whose turn it is. Others only if nobody is queued. */
    choose(host: string, sends: readonly ToSend[]): { first: ToSend[]; later: ToSend[] } {
      forgetLate()
      const line = lines.get(host)
      const isFirst = ({ delivery_id, isUrgent }: ToSend) =>
        (line?.reserved.delete(delivery_id) ?? true) || isUrgent
      const { first = [], later = [] } = Object.groupBy(sends, (send) => (isFirst(send) ? 'first' : 'later'))
      return { first: first.toSorted((a, b) => Number(b.isUrgent) - Number(a.isUrgent)), later }
    },

    again(host: string, id: string, wait: number): number {
      lineOf(host).reserved.set(id, clock.monotonic() + wait)
      return wait
    },

    /** Appends to the queue. Deliveries come back in groups of one burst, slightly slower than the limit allows. */
    join(host: string, id: string, atLeast: number): number {
      const line = lineOf(host)
      const now = clock.monotonic()
      line.last = Math.max(line.last, now + atLeast) + step
      const turn = Math.ceil(line.last / together) * together
      line.reserved.set(id, turn)
      return turn - now
    },
  }
}

type Granted = { count: number; free_in_ms: number }

/**
 * How many requests each host may get now, and when the next is allowed. Hosts are sorted, so that two processes cannot
 * deadlock.
 */
async function grant(
  pool: Pool,
  trying: ReadonlyMap<string, readonly ToSend[]>,
  { burst, spacing }: { burst: number; spacing: number },
): Promise<ReadonlyMap<string, Granted>> {
  const asked = [...trying].filter(([, sends]) => sends.length > 0)
  if (asked.length === 0) return new Map()
  const rows = await pool<(Granted & { host: string })[]>`
    insert into sso.webhook_hosts as h (host, free_at, granted)
    select host, statement_timestamp() + make_interval(secs => least(wanted, ${burst}::int) * ${spacing}::float8 / 1000),
           least(wanted, ${burst}::int)
      from unnest(${asked.map(([host]) => host)}::text[], ${asked.map(([, sends]) => sends.length)}::int[])
             as w (host, wanted)
     where ${needsNoFlush(pool)}
     order by host
    on conflict (host) do update
       set granted = least(excluded.granted, ${roomOf(pool, burst, spacing)}),
           free_at = greatest(h.free_at, statement_timestamp())
                     + make_interval(secs => least(excluded.granted, ${roomOf(pool, burst, spacing)}) * ${spacing}::float8 / 1000)
    returning host, granted as count,
              greatest(0, extract(epoch from free_at - statement_timestamp())::float8 * 1000
                          - ${(burst - 1) * spacing}::float8) as free_in_ms`
  return new Map(rows.map(({ host, ...granted }) => [host, granted]))
}

/** Subtracts a hundredth of a millisecond, so that the rounding of stored times does not decide. */
const roomOf = (sql: Pool, burst: number, spacing: number) => sql`
  greatest(0, ${burst}::int - ceil(
    greatest(0, extract(epoch from h.free_at - statement_timestamp())::float8 * 1000 - 0.01) / ${spacing}::float8)::int)`
