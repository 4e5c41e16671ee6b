import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { call, type Product, startProduct } from '#testing/product.ts'
import { splitSocketHost } from '../src/foundation/database/url.ts'
import { seedCollections } from './bench-collections.ts'
import { benchGrowth } from './bench-grow.ts'
import { benchImport } from './bench-import.ts'
import { benchSearch } from './bench-search.ts'
import { benchAlone, benchWaits } from './bench-waits.ts'
import { CONNECTIONS, cpuTimes, drive, type Load, postmasterOf, type Target } from './bench-load.ts'

/**
 * Prints ratios to bare limits, not absolute figures: limit, product, limit again for three rounds; the median counts.
 * `npm run bench -- --seconds 5 --only login`; `--only import --rows 20000` for a shorter workbook. Rate limits are
 * off; everything else is a normal start.
 */
const words = process.argv.slice(2).join(' ')
const seconds = Number(/--seconds (\d+)/.exec(words)?.[1] ?? 2)
const only = /--only (\w+)/.exec(words)?.[1]
const ROUNDS = 3
const ROWS = Number(/--rows (\d+)/.exec(words)?.[1] ?? 100_000)
/** Answers of the warm-up: the JIT compiler needs them, and the bench measures a program that has run for minutes. */
const WARM = 2_000
/** ms. A read below this counts as not delayed by concurrent sign-ins. */
const BESIDE_MS = 50
/** Learners who watch or answer at the same time. */
const LEARNERS = 64
/** Enough tests that no learner has more attempts at one than a keen learner would. */
const TESTS = 40
const MANY = 100_000
const JSON_BODY = { 'content-type': 'application/json' }
const FEW = 1_000

type Line = {
  path: string
  against: string
  bar: number
  /** At most so many times the CPU of the limit, Node and PostgreSQL together; then `bar` is 0. */
  cpuBar?: number
  ours: () => Promise<Load>
  limit: () => Promise<Load>
}

