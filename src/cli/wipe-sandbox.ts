import { ACCOUNT, begin, demand } from './operator.ts'

export const usage = `npm start -- wipe-sandbox --yes [--site SITE_CODE] ${ACCOUNT}
Deletes the people of the sandbox, or of one sandbox site, with their sessions, messages, events and imports. Sites, keys and
their ADMINs stay; nothing of production is touched.`

/** Calls until nothing is left and prints what went. StartError when it is refused. */
export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const options = { site: { type: 'string' }, yes: { type: 'boolean' } } as const
  const { client, values } = await begin(args, env, usage, options, ({ yes }) => yes === true)
  const { site } = values
  const total: Record<string, number> = {}
  for (let isDone = false; !isDone;) {
    const body = typeof site === 'string' ? { site_code: site } : { all: true }
    const { is_done, ...wiped } = demand(await client.send('POST', '/api/v1/admin/sandbox/wipe', body), 200)
    for (const [name, count] of Object.entries(wiped)) total[name] = (total[name] ?? 0) + Number(count)
    isDone = is_done === true
  }
  for (const [name, count] of Object.entries(total)) process.stdout.write(`${name.padEnd(12)} ${count}\n`)
}
