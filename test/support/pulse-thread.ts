import { Agent, get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

/** The thread of pulse.ts: polls each address over its own connection and keeps the longest response time. */
const EVERY_MS = 10
const WORK_MS = 50

const port = parentPort
if (!port) throw new Error('pulse-thread.ts runs in a worker thread only')
const urls = workerData as string[]
const longest = urls.map(() => 0)
const beganAt = urls.map((): number | undefined => undefined)

port.on('message', (question: 'longest' | 'slowness') => {
  if (question === 'slowness') return port.postMessage(slowness())
  const now = performance.now()
  // A pending request counts with the time it has waited so far.
  const ms = longest.map((known, at) => Math.max(known, now - (beganAt[at] ?? now)))
  longest.fill(0)
  return port.postMessage(ms)
})

/** Wall time of a thread's work divided by its CPU time: 1 on an idle machine. */
function slowness(): number {
  const [began, before] = [performance.now(), process.threadCpuUsage()]
  for (;;) {
    const { user, system } = process.threadCpuUsage(before)
    const worked = (user + system) / 1_000
    if (worked >= WORK_MS) return Math.max(1, (performance.now() - began) / worked)
  }
}

for (const [at, url] of urls.entries()) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = () => {
    const began = performance.now()
    beganAt[at] = began
    const end = () => {
      beganAt[at] = undefined
      longest[at] = Math.max(longest[at] ?? 0, performance.now() - began)
      setTimeout(ask, EVERY_MS)
    }
    get(url, { agent }, (reply) => reply.resume().on('end', end)).on('error', end)
  }
  ask()
}