if (words.includes('--grow')) {
  const isGood = await benchGrowth(Number(/--most (\d+)/.exec(words)?.[1] ?? 1_000_000), seconds)
  process.exit(isGood ? 0 : 1)
}
const dataDir = mkdtempSync(join(tmpdir(), 'lyceum-bench-'))
let refresher: Person | undefined
let school: Class | undefined
let known: { site: Person['site']; people: { email: string; password: string }[] } | undefined
const product = await startProduct(dataDir, {}, { keepsLog: false })
const url = databaseUrl(dataDir)
const sql = postgres(splitSocketHost(url).url, { ...splitSocketHost(url), max: 1, onnotice: () => {} })
let limits: ChildProcess | undefined
try {
  const few = await aTenant('few')
  const many = await aTenant('many')
  const channel_id = await seed(few, FEW)
  if (only === undefined || 'channel'.startsWith(only)) await seed(many, MANY)
  if (only === undefined || 'collections'.startsWith(only)) {
    await seedCollections(sql, product.collections, few, 10)
    await seedCollections(sql, product.collections, many, 10_000)
  }
  const feed = `${product.learning}/api/device/feed/${channel_id}`
  const { headers: made } = await fetch(feed, { headers: { 'accept-encoding': 'identity' } })
  const etag = made.get('etag') ?? ''
  const bare = await startLimits({
    url,
    tenant_id: few.tenant_id,
    user_id: few.user_id,
    site_id: few.site.site_id,
  })

  const us: Target = { pid: product.pid, postmaster: postmasterOf(dataDir) }
  const them: Target = { pid: bare.pid, postmaster: us.postmaster }
  const bearer = { authorization: few.authorization }
  const get =
    (target: Target, address: string, headers = {}, expect = 200) =>
    () =>
      drive(target, seconds, { url: address, headers, expect })
  const oneByKey = get(us, `${product.learning}/api/channels/${channel_id}`, bearer)
  const list = (headers: Record<string, string>) => get(us, `${product.learning}/api/channels`, headers)

  const collections = ({ authorization }: Person) =>
    get(us, `${product.collections}/api/collections?per_page=10`, { authorization })

  const lines: Line[] = [
    {
      path: 'channel by id',
      against: 'B2 same rows',
      bar: 0.6,
      ours: oneByKey,
      limit: get(them, `${bare.address}/channel/${channel_id}`, bearer),
    },
    {
      path: 'channel list',
      against: 'B2 same rows',
      bar: 0.5,
      ours: list(bearer),
      limit: get(them, `${bare.address}/channels`, bearer),
    },
    {
      path: 'channel list, 100 k rows',
      against: 'same list, 1 k rows',
      bar: 0.8,
      ours: list({ authorization: many.authorization }),
      limit: list(bearer),
    },
    {
      path: 'session check',
      against: 'B2 same rows',
      bar: 0.6,
      ours: get(us, `${product.sso}/api/v1/users/${few.user_id}`, bearer),
      limit: get(them, `${bare.address}/user`, bearer),
    },
    {
      path: 'feed 200',
      against: 'B2 same rows',
      bar: 0.5,
      ours: get(us, feed),
      limit: get(them, `${bare.address}/feed/${channel_id}`),
    },
    {
      path: 'feed 304',
      against: 'B2 one version read',
      bar: 0.5,
      ours: get(us, feed, { 'if-none-match': etag }, 304),
      limit: get(them, `${bare.address}/feed/${channel_id}`, { 'if-none-match': etag }, 304),
    },
    {
      path: 'refresh',
      against: 'B3 same statements',
      bar: 0.5,
      ours: () => refreshes(us),
      limit: () => bareRefreshes(bare, them),
    },
    {
      path: 'login',
      against: 'B4 same hashes',
      bar: 0,
      cpuBar: 1.25,
      ours: () => logins(us, few),
      limit: () => bareHashes(bare, them),
    },
    {
      path: 'collections list, 10 k',
      against: 'same list, 10',
      bar: 0.5,
      ours: collections(many),
      limit: collections(few),
    },
    {
      path: 'progress beat',
      against: 'B3 same statements',
      bar: 0.5,
      ours: () => beats(us),
      limit: async () => {
        const { tenant_id, channel_id, episode_id, tokens } = await aClass()
        return bareLoop(bare, them, { beat: { seconds, tenant_id, channel_id, episode_id, tokens } })
      },
    },
    {
      path: 'attempt',
      against: 'B3 same statements',
      bar: 0.4,
      ours: () => attempts(us),
      limit: async () => {
        const { tenant_id, channel_id, tests: papers, tokens } = await aClass()
        return bareLoop(bare, them, { attempt: { seconds, tenant_id, channel_id, papers, tokens } })
      },
    },
  ]
  console.log(
    `${seconds} s a run, ${ROUNDS} rounds, 32 connections; CPU in µs per answer of our process, PostgreSQL and the load tool\n`,
  )
  console.log(
    row([
      'path',
      'against',
      'ours/s',
      'limit/s',
      'p50',
      'p99',
      'errors',
      'cpu',
      'cpu pg',
      'cpu tool',
      'ratio',
      'bar',
    ]),
  )
  let isBelow = false
  for (const { path, against, bar, cpuBar, ours, limit } of lines.filter((line) =>
    line.path.startsWith(only ?? ''),
  )) {
    await limit()
    for (let answers = 0; answers < WARM;) answers += (await ours()).rate * seconds
    const rounds = []
    for (let round = 0; round < ROUNDS; round++) {
      const before = await limit()
      const mine = await ours()
      const after = await limit()
      const bound = (before.rate + after.rate) / 2
      rounds.push({ mine, bound, ratio: mine.rate / bound, alone: (before.cpu.ours + after.cpu.ours) / 2 })
    }
    const { mine, bound, ratio, alone } = rounds.toSorted((a, b) => a.ratio - b.ratio)[ROUNDS >> 1] ?? {
      mine: await ours(),
      bound: 0,
      ratio: 0,
      alone: 0,
    }
    const errors = rounds.reduce((sum, one) => sum + one.mine.errors, 0)
    const beside = rounds.flatMap((one) => one.mine.beside ?? []).toSorted((a, b) => a - b)[ROUNDS >> 1]
    const times = (mine.cpu.ours + mine.cpu.postgres) / alone
    const isCostly = cpuBar !== undefined && times > cpuBar
    isBelow ||= ratio < bar || errors > 0 || (beside ?? 0) >= BESIDE_MS || isCostly
    const whole = (n: number) => n.toFixed(0)
    console.log(
      row([
        path,
        against,
        whole(mine.rate),
        whole(bound),
        `${mine.p50}`,
        `${mine.p99}`,
        `${errors}`,
        whole(mine.cpu.ours),
        whole(mine.cpu.postgres),
        whole(mine.cpu.tool),
        ratio.toFixed(2),
        `${bar}${ratio < bar ? '  BELOW' : ''}`,
      ]),
    )
    if (beside !== undefined)
      console.log(
        `  meanwhile GET user by id: p99 ${beside} ms of ${BESIDE_MS}${beside < BESIDE_MS ? '' : '  ABOVE'}; the hash alone costs ${whole(alone)} µs of CPU`,
      )
    if (cpuBar !== undefined)
      console.log(
        `  CPU with PostgreSQL, and with those GET: ${times.toFixed(2)} times the hash alone, bar ${cpuBar}${isCostly ? '  ABOVE' : ''}`,
      )
  }
  if (only === undefined || 'import'.startsWith(only)) {
    const person = await aTenant('import')
    isBelow =
      (await benchImport({ product, sql, target: us, person, rounds: ROUNDS, count: ROWS })) || isBelow
  }
  if (only === undefined || 'waits'.startsWith(only)) {
    const person = await aTenant('waits')
    isBelow =
      (await benchWaits({ product, sql, url, target: us, person, seconds, rounds: ROUNDS })) || isBelow
  }
  if (only === undefined || 'search'.startsWith(only))
    isBelow = (await benchSearch(product, sql, await aTenant('search'))) || isBelow
  if (only === undefined || 'long'.startsWith(only))
    isBelow = (await benchAlone('bench-long.ts', [])) || isBelow
  if (only === undefined || 'webhooks'.startsWith(only))
    isBelow = (await benchAlone('bench-webhooks.ts', [])) || isBelow
  if (only === undefined || 'overload'.startsWith(only))
    isBelow = (await benchAlone('bench-overload.ts', [])) || isBelow
  if (only === undefined || 'start'.startsWith(only))
    isBelow = (await benchAlone('bench-start.ts', [])) || isBelow
  if (isBelow) process.exitCode = 1
} finally {
  limits?.kill()
  await sql.end()
  await product.end()
  rmSync(dataDir, { recursive: true, force: true })
}

