import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { clock } from '#foundation/clock.ts'
import { loadConfig } from '#foundation/settings/config.ts'
import { StartError } from '#foundation/start-error.ts'
import { accountOf, addressOf, type Client, detailOf, signIn } from './api-client.ts'
import { ACCOUNT, readArguments } from './arguments.ts'
import { changesOf, type KnownChannel, toChannel } from './channel-mapping.ts'

export const usage = `npm start -- import-channels FILE.jsonl [--update] [--url URL] ${ACCOUNT}
One channel per line. What is not given comes from the settings of the running program and DATA_DIR/first-run.json. A line whose source_url was imported before
is left as it is, or, with --update, made to say what the file says.`

type Outcome = 'created' | 'updated' | 'unchanged'

/**
 * Imports every line of a JSON Lines file through the API of a running installation. A failed line is reported with its
 * number and reason; then the exit code is 1.
 */
export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const options = {
    url: { type: 'string' },
    update: { type: 'boolean', default: false },
  } as const
  const { values, positionals } = readArguments(args, { usage, options, files: 1 })
  const { update } = values
  const url = values.url ?? addressOf(loadConfig(env), 'LEARNING_PORT')
  const [file = ''] = positionals
  if (!existsSync(file)) throw new StartError(`${file} is not there`)
  const total = await countLines(file)
  const client = await signIn(url, accountOf(values, env, 'learning'))
  const counts: Record<Outcome | 'failed' | 'episodes', number> = {
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    episodes: 0,
  }
  const startedAt = clock.monotonic()
  const seconds = () => (clock.monotonic() - startedAt) / 1_000
  let shownAt = startedAt
  let number = 0

  for await (const line of linesOf(file)) {
    number += 1
    if (line.trim() === '') continue
    try {
      const { outcome, episodes } = await importLine(client, line, update)
      counts[outcome] += 1
      counts.episodes += episodes
    } catch (error) {
      if (error instanceof StartError) throw error
      counts.failed += 1
      process.stderr.write(`line ${number}: ${(error as Error).message}\n`)
    }
    if (clock.monotonic() - shownAt < 1_000) continue
    shownAt = clock.monotonic()
    process.stderr.write(`${number} of ${total}, ${(number / seconds()).toFixed(1)} a second\n`)
  }
  process.stdout.write(
    `${counts.created} created, ${counts.updated} updated, ${counts.unchanged} unchanged, ${counts.failed} failed; ${counts.episodes} episodes in ${seconds().toFixed(1)} s\n`,
  )
  if (counts.failed > 0) process.exitCode = 1
}

/**
 * Imports one line: creates the channel, or finds it by its source_url (external_id). Throws the detail of the service.
 */
async function importLine(
  client: Client,
  line: string,
  update: boolean,
): Promise<{ outcome: Outcome; episodes: number }> {
  const channel = toChannel(line)
  const episodes = channel.episodes.length
  const answer = await client.send('POST', '/api/channels', channel)
  if (answer.status === 201) return { outcome: 'created', episodes }
  if (answer.status !== 200) throw new Error(detailOf(answer))
  const known = answer.body as KnownChannel
  const changes = update ? changesOf(known, channel) : undefined
  if (!changes) return { outcome: 'unchanged', episodes }
  const changed = await client.send('PUT', `/api/channels/${known.id}`, changes, {
    'if-match': `"${known.version}"`,
  })
  if (changed.status !== 200) throw new Error(detailOf(changed))
  return { outcome: 'updated', episodes }
}

const linesOf = (file: string) =>
  createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })

async function countLines(file: string): Promise<number> {
  let lines = 0
  for await (const _ of linesOf(file)) lines += 1
  return lines
}
