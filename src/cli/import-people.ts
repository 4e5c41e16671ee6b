import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { FormData } from 'undici'
import { clock } from '#foundation/clock.ts'
import { StartError } from '#foundation/start-error.ts'
import { csvLine } from '#foundation/web/client/csv.ts'
import { accountOf, type Client, detailOf, signIn } from './api-client.ts'
import { ACCOUNT, readArguments } from './arguments.ts'
import { filesOf, type PeopleFile, type Tally } from './people-file.ts'
import type { FirebaseProject } from './people-hashes.ts'
import { SOURCES } from './people-sources.ts'

export const usage = `npm start -- import-people --from ${Object.keys(SOURCES).join('|')} FILE --site CODE
  [--dry-run] [--rows 5000] [--report REFUSED.csv] ${ACCOUNT}
  of Firebase also: --signer-key KEY --salt-separator TEXT --rounds 8 --mem-cost 14
People come to the site with the passwords they have. Whoever is registered already stays as they are, so the same
command goes on where it was stopped. A hash of a format that is not known is left out and named.`

const OPTIONS = {
  from: { type: 'string' },
  site: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  rows: { type: 'string', default: '5000' },
  report: { type: 'string' },
  'signer-key': { type: 'string' },
  'salt-separator': { type: 'string', default: '' },
  rounds: { type: 'string', default: '8' },
  'mem-cost': { type: 'string', default: '14' },
} as const

type Job = {
  job_id: string
  status: string
  processed_rows: number
  success_count: number
  skipped_count: number
  error_count: number
  failure: { message: string } | null
}
const UNDER_WAY = ['queued', 'processing']
/** A stopped import is not found again by its key; a new one goes on. */
const STOPPED = ['failed', 'canceled']

/** Imports the people of another system's export through the API of a running installation. Refused ones end it with 1. */
export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, positionals } = readArguments(args, { usage, options: OPTIONS, files: 1 })
  const [file = ''] = positionals
  const { from = '', site = '', report, 'dry-run': is_dry, rows } = values
  const source = Object.hasOwn(SOURCES, from) ? SOURCES[from] : undefined
  if (!source || site === '' || !/^[1-9]\d{0,4}$/.test(rows)) throw new StartError(usage)
  if (!existsSync(file)) throw new StartError(`${file} is not there`)
  const account = accountOf(values, env, site)
  const client = await signIn(account.sso, account)
  const tally: Tally = new Map()
  const total = { made: 0, skipped: 0, refused: 0, sent: 0 }
  const refused: string[] = []
  const startedAt = clock.monotonic()
  const seconds = () => (clock.monotonic() - startedAt) / 1_000

  for await (const people of filesOf(source(file, projectOf(values)), Number(rows), tally)) {
    const sent = total.sent
    const job = await importFile(client, people, { site, is_dry }, ({ processed_rows }) =>
      process.stderr.write(
        `${sent + processed_rows} people, ${((sent + processed_rows) / seconds()).toFixed(0)} a second\n`,
      ),
    )
    total.sent += people.places.length
    total.made += job.success_count
    total.skipped += job.skipped_count
    total.refused += job.error_count
    if (job.error_count > 0) refused.push(...(await faultsOf(client, job.job_id, people)))
  }
  for (const line of refused.slice(0, report ? 0 : 50)) process.stderr.write(`${line}\n`)
  if (report)
    writeFileSync(report, `record,field,code,message\n${refused.map((line) => `${line}\n`).join('')}`, {
      mode: 0o600,
    })
  for (const [what, people] of tally) process.stdout.write(`${people} ${what}\n`)
  process.stdout.write(
    `${is_dry ? 'dry run: ' : ''}${total.made} imported, ${total.skipped} registered already, ${total.refused} refused, in ${seconds().toFixed(1)} s\n`,
  )
  if (total.refused > 0) process.exitCode = 1
}

type Values = {
  'signer-key'?: string | undefined
  'salt-separator': string
  rounds: string
  'mem-cost': string
}

function projectOf(values: Values): FirebaseProject | undefined {
  const { 'signer-key': signer_key, 'salt-separator': separator } = values
  const [rounds, mem_cost] = [Number(values.rounds), Number(values['mem-cost'])]
  if (![rounds, mem_cost].every((one) => Number.isInteger(one) && one > 0 && one < 100))
    throw new StartError(usage)
  return signer_key === undefined ? undefined : { signer_key, separator, rounds, mem_cost }
}

/** Uploads a file and waits for its import. The same file finds the import that an earlier run had begun. */
async function importFile(
  client: Client,
  { csv }: PeopleFile,
  { site, is_dry }: { site: string; is_dry: boolean },
  progress: (job: Job) => void,
): Promise<Job> {
  const upload = async (key: string) => {
    const form = new FormData()
    form.set('site_code', site)
    form.set('dry_run', String(is_dry))
    form.set('file', new Blob([csv], { type: 'text/csv' }), 'people.csv')
    const answer = await client.send('POST', '/api/v1/bulk/register', form, { 'idempotency-key': key })
    if (answer.status !== 202) throw new StartError(`The upload was refused: ${detailOf(answer)}`)
    return answer.body as Pick<Job, 'job_id' | 'status'>
  }
  let { job_id, status } = await upload('import-people')
  while (STOPPED.includes(status)) ({ job_id, status } = await upload(`import-people after ${job_id}`))
  for (let wait = 200; ; wait = Math.min(wait * 1.5, 2_000)) {
    const answer = await client.send('GET', `/api/v1/bulk/jobs/${job_id}`)
    if (answer.status !== 200) throw new StartError(detailOf(answer))
    const job = answer.body as Job
    if (STOPPED.includes(job.status))
      throw new StartError(
        `The import stopped: ${job.failure?.message ?? job.status}. Run the command again to go on.`,
      )
    if (!UNDER_WAY.includes(job.status)) return job
    progress(job)
    await sleep(wait)
  }
}

/** Each refused record by the name it has in the other system, as lines of a CSV. */
async function faultsOf(client: Client, job_id: string, { places }: PeopleFile): Promise<string[]> {
  const { status, text } = await client.send('GET', `/api/v1/bulk/jobs/${job_id}/errors.csv`)
  if (status !== 200) throw new StartError(`The refused records cannot be read: status ${status}`)
  const [, ...lines] = text.replace('\ufeff', '').trim().split(/\r?\n/)
  return lines.map((line) => {
    const [row = '', , ...rest] = line.split(',')
    // The other system's people may have chosen their ids: no line of its own in a file or on a screen comes of one.
    const place = (places[Number(row) - 1] ?? `record ${row}`).replaceAll(/\p{Cc}+/gu, ' ')
    return [csvLine([place]).trimEnd(), ...rest].join(',')
  })
}