function row(cells: string[]) {
  const widths = [25, 21, 8, 8, 5, 5, 7, 5, 7, 9, 6, 5]
  return cells
    .map((cell, place) => (place < 2 ? cell.padEnd(widths[place] ?? 0) : cell.padStart(widths[place] ?? 0)))
    .join(' ')
}

type Class = {
  tenant_id: string
  channel_id: string
  episode_id: string
  tests: { test_id: string; answers: { question_id: string; answer: boolean }[] }[]
  tokens: string[]
}
type Person = {
  tenant_id: string
  user_id: string
  authorization: string
  site: { site_id: string; site_key: string }
  account: Record<string, string>
}

/** A new tenant with one plain learner, created through the API. */
async function aTenant(name: string): Promise<Person> {
  const { sso, firstRun }: Product = product
  const first = { 'x-sso-site-key': firstRun.sites['learning']?.site_key ?? '' }
  const password = 'a bench of oak and iron'
  const register = async (headers: Record<string, string>, email: string) => {
    await must(201, call(`${sso}/api/v1/auth/register`, { headers, body: { email, password } }))
    return must(200, call(`${sso}/api/v1/auth/login`, { headers, body: { email, password } }))
  }
  const owner = await register(first, `owner-${name}@example.org`)
  const made = await must(
    201,
    call(`${sso}/api/v1/sites`, {
      headers: { authorization: `Bearer ${String(owner['access_token'])}` },
      body: { name, environment: 'production' },
    }),
  )
  const site = { site_id: String(made['site_id']), site_key: String(made['site_key']) }
  const email = `learner-${name}@example.org`
  const learner = await register({ 'x-sso-site-key': site.site_key }, email)
  const user = learner['user'] as { user_id: string }
  return {
    tenant_id: String(made['tenant_id']),
    user_id: user.user_id,
    authorization: `Bearer ${String(learner['access_token'])}`,
    site,
    account: { email, password },
  }
}

