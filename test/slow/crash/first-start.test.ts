import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newDataDir, removeDataDir } from '#testing/product.ts'

const TRIES = Number(process.env['LYCEUM_KILLS'] ?? 6)

/** A first start that can be stopped: `begun` at its first log line, `ready`, and `ended` with how it ended. */
function begin(dataDir: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../src/main.ts')], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATA_DIR: dataDir,
      SSO_PORT: '0',
      LEARNING_PORT: '0',
      COLLECTIONS_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const state = { said: '', isReady: false }
  const ended = new Promise<number | string>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown')),
  )
  const begun = new Promise<void>((resolve) =>
    child.stderr.on('data', (part: Buffer) => {
      state.said += part.toString()
      resolve()
    }),
  )
  const ready = new Promise<void>((resolve) =>
    child.stdout.on('data', () => {
      state.isReady = true
      resolve()
    }),
  )
  return { state, begun, ready, ended, stop: () => child.kill('SIGTERM') }
}

async function inDataDir<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = newDataDir()
  try {
    return await work(dataDir)
  } finally {
    removeDataDir(dataDir)
  }
}

describe('SIGTERM during the first start', () => {
  test(`exits with code 0, ${TRIES} times of ${TRIES}`, { timeout: 600_000 }, async () => {
    // The log is flushed after half a second, so the first line appears later than the start.
    let lasts = await inDataDir(async (dataDir) => {
      const { begun, ready, ended, stop } = begin(dataDir)
      await begun
      const began = performance.now()
      await ready
      stop()
      assert.equal(await ended, 0)
      return performance.now() - began
    })
    let during = 0
    const attempt = (tried: number) =>
      inDataDir(async (dataDir) => {
        const { state, begun, ended, stop } = begin(dataDir)
        await begun
        // One kill in each part of the start, so that chance leaves none out.
        const ms = ((tried + 0.5) / TRIES) * lasts
        await sleep(ms)
        if (!state.isReady) during += 1
        // The machine has become quicker since the start that was measured.
        else lasts = Math.min(lasts, ms)
        stop()
        const how = await ended
        const what = `after ${Math.round(ms)} of ${Math.round(lasts)} ms: ${how}\n${state.said}`
        assert.equal(how, 0, what)
        assert.doesNotMatch(state.said, /uncaught|unhandled|"level":(?:50|60)|^\s+at /m, what)
        assert.ok(!existsSync(join(dataDir, 'postgres/data/postmaster.pid')), what)
        const leftovers = readdirSync(dataDir).filter((name) => /\.(?:new|part)$/.test(name))
        assert.deepEqual(leftovers, [], what)
      })
    for (let tried = 0; tried < TRIES; tried += 2) await Promise.all([attempt(tried), attempt(tried + 1)])
    assert.ok(during >= TRIES / 3, `only ${during} starts were interrupted`)
  })
})
