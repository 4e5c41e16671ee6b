import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'

/**
 * No test asserts how fast something is, so there is one deadline for all of them, long enough for the largest of them on a
 * busy machine. It costs time only where something is wrong.
 */
const DEADLINE_MS = 90_000
const PAUSE_MS = 10

/**
 * Reads again and again until `holds` says yes to what was read, and returns that. Without `holds`, until what was read
 * is truthy. A read that throws is tried again. Fails after 90 s and tells what it saw last.
 */
export async function eventually<T>(
  read: () => T | Promise<T>,
  holds: (seen: T) => unknown = (seen) => seen,
): Promise<T> {
  const deadline = performance.now() + DEADLINE_MS
  for (;;) {
    const { seen, error } = await attempt(read)
    if (error === undefined && holds(seen as T)) return seen as T
    if (performance.now() > deadline)
      throw new Error(
        `not so within ${DEADLINE_MS / 1_000} s: ${(holds.length > 0 ? holds : read).toString()}; last seen: ${inspect(error ?? seen)}`,
      )
    await wait(PAUSE_MS)
  }
}

type Job = { finished_at: unknown; processed_rows: unknown }

/** Reads a job until it has ended. Fails where it gets no further for 90 s. */
export async function untilFinished<T extends Job>(read: () => Promise<T>): Promise<T> {
  let job = await read()
  while (job.finished_at === null) {
    const { processed_rows: before } = job
    job = await eventually(
      read,
      ({ finished_at, processed_rows }) => finished_at !== null || processed_rows !== before,
    )
  }
  return job
}

async function attempt<T>(read: () => T | Promise<T>): Promise<{ seen?: T; error?: Error }> {
  try {
    return { seen: await read() }
  } catch (error) {
    return { error: error as Error }
  }
}
