import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A private Redis or Valkey server that a test can break. */
export type RedisServer = {
  url: string
  /** SIGKILL: connections are reset and data is lost. */
  kill(): Promise<void>
  /** Restarts on the same port, empty. */
  restart(): Promise<void>
  /** SIGSTOP: connections stay open, but nothing answers. */
  stop(): void
  continue(): void
  /** Sends one inline command on a new connection; resolves to the first line of the reply. */
  command(line: string): Promise<string>
  close(): Promise<void>
}

/** Starts redis-server or valkey-server, whichever is in PATH, on a free loopback port without persistence. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'lyceum-redis-'))
  let server = await launch(port, folder)

  async function kill() {
    if (server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, 'exit')
    server.kill('SIGKILL')
    await gone
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    async restart() {
      await kill()
      server = await launch(port, folder)
    },
    stop: () => void server.kill('SIGSTOP'),
    continue: () => void server.kill('SIGCONT'),
    command: (line) => ask(port, line),
    async close() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function launch(port: number, folder: string): Promise<ChildProcess> {
  for (const binary of ['redis-server', 'valkey-server']) {
    const settings = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      '--save',
      '',
      '--appendonly',
      'no',
    ]
    const server = spawn(binary, settings, { stdio: 'ignore' })
    const isMissing = await Promise.race([
      once(server, 'spawn').then(() => false),
      once(server, 'error').then(() => true),
    ]).catch(() => true)
    if (isMissing) continue
    for (let tries = 0; tries < 200; tries++) {
      if (server.exitCode !== null) throw new Error(`${binary} ended at once with code ${server.exitCode}`)
      if ((await ask(port, 'PING').catch(() => '')) === '+PONG') return server
      await sleep(25)
    }
    server.kill('SIGKILL')
    throw new Error(`${binary} did not answer within 5 s`)
  }
  throw new Error('Neither redis-server nor valkey-server is on the PATH; install one to run this test.')
}

function ask(port: number, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${line}\r\n`))
    socket.setTimeout(5_000, () => socket.destroy(new Error(`no answer to ${line}`)))
    socket.once('data', (data) => {
      socket.destroy()
      resolve(data.toString().split('\r\n')[0] ?? '')
    })
    socket.once('error', reject)
    socket.once('end', () => reject(new Error('closed without an answer')))
  })
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
