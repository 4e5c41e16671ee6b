import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { atExit, type Signal } from '#foundation/processes/exit.ts'
import { eventually } from './eventually.ts'
import { processesOf } from './processes.ts'
import { NO_LIMITS } from './product.ts'

const root = join(import.meta.dirname, '../..')
const FREE_PORTS = { SSO_PORT: '0', LEARNING_PORT: '0', COLLECTIONS_PORT: '0' }

type Ready = { sso: string; learning: string; collections: string }
/** Who a signal is sent to: the whole group, as a terminal does, or one process. */
type Target = 'group' | 'npm' | 'program'

export type StartedByNpm = ReturnType<typeof startByNpm>

/**
 * `npm start` in a process group of its own, as in a terminal. It need not become ready: a test may stop it before.
 * Needs Linux, whose list of processes tells what was left behind.
 */
export function startByNpm(dataDir: string, env: Record<string, string> = {}, args: readonly string[] = []) {
  const npm = spawn('npm', ['start', ...args], {
    cwd: root,
    detached: true,
    env: {
      PATH: process.env['PATH'],
      HOME: dataDir,
      // npm keeps compiled code there.
      TMPDIR: dataDir,
      npm_config_update_notifier: 'false',
      DATA_DIR: dataDir,
      ...FREE_PORTS,
      ...NO_LIMITS,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const group = npm.pid ?? 0
  let [said, log] = ['', '']
  npm.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  npm.stderr.setEncoding('utf8').on('data', (text: string) => (log += text))
  const forget = atExit(async () => void process.kill(-group, 'SIGTERM'))
  // Closed, not only exited: the program writes into the same pipes and may live longer than npm.
  const ended = new Promise<number | string>((resolve) =>
    npm.once('close', (code, signal) => {
      forget()
      resolve(signal ?? code ?? 'unknown')
    }),
  )
  // Without a deadline: how long a first start takes depends on the machine alone.
  const ready = async (): Promise<Ready> => {
    for (;;) {
      const line = /^\{"ready":true.*\}$/m.exec(said)?.[0]
      if (line !== undefined) return JSON.parse(line) as Ready
      const how = await Promise.race([ended, once(npm.stdout, 'data')])
      if (!Array.isArray(how)) throw new Error(`npm start ended (${how}) before it was ready:\n${log}`)
    }
  }
  return {
    ready,
    ended,
    log: () => log,
    /** What npm and the program printed on stdout. */
    said: () => said,
    signal(target: Target, signal: Signal) {
      process.kill(target === 'program' ? programOf(dataDir) : target === 'npm' ? group : -group, signal)
    },
    /** Command lines of processes that still work on this data directory, and locks in it. */
    leftBehind: () => [
      ...processesOf(dataDir).map(({ command }) => command),
      ...['postgres/data/postmaster.pid'].filter((path) => existsSync(join(dataDir, path))),
    ],
  }
}

/** The process that runs the program for this data directory: a supervisor if there are workers. */
function programOf(dataDir: string): number {
  const [first] = processesOf(dataDir).filter(({ command }) => command.includes('src/main.ts'))
  if (!first) throw new Error('the program does not run')
  return first.pid
}

/** Whether another program could listen at this address now. */
export async function isPortFree(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address)
  const server = createServer()
  const isFree = new Promise<boolean>((resolve) => {
    server.once('listening', () => resolve(true)).once('error', () => resolve(false))
  })
  server.listen(Number(port), hostname)
  if (!(await isFree)) return false
  await new Promise((closed) => server.close(closed))
  return true
}

/** A sign-in whose body is sent only by `finish`, which resolves with the status of the answer. */
export async function holdSignIn(sso: string, site_key: string) {
  const { hostname, port } = new URL(sso)
  const body = JSON.stringify({ email: 'nobody@example.org', password: 'wrong horse' })
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => (text += part))
  socket.write(
    [
      'POST /api/v1/auth/login HTTP/1.1',
      `Host: ${hostname}:${port}`,
      `X-SSO-Site-Key: ${site_key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      // The interim answer tells that the service has taken the request.
      'Expect: 100-continue',
      'Connection: close',
      '\r\n',
    ].join('\r\n'),
  )
  await eventually(() => text.includes('100 Continue'))
  return {
    async finish(): Promise<number> {
      socket.write(body)
      return Number(await eventually(() => /^HTTP\/1\.1 ([2-5]\d\d)/m.exec(text)?.[1]))
    },
    drop: () => void socket.destroy(),
  }
}
