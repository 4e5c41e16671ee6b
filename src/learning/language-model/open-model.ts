import { clock } from '#foundation/clock.ts'
import type { Database } from '#foundation/database/database.ts'
import type { Logger } from '#foundation/log.ts'
import { openOutbound } from '#foundation/outbound/outbound.ts'
import { type AgentType, type Finding, fingerprintOf } from '../finding.ts'
import { ModelError, openChat, type Server } from './chat.ts'
import type { Drafted, Model } from './model.ts'
import type { Task } from './task.ts'
import { planTasks } from './tasks.ts'

/** Limits of one run and of one call, in ms. */
const RUN = { calls: 8, together: 4, ms: 22_000 }
const CALL_MS = 20_000
/** The circuit breaker: after so many failures in a row, the server is not called for this long (ms). */
const BREAKER = { failures: 3, ms: 300_000 }

/**
 * Opens the model server of the operator. A run keeps its computed findings whatever the server does: a failure sets
 * `error` and counts for the breaker, and a draft becomes a suggestion that a person must approve.
 */
export function openModel(server: Server, db: Database, log: Logger): Model & { close: () => Promise<void> } {
  const outbound = openOutbound()
  const ask = openChat(server, outbound)
  let failures = 0
  let openUntil = -Infinity
  let last_success_at: string | null = null
  let last_error: string | null = null

  function note(error?: string) {
    if (error === undefined) {
      failures = 0
      last_success_at = new Date().toISOString()
      return
    }
    last_error = error
    if (++failures >= BREAKER.failures) openUntil = clock.monotonic() + BREAKER.ms
  }

  async function draftAll(tasks: Task[]): Promise<Drafted> {
    const ends = clock.monotonic() + RUN.ms
    let calls = 0
    const spend = () => {
      const left = Math.min(CALL_MS, ends - clock.monotonic())
      return calls++ < RUN.calls && left > 0 && clock.monotonic() >= openUntil ? left : undefined
    }
    const findings: Finding[] = []
    let error: string | null = null
    let answered = false
    const waiting = tasks.slice(0, RUN.calls)
    const worker = async () => {
      for (let task = waiting.shift(); task; task = waiting.shift()) {
        if (calls >= RUN.calls || clock.monotonic() >= ends || clock.monotonic() < openUntil) return
        try {
          const draft = task.read(await ask(task.question, spend))
          answered = true
          note()
          if (draft) findings.push({ ...draft, model: server.model })
        } catch (fault) {
          error = fault instanceof ModelError ? fault.message : 'The answer of the model could not be used'
          if (!(fault instanceof ModelError))
            log.warn({ err: fault, kind: task.question.name }, 'model draft')
          note(error)
        }
      }
    }
    await Promise.all(Array.from({ length: RUN.together }, worker))
    return { findings, answered, error }
  }

  return {
    async draft(agent, tenant_id, channel_ids, found) {
      const wait = Math.ceil((openUntil - clock.monotonic()) / 60_000)
      if (wait > 0) {
        const error = `The model server failed ${BREAKER.failures} times in a row, it is asked again in ${wait} min`
        return { findings: [], answered: false, error }
      }
      try {
        const tasks = await planTasks(db.pool, agent, tenant_id, channel_ids, found)
        const open = await openDrafts(db, agent, tenant_id, tasks)
        return await draftAll(tasks.filter(({ subject }) => !open.has(fingerprintOf(agent, subject))))
      } catch (fault) {
        log.warn({ err: fault }, 'model tasks')
        return { findings: [], answered: false, error: 'The drafts of the model could not be prepared' }
      }
    },
    status: () => ({
      provider_host: new URL(server.base_url).hostname,
      model: server.model,
      last_success_at,
      last_error,
    }),
    close: () => outbound.close(),
  }
}

/** Open drafts of unchanged targets. Asking again would only reword them. */
async function openDrafts(db: Database, agent: AgentType, tenant_id: string, tasks: Task[]) {
  const rows = await db.pool<{ fingerprint: string }[]>`
    select s.fingerprint from learning.suggestions s
     where s.tenant_id = ${tenant_id} and s.fingerprint = any(${tasks.map(({ subject }) => fingerprintOf(agent, subject))})
       and s.status in ('pending', 'approved')
       and s.target_stamp = learning.target_stamp(s.tenant_id, s.target_type, s.target_id)`
  return new Set(rows.map(({ fingerprint }) => fingerprint))
}