/** Creates one channel of ten episodes through the API and copies it in the database. Returns the channel's id. */
async function seed({ tenant_id, authorization }: Person, count: number): Promise<string> {
  const episodes = Array.from({ length: 10 }, (_, n) => ({
    title: `Episode ${n + 1}`,
    description: 'What is said in it, in a sentence or two, as a catalogue would have it.',
    video: { url: `https://media.example.org/${n + 1}.mp4`, duration_seconds: 600 + n },
  }))
  const made = await must(
    201,
    call(`${product.learning}/api/channels`, {
      headers: { authorization },
      body: { title: 'Measured', description: 'One of many.', episodes },
    }),
  )
  await sql`
    insert into learning.channels (
      tenant_id, id, owner_id, instructor_ids, title, description, language, level, tags, status, enrollment, visibility,
      sequential, completion_threshold, passing_percent, created_at, updated_at, published_at)
    select tenant_id, gen_random_uuid(), 'somebody else', '{}', title || ' ' || n, description, language, level, tags, status,
           enrollment, visibility, sequential, completion_threshold, passing_percent, created_at - n * interval '1 s', updated_at, published_at
      from learning.channels, generate_series(1, ${count - 1}::int) as n
     where tenant_id = ${tenant_id} and id = ${String(made['id'])}`
  await sql`
    update learning.channel_counts set listed = ${count}, live = ${count} where tenant_id = ${tenant_id}`
  await sql`analyze learning.channels`
  return String(made['id'])
}

/** Each connection refreshes its own session in a loop. */
async function refreshes(target: Target): Promise<Load> {
  const tokens = await sessions(CONNECTIONS)
  const headers = { 'x-sso-site-key': tokens.site.site_key, 'content-type': 'application/json' }
  return drive(target, seconds, {
    url: `${product.sso}/api/v1/auth/refresh`,
    method: 'POST',
    headers,
    setupClient(client) {
      client.setBody(JSON.stringify({ refresh_token: tokens.list.pop() }))
      client.on('body', (body) => {
        const { refresh_token } = JSON.parse(body.toString()) as { refresh_token: string }
        client.setBody(JSON.stringify({ refresh_token }))
      })
    },
  })
}

async function bareRefreshes(bare: Bare, target: Target): Promise<Load> {
  const { list, site } = await sessions(CONNECTIONS)
  return bareLoop(bare, target, { rotate: { seconds, tokens: list, site_key: site.site_key } })
}

function bareHashes(bare: Bare, target: Target): Promise<Load> {
  return bareLoop(bare, target, { hash: { seconds } })
}

type Bare = { child: ChildProcess }

/** Runs a loop in the bare process, without HTTP. */
async function bareLoop({ child }: Bare, target: Target, order: object): Promise<Load> {
  const before = cpuTimes(target)
  const answer = new Promise<{ count: number }>((resolve) =>
    child.once('message', resolve as (message: unknown) => void),
  )
  child.send(order)
  const { count } = await answer
  const after = cpuTimes(target)
  const each = (name: keyof typeof before) => (after[name] - before[name]) / count
  return {
    rate: count / seconds,
    p50: 0,
    p99: 0,
    errors: 0,
    cpu: { ours: each('ours'), postgres: each('postgres'), tool: 0 },
  }
}

/** Each connection signs in its own person in a loop, while another client reads one user 50 times a second. */
async function logins(target: Target, reader: Person): Promise<Load> {
  const { site, people } = await signers()
  const left = [...people]
  const [load, beside] = await Promise.all([
    drive(target, seconds, {
      url: `${product.sso}/api/v1/auth/login`,
      method: 'POST',
      headers: { 'x-sso-site-key': site.site_key, 'content-type': 'application/json' },
      setupClient: (client) => client.setBody(JSON.stringify(left.pop())),
    }),
    drive(target, seconds, {
      url: `${product.sso}/api/v1/users/${reader.user_id}`,
      headers: { authorization: reader.authorization },
      connections: 2,
      rate: 50,
    }),
  ])
  return { ...load, errors: load.errors + beside.errors, beside: beside.p99 }
}

/** Each connection is a learner whose every request watches the next 15 s, never to the end. */
async function beats(target: Target): Promise<Load> {
  const { episode_id, tokens } = await aClass()
  const bodyOf = (count: number) => {
    const from = (count % 33) * 15
    return JSON.stringify({ episode_id, position_seconds: from + 15, segments: [[from, from + 15]] })
  }
  const left = [...tokens]
  return drive(target, seconds, {
    url: `${product.learning}/api/progress`,
    method: 'POST',
    connections: LEARNERS,
    setupClient(client) {
      let count = 0
      client.setHeaders({ ...JSON_BODY, authorization: `Bearer ${left.pop()}` })
      client.setBody(bodyOf(count))
      client.on('body', () => client.setBody(bodyOf(++count)))
    },
  })
}

