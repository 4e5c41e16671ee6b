import { parseArgs } from 'node:util'
import { StartError } from '#foundation/start-error.ts'
import { accountOf, accountOptions, type Answer, type Client, detailOf, signIn } from './api-client.ts'

const ACCOUNT = `[--sso http://127.0.0.1:8064]
  [--site-key KEY] [--email ADDRESS] [--password PASSWORD] [--code CODE]`

const RETENTION = `npm start -- retention [--dry-run] ${ACCOUNT}
Counts what is old enough to be deleted at this moment; nothing is. It goes by itself, within an hour, sessions within a day.`

const WIPE = `npm start -- wipe-sandbox --yes [--site SITE_CODE] ${ACCOUNT}
Deletes the people of the sandbox, or of one sandbox site, with their sessions, messages, events and imports. Sites, keys and
their ADMINs stay; nothing of production is touched.`

/** The verb retention: prints one line per sweep. StartError when it is refused. */
export async function retention(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { client } = await begin(args, env, RETENTION, { 'dry-run': { type: 'boolean' } })
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

/** The verb wipe-sandbox: calls until nothing is left and prints what went. StartError when it is refused. */
export async function wipeSandbox(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const options = { site: { type: 'string' }, yes: { type: 'boolean' } } as const
  const { client, values } = await begin(args, env, WIPE, options, ({ yes }) => yes === true)
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

type Options = Record<string, { type: 'string' | 'boolean' }>
type Values = Record<string, string | boolean | undefined>

async function begin(
  args: string[],
  env: NodeJS.ProcessEnv,
  usage: string,
  options: Options,
  isMeant: (values: Values) => boolean = () => true,
): Promise<{ client: Client; values: Values }> {
  const values = parse(args, usage, options)
  if (!isMeant(values)) throw new StartError(usage)
  const given = values as Parameters<typeof accountOf>[0]
  return { client: await signIn(given.sso, accountOf(given, env, 'console')), values }
}

function parse(args: string[], usage: string, options: Options): Values {
  try {
    return parseArgs({ args, options: { ...accountOptions, ...options } }).values
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n${usage}`)
  }
}

function demand(answer: Answer, status: number): Answer['body'] {
  if (answer.status !== status) throw new StartError(detailOf(answer))
  return answer.body
}
