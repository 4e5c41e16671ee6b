import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../database.ts'
import type { Logger } from '../log.ts'
import type { ClaimResult } from './attempt.ts'
import type { Job } from './jobs.ts'
import { release } from './leases.ts'

/** A call to a stranger ends after 5 s; a little more for what it records. */
const STOP_MS = 5_100

/** A job whose attempt is under way in this process. */
export type Flight = {
  job: Job
  /** False once only its end is to be written: another job may have its slot. */
  isWorking: boolean
  abort: () => void
  abandon: (how: ClaimResult) => void
  landed: Promise<void>
}

/** What is under way may end; what has not ended by then is given back, and no attempt is spent on it. */
export async function endFlights(
  { db, log }: { db: Database; log: Logger },
  flights: ReadonlyMap<string, Flight>,
  claiming: Promise<void> | undefined,
): Promise<void> {
  for (const { abort } of flights.values()) abort()
  const late = new AbortController()
  const landed = async () => {
    await claiming
    await Promise.all([...flights.values()].map((flight) => flight.landed))
    late.abort()
  }
  await Promise.race([landed(), wait(STOP_MS, undefined, { signal: late.signal }).catch(() => {})])
  const left = [...flights.values()]
  if (left.length === 0) return
  const jobs = left.map(({ job }) => job)
  const released = release(db, jobs).catch((error: unknown) => {
    log.error({ err: error }, 'leases could not be given back and will run out')
  })
  await Promise.race([released, wait(100)])
  for (const { abandon } of left) abandon({ end: 'released' })
}
