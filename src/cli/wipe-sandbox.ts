import { StartError } from '#foundation/start-error.ts'
import { demand, signInAsOperator } from './api-client.ts'
import { ACCOUNT, readArguments } from './arguments.ts'

export const usage = `npm start -- wipe-sandbox --yes [--site SITE_CODE] ${ACCOUNT}
Deletes the people of the sandbox, or of one sandbox site, with their sessions, messages, events and imports. Sites, keys and
their ADMINs stay; nothing of production is touched.`

/** Repeats the call until nothing is left, then prints the totals. StartError when the service refuses. */
export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const options = { site: { type: 'string' }, yes: { type: 'boolean' } } as const
  const { values } = readArguments(args, { usage, options })
  if (!values.yes) throw new StartError(usage)
  const client = await signInAsOperator(values, env)
  const body = values.site === undefined ? { all: true } : { site_code: values.site }
  const total: Record<string, number> = {}
  for (let isDone = false; !isDone;) {
    const { is_done, ...wiped } = demand(await client.send('POST', '/api/v1/admin/sandbox/wipe', body))
    for (const [name, count] of Object.entries(wiped)) total[name] = (total[name] ?? 0) + Number(count)
    isDone = is_done === true
  }
  for (const [name, count] of Object.entries(total)) console.log(`${name.padEnd(12)} ${count}`)
}
