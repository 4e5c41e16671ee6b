import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { loadConfig } from '#foundation/settings/config.ts'
import { type Database, openDatabase, type Tx } from '#foundation/database/database.ts'
import { newId } from '#foundation/ids.ts'
import { releaseAllLeases } from '#foundation/jobs/leases.ts'
import { createMetrics } from '#foundation/metrics.ts'
import { loadMasterKeys } from '#foundation/security/secrets.ts'
import { paymentCompleted, recordFacts, startWebhooks } from '#sso'

/** Between two changes, so that they and the work on them mix. */
const PACE_MS = 15
/** So long bytes take to leave at most. */
const LEAVING_MS = 30

/** Where the process kills itself, at the third pass. */
export const POINTS = [
  'before the commit of a change',
  'after the commit of a change',
  'inside the fan-out, before its commit',
  'after a claim, before the bytes leave',
  'after the bytes left',
  'after the 2xx, before the finish',
  'inside a finish, before its commit',
] as const
export type Point = (typeof POINTS)[number]

export type Task = {
  url: string
  dataDir: string
  site: { site_id: string; site_code: string; environment: 'sandbox' }
  /** If absent, the process works until it is killed. */
  point?: Point
  writes: boolean
  works: boolean
  maxInFlight?: number
}

async function main({ url, dataDir, site, point, writes, works, maxInFlight }: Task) {
  const database = openDatabase({ url, poolSize: 4 })
  let passed = 0
  const passes = (here: Point) => {
    if (here === point && ++passed === 3) process.kill(process.pid, 'SIGKILL')
  }
  if (works) {
    await releaseAllLeases(database)
    await startWebhooks(
      {
        config: loadConfig({ DATA_DIR: dataDir, SSO_WEBHOOK_RATE: '0' }),
        database: point === undefined ? database : watched(database, passes),
        keys: loadMasterKeys(undefined, dataDir),
        log: pino({ level: 'silent' }),
        metrics: createMetrics(),
        ownPorts: () => [],
        signLogout: async () => '',
      },
      {
        ...(maxInFlight !== undefined && { maxInFlight }),
        wrap: (send) => async (request) => {
          passes('after a claim, before the bytes leave')
          const sending = send(request)
          if (point === 'after the bytes left') await wait(LEAVING_MS)
          passes('after the bytes left')
          const reply = await sending
          passes('after the 2xx, before the finish')
          return reply
        },
      },
    )
  }
  process.stdout.write('working\n')
  while (writes) await write(database, site, passes)
}

let written = 0

/** Writes a change with its fact; every fifth transaction rolls back. crash.changes records what was committed. */
async function write(database: Database, site: Task['site'], passes: (point: Point) => void) {
  const order_id = newId()
  const order = { order_id, plan: 'Zoë ✓', amount: 1, currency: 'USD', fulfilled_at: '' }
  const isUndone = ++written % 5 === 0
  await database
    .transaction(async (tx) => {
      await tx`insert into crash.changes (order_id) values (${order_id})`
      await recordFacts(tx, [paymentCompleted(site, order)])
      passes('before the commit of a change')
      if (isUndone) throw new Error('undone')
    })
    .then(
      () => passes('after the commit of a change'),
      (error: unknown) => {
        if (!isUndone) throw error
      },
    )
  await wait(PACE_MS)
}

/** Calls `passes` at the end of each engine transaction. What the transaction wrote tells which point it is. */
function watched(database: Database, passes: (point: Point) => void): Database {
  const look = async (tx: Tx) => {
    const [wrote] = await tx<{ events: boolean; ends: boolean }[]>`
      select exists (select from sso.webhook_events
                      where xmin = pg_current_xact_id()::xid and created_at > clock_timestamp() - interval '10 s') as events,
             exists (select from sso.webhook_deliveries
                      where xmin = pg_current_xact_id()::xid and attempts > 0) as ends`
    if (wrote?.events) passes('inside the fan-out, before its commit')
    if (wrote?.ends) passes('inside a finish, before its commit')
  }
  return {
    ...database,
    transaction: (work) =>
      database.transaction(async (tx) => {
        const result = await work(tx)
        await look(tx)
        return result
      }),
  }
}

const [, , task] = process.argv
if (import.meta.main && task) await main(JSON.parse(task) as Task)
