import { StartError } from '../start-error.ts'
import type { Database } from './database.ts'

export type Lanes = 'fast' | 'pool' | 'lists'

/**
 * What bounds the statements of each kind of connection, as PostgreSQL prints the values. Fast-lane statements read by
 * key and use a generic plan (docs/decisions/fast-lane-plans.md). `patience` multiplies the times.
 */
const parametersOf = (patience: number): Record<Lanes, Record<string, string>> => ({
  fast: {
    default_transaction_read_only: 'on',
    statement_timeout: `${patience}s`,
    plan_cache_mode: 'force_generic_plan',
    random_page_cost: '1.1',
  },
  pool: {
    statement_timeout: `${15 * patience}s`,
    lock_timeout: `${5 * patience}s`,
    random_page_cost: '1.1',
  },
  lists: {
    default_transaction_read_only: 'on',
    statement_timeout: `${2 * patience}s`,
    random_page_cost: '1.1',
  },
})
/** What the entries of a pooler set. */
const PARAMETERS = parametersOf(1)

/**
 * The parameters to start a connection with. PgBouncer refuses them, and in transaction mode nothing that a client sets
 * stays with it. So there each lane has a database entry of its own in the pooler's file, which sets them: of a URL that
 * ends in /lyceum these are lyceum, lyceum_fast and lyceum_lists.
 */
export function laneOf(url: string, lane: Lanes, mayStartWithParameters: boolean, patience: number) {
  if (mayStartWithParameters) return { parameters: parametersOf(patience)[lane] }
  const [, name = ''] = /^[a-z]+:\/\/[^/?]*\/([^?]*)/.exec(url) ?? []
  return { database: decodeURIComponent(name) + (lane === 'pool' ? '' : `_${lane}`), parameters: {} }
}

/** Migrations keep a lock and bounds longer than a transaction: behind a pooler their entry has sessions. */
export const urlOfMigrations = (url: string, prepare: boolean) =>
  prepare ? url : url.replace(/^[a-z]+:\/\/[^/?]*\/[^?]*/, '$&_migrate')

/** Refuses a pooler that does not set the bounds of each lane. */
export async function requirePooler({ fast, pool, lists }: Database): Promise<void> {
  const names = [...new Set(Object.values(PARAMETERS).flatMap((parameters) => Object.keys(parameters)))]
  const ask = () =>
    pool<{ name: string; value: string }[]>`
      select name, current_setting(name) as value from unnest(${names}::text[]) as name`
  const read = {
    fast: () => fast<{ name: string; value: string }[]>`${ask()}`,
    pool: ask,
    lists: () => lists('start', ask()),
  }
  for (const lane of ['fast', 'pool', 'lists'] as const) {
    const rows = await read[lane]().catch((error: Error) => {
      throw new StartError(`The pooler has no entry for the lane "${lane}" (${error.message}); ${ADVICE}`)
    })
    for (const [name, value] of Object.entries(PARAMETERS[lane])) {
      const found = rows.find((row) => row.name === name)?.value
      if (found !== value)
        throw new StartError(`The lane "${lane}" of the pooler has ${name} ${found}, not ${value}; ${ADVICE}`)
    }
  }
}

const ADVICE = 'deploy/pgbouncer.ini shows the entries'
