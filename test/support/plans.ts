import type { Database, Lane, Tx } from '#foundation/database/database.ts'

/** A statement as the driver sent it. */
export type Statement = { text: string; types: number[]; parameters: unknown[] }

/** What EXPLAIN says of one node, as far as the tests ask. */
export type Plan = {
  'Node Type': string
  'Relation Name'?: string
  Schema?: string
  Alias?: string
  'Index Name'?: string
  Filter?: string
  'Join Filter'?: string
  'Index Cond'?: string
  'Recheck Cond'?: string
  'Hash Cond'?: string
  'Merge Cond'?: string
  'Plan Rows': number
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}
export type Explained = { Plan: Plan; 'Execution Time': number }

/** A query of the driver that has been sent; parts of a query are never sent by themselves. */
type Sent = { string?: string; parameters?: { value?: unknown }[]; statement?: { types: number[] } }

/**
 * Runs `work` and answers every statement that its requests sent through `fast`, `pool`, `lists` and `transaction`. The
 * services read them from `db` at each request, so that they can be watched there.
 */
export async function statementsOf(db: Database, work: () => Promise<unknown>): Promise<Statement[]> {
  const queries: Sent[] = []
  const { fast, pool, lists } = db
  const transaction = db.transaction.bind(db)
  const watched = <T extends Lane>(lane: T): T =>
    new Proxy(lane, {
      apply(target, self, args) {
        const query: unknown = Reflect.apply(target, self, args)
        queries.push(query as Sent)
        return query
      },
    })
  const watchedPool = watched(pool)
  Object.assign(db, {
    fast: watched(fast),
    pool: watchedPool,
    lists: (_person: string, statement: unknown) => watchedPool`${statement as never}`,
    transaction: <T>(steps: (tx: Tx) => Promise<T>) => transaction((tx) => steps(watched(tx))),
  })
  try {
    await work()
  } finally {
    Object.assign(db, { fast, pool, lists, transaction })
  }
  return queries.flatMap(({ string: text, parameters, statement }) =>
    text === undefined || statement === undefined
      ? []
      : [{ text, types: statement.types, parameters: parameters ?? [] }],
  )
}

/** Runs the statement under a plan that knows none of its parameters, as prepared statements run before long. */
export const explainGeneric = (db: Database, statement: Statement): Promise<Explained> =>
  explain(db, statement, 'analyze, buffers')

/** The same plan without running it, with the schema and alias of every table. */
export const planGeneric = async (db: Database, statement: Statement): Promise<Plan> =>
  (await explain(db, { ...statement, parameters: statement.parameters.map(() => null) }, 'verbose')).Plan

async function explain(
  db: Database,
  { text, types, parameters }: Statement,
  options: string,
): Promise<Explained> {
  const result = await db.pool.begin(async (tx) => {
    await tx.unsafe(`set local plan_cache_mode = force_generic_plan; set local statement_timeout = '10min'`)
    const names = await tx<{ name: string }[]>`
      select format_type(type, null) as name from unnest(${types}::oid[]) with ordinality as t (type, n) order by n`
    const values = parameters.map((value) => literal(value)).join(', ')
    const given = types.length === 0 ? '' : `(${names.map(({ name }) => name).join(', ')})`
    await tx.unsafe(`prepare explained ${given} as ${text}`)
    try {
      return await tx.unsafe(
        `explain (${options}, format json) execute explained ${types.length === 0 ? '' : `(${values})`}`,
      )
    } finally {
      await tx.unsafe('deallocate explained').catch(() => {})
    }
  })
  const [row] = result as unknown as { 'QUERY PLAN': Explained[] }[]
  const [explained] = row?.['QUERY PLAN'] ?? []
  if (!explained) throw new Error(`EXPLAIN answered nothing for ${text}`)
  return explained
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `'${text.replaceAll("'", "''")}'`
}

/** The node and all below it. */
export const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** How many rows of a table the statements of `work` read, under the plans that prepared statements have before long. */
export async function rowsReadOf(db: Database, table: string, work: () => Promise<unknown>): Promise<number> {
  const statements = (await statementsOf(db, work)).filter(({ text }) => text.includes(table))
  const plans = await Promise.all(statements.map((one) => explainGeneric(db, one)))
  return plans
    .flatMap(({ Plan: plan }) => nodesOf(plan))
    .filter((node) => node['Relation Name'] === table)
    .reduce(
      (sum, node) =>
        sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    )
}