/** Each connection is a learner who takes tests of ten questions in turn, then starts over. */
async function attempts(target: Target): Promise<Load> {
  const { tests, tokens } = await aClass()
  const left = [...tokens]
  return drive(target, seconds, {
    url: product.learning,
    expect: 201,
    connections: LEARNERS,
    setupClient(client) {
      const headers = { ...JSON_BODY, authorization: `Bearer ${left.pop()}` }
      client.setRequests(
        tests.map(({ test_id, answers }) => ({
          method: 'POST',
          path: `/api/episodes/tests/${test_id}/attempt`,
          headers,
          body: JSON.stringify({ answers }),
        })),
      )
    },
  })
}

/** A channel with a video and tests of ten questions, and learners who have all begun. */
async function aClass(): Promise<Class> {
  if (school) return school
  const { tenant_id, authorization, site } = await aTenant('class')
  const headers = { authorization }
  const made = await must(
    201,
    call(`${product.learning}/api/channels`, {
      headers,
      body: { title: 'Class', episodes: [{ title: 'One', video: { url: '/1.mp4', duration_seconds: 600 } }] },
    }),
  )
  const [{ id: episode_id }] = made['episodes'] as [{ id: string }]
  const aTest = async () => {
    const at = `${product.learning}/api/episodes/${episode_id}/tests`
    const { id } = await must(201, call(at, { headers, body: { title: 'Test' } }))
    const questions = Array.from({ length: 10 }, () => ({
      type: 'true_false',
      prompt: 'Is it?',
      correct: true,
    }))
    const inside = `${product.learning}/api/episodes/tests/${String(id)}/questions`
    const { items } = await must(201, call(inside, { headers, body: { questions } }))
    const answers = (items as { id: string }[]).map((question) => ({
      question_id: question.id,
      answer: true,
    }))
    return { test_id: String(id), answers }
  }
  const tests = []
  for (let n = 0; n < TESTS; n++) tests.push(await aTest())
  const tokens = []
  for (let n = 0; n < LEARNERS; n++) {
    const body = { email: `pupil-${n}@example.org`, password: 'a bench of oak and iron' }
    const key = { 'x-sso-site-key': site.site_key }
    await must(201, call(`${product.sso}/api/v1/auth/register`, { headers: key, body }))
    const { access_token } = await must(200, call(`${product.sso}/api/v1/auth/login`, { headers: key, body }))
    const own = { authorization: `Bearer ${String(access_token)}` }
    await must(201, call(`${product.learning}/api/progress`, { headers: own, body: { episode_id } }))
    tokens.push(String(access_token))
  }
  return (school = { tenant_id, channel_id: String(made['id']), episode_id, tests, tokens })
}

async function signers() {
  if (known) return known
  const { site } = (refresher ??= await aTenant('refresh'))
  const people = Array.from({ length: CONNECTIONS }, (_, n) => ({
    email: `signer-${n}@example.org`,
    password: 'a bench of oak and iron',
  }))
  for (const body of people)
    await must(
      201,
      call(`${product.sso}/api/v1/auth/register`, { headers: { 'x-sso-site-key': site.site_key }, body }),
    )
  return (known = { site, people })
}

async function sessions(count: number) {
  const { site, account } = (refresher ??= await aTenant('refresh'))
  const headers = { 'x-sso-site-key': site.site_key }
  const list: string[] = []
  for (let n = 0; n < count; n++)
    list.push(
      String(
        (await must(200, call(`${product.sso}/api/v1/auth/login`, { headers, body: account })))[
          'refresh_token'
        ],
      ),
    )
  return { list, site }
}

async function must(status: number, answer: ReturnType<typeof call>) {
  const { status: got, body } = await answer
  if (got !== status) throw new Error(`expected ${status}, got ${got}: ${JSON.stringify(body)}`)
  return body
}

async function startLimits(settings: Record<string, string>) {
  const child = fork(join(import.meta.dirname, 'bench-limits.ts'), [JSON.stringify(settings)])
  limits = child
  const { address } = await new Promise<{ address: string }>((resolve, reject) => {
    child.once('message', resolve as (message: unknown) => void)
    child.once('exit', () => reject(new Error('the bare server ended')))
  })
  return { child, address, pid: child.pid ?? 0 }
}

/** Reads the password of the embedded server from its file, like an operator. */
function databaseUrl(dir: string): string {
  const { app } = JSON.parse(readFileSync(join(dir, 'postgres/passwords.json'), 'utf8')) as { app: string }
  return `postgres://lyceum:${encodeURIComponent(app)}@localhost:5432/lyceum?host=${encodeURIComponent(join(dir, 'postgres/socket'))}`
}
