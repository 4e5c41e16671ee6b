import { signInAsOperator, demand } from './api-client.ts'
import { ACCOUNT, readArguments } from './arguments.ts'

export const usage = `npm start -- retention [--dry-run] ${ACCOUNT}
Counts what is old enough to be deleted at this moment; nothing is. It goes by itself, within an hour, sessions within a day.`

type Sweep = { sweep: string; rows: number; every_seconds: number }

/** Prints one line per sweep. StartError when the service refuses. */
export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values } = readArguments(args, { usage, options: { 'dry-run': { type: 'boolean' } } })
  const client = await signInAsOperator(values, env)
  const { items } = demand(await client.send('GET', '/api/v1/admin/retention'))
  for (const { sweep, rows, every_seconds } of items as Sweep[])
    console.log(`${sweep.padEnd(20)} ${String(rows).padStart(10)} rows, looked for every ${every_seconds} s`)
}
