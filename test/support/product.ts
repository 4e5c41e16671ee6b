import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyGoldenFolder, isEmptyFolder } from './golden-folder.ts'
import type { FirstRun } from './world.ts'

export type Product = {
  sso: string
  learning: string
  collections: string
  pid: number
  dataDir: string
  firstRun: FirstRun
  /** Milliseconds from spawn to the line that reports readiness. */
  startedIn: number
  /** Everything written to stderr so far, which is the log. */
  log: () => string
  /** What opens /metrics, where a proxy stands in front. */
  metricsToken?: string
  /** Sends the signal and waits for the exit; resolves with the exit code or signal name. */
  end: (signal?: NodeJS.Signals) => Promise<number | string>
}

export const newDataDir = () => mkdtempSync(join(tmpdir(), 'lyceum-product-'))
export const removeDataDir = (dataDir: string) => rmSync(dataDir, { recursive: true, force: true })

const FREE_PORTS = { SSO_PORT: '0', LEARNING_PORT: '0', COLLECTIONS_PORT: '0' }
export const NO_LIMITS = {
  RATE_LIMIT_DEFAULT: '0',
  SSO_RATE_LIMIT_SITE: '0',
  SSO_RATE_LIMIT_AUTH: '0',
  SSO_WEBHOOK_RATE: '0',
  COLLECTIONS_RATE_LIMIT: '0',
}

const OURS = join(import.meta.dirname, '../..')
/** The flags of Node that `npm start` sets. */
function flagsOf(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  return /bin\/node (.*) src\/main\.ts/.exec(scripts.start)?.[1]?.split(' ') ?? []
}

/**
 * The file that names an installation which runs already; journeys then take place there and not on a program of their
 * own (`npm run cluster -- --journeys`).
 */
const RUNNING = process.env['LYCEUM_RUNNING']
export const isRunning = RUNNING !== undefined

/** What that file holds, as JSON. */
export type Running = Pick<Product, 'sso' | 'learning' | 'collections' | 'dataDir'> & { metricsToken: string }

function runningProduct(file: string): Product {
  const running = JSON.parse(readFileSync(file, 'utf8')) as Running
  return {
    ...running,
    firstRun: JSON.parse(readFileSync(join(running.dataDir, 'first-run.json'), 'utf8')) as FirstRun,
    pid: 0,
    startedIn: 0,
    log: () => '',
    end: async () => 0,
  }
}

/** With these a first start does something else. */
const OF_FIRST_START = /^(ADMIN_EMAIL|ADMIN_PASSWORD|MASTER_KEY|DATABASE_URL|WORKERS)$/

/**
 * The program in its own process, as an operator starts it: on the embedded database of `dataDir`, on free ports, with
 * limits off unless `env` sets them. `args` names parts of the program, `root` the checkout of another release. Rejects with
 * its output if it exits before it is ready. Where an installation runs already, that one. An empty folder is filled as a
 * first start would have left it, unless `isFirst` or a setting says that the first start itself matters.
 */
export async function startProduct(
  dataDir: string,
  env: Record<string, string> = {},
  { keepsLog = true, args = [] as string[], root = OURS, isFirst = false } = {},
): Promise<Product> {
  if (RUNNING !== undefined) return runningProduct(RUNNING)
  const matters = isFirst || root !== OURS || Object.keys(env).some((name) => OF_FIRST_START.test(name))
  if (!matters && isEmptyFolder(dataDir)) await copyGoldenFolder(dataDir, startOnce)
  const started = performance.now()
  const child = spawn(process.execPath, [...flagsOf(root), join(root, 'src/main.ts'), ...args], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATA_DIR: dataDir,
      ...FREE_PORTS,
      ...NO_LIMITS,
      PATIENCE: '30',
      ...env,
    },
    stdio: ['ignore', 'pipe', keepsLog ? 'pipe' : 'ignore'],
  })
  const ended = new Promise<number | string>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 'unknown')),
  )
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text))
  const ready = await readyLine(child, ended, () => log)
  return {
    ...ready,
    pid: child.pid ?? 0,
    dataDir,
    firstRun: JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as FirstRun,
    startedIn: performance.now() - started,
    log: () => log,
    end(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** Makes what a first start makes. */
async function startOnce(dataDir: string): Promise<void> {
  const product = await startProduct(dataDir, {}, { isFirst: true })
  const how = await product.end()
  if (how !== 0) throw new Error(`The first start ended with ${how}:\n${product.log()}`)
}

type Ready = { ready: true; sso: string; learning: string; collections: string }

function readyLine(child: ChildProcess, ended: Promise<number | string>, log: () => string): Promise<Ready> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (text.includes('\n')) resolve(JSON.parse(text) as Ready)
    })
    void ended.then((how) =>
      reject(new Error(`The program ended (${how}) before it was ready:\n${log()}${text}`)),
    )
  })
}

type Answer = { status: number; headers: Headers; body: Record<string, unknown> & { items?: unknown[] } }

/** Sends one JSON request to a running product. Rejects when the connection is lost. */
export async function call(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<Answer> {
  const { method = options.body === undefined ? 'GET' : 'POST', headers = {}, body } = options
  const reply = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  })
  const text = await reply.text()
  return {
    status: reply.status,
    headers: reply.headers,
    body: text ? (JSON.parse(text) as Answer['body']) : {},
  }
}

/** Headers of the admin of the first start, signed in at one of the first sites. */
export async function adminHeaders(
  { sso, firstRun }: Product,
  site_code = 'learning',
): Promise<Record<string, string>> {
  const { email, password } = firstRun.admin
  const site_key = firstRun.sites[site_code]?.site_key ?? ''
  const { status, body } = await call(`${sso}/api/v1/auth/login`, {
    headers: { 'x-sso-site-key': site_key },
    body: { email, password },
  })
  if (status !== 200) throw new Error(`login answered ${status}: ${JSON.stringify(body)}`)
  return { authorization: `Bearer ${String(body['access_token'])}` }
}
