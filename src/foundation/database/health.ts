import { setTimeout as sleep } from 'node:timers/promises'
import { clock } from '../clock.ts'
import type { Database } from './database.ts'

export type DatabaseHealth = { status: 'ok' | 'down'; response_time_ms: number | null }

/** Health of one part of a service. `reason` tells operators what is wrong and how to fix it. */
export type PartHealth = { status: 'operational' } | { status: 'degraded'; reason: string }

export const healthy: PartHealth = { status: 'operational' }
export const degraded = (reason: string): PartHealth => ({ status: 'degraded', reason })

const SHARED_MS = 1_000
const PATIENCE_MS = 1_000

/** Queries the database at most once a second and shares the result. No answer within a second means down. */
export function createHealthCheck(database: Database): () => Promise<DatabaseHealth> {
  let shared: { until: number; result: Promise<DatabaseHealth> } | undefined
  return () => {
    const now = clock.monotonic()
    if (!shared || now >= shared.until) shared = { until: now + SHARED_MS, result: ask(database) }
    return shared.result
  }
}

async function ask(database: Database): Promise<DatabaseHealth> {
  const started = clock.monotonic()
  const silence = sleep(PATIENCE_MS, 'silent' as const, { ref: false })
  try {
    const answer = await Promise.race([database.fast`select 1 as alive`, silence])
    if (answer === 'silent') return { status: 'down', response_time_ms: null }
    return { status: 'ok', response_time_ms: Math.round((clock.monotonic() - started) * 100) / 100 }
  } catch (error) {
    database.noteFailure(error)
    return { status: 'down', response_time_ms: null }
  }
}
