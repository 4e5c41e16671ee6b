import { ACCOUNT, begin, demand } from './operator.ts'

export const usage = `npm start -- retention [--dry-run] ${ACCOUNT}
Counts what is old enough to be deleted at this moment; nothing is. It goes by itself, within an hour, sessions within a day.`

/** Prints one line per sweep. StartError when it is refused. */
export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { client } = await begin(args, env, usage, { 'dry-run': { type: 'boolean' } })
  const { items } = demand(await client.send('GET', '/api/v1/admin/retention'), 200)
  for (const { sweep, rows, every_seconds } of items as {
    sweep: string
    rows: number
    every_seconds: number
  }[])
    process.stdout.write(
      `${sweep.padEnd(20)} ${String(rows).padStart(10)} rows, looked for every ${every_seconds} s\n`,
    )
}
