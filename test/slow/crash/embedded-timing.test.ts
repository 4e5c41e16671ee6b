import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const home = mkdtempSync(join(tmpdir(), 'lyceum-start-'))
chmodSync(home, 0o755)
after(() => rmSync(home, { recursive: true, force: true, maxRetries: 20 }))

/** Starts the embedded server in a process of its own and ends that; how long the start took (ms). */
async function startAndEnd(dataDir: string, signal: NodeJS.Signals): Promise<number> {
  const script = join(import.meta.dirname, 'embedded-process.ts')
  const child = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
  return (JSON.parse(line.toString()) as { ms: number }).ms
}

test('the embedded server restarts, and is adopted after a kill, in half the time of its first start', async () => {
  const times: Record<'first' | 'again' | 'adopted', number>[] = []
  for (let round = 0; round < 3; round++) {
    const dataDir = join(home, String(round))
    mkdirSync(dataDir)
    const first = await startAndEnd(dataDir, 'SIGTERM')
    const again = await startAndEnd(dataDir, 'SIGKILL')
    const adopted = await startAndEnd(dataDir, 'SIGTERM')
    times.push({ first, again, adopted })
  }
  const least = (which: 'first' | 'again' | 'adopted') => Math.min(...times.map((one) => one[which]))
  assert.ok(2 * least('again') < least('first'), JSON.stringify(times))
  assert.ok(2 * least('adopted') < least('first'), JSON.stringify(times))
})
