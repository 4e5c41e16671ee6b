import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort, Worker } from 'node:worker_threads'

type Counts = { total: number; distinct: number; most: number }

/** A receiver on its own thread: in one event loop with many senders it would look like a slow partner. */
export async function startSink() {
  const worker = new Worker(import.meta.filename)
  const next = <T>() => new Promise<T>((resolve) => worker.once('message', resolve))
  const port = await next<number>()
  return {
    url: `http://127.0.0.1:${port}/hook`,
    /** All requests, distinct requests by path and event id, and the highest count of one request. */
    counts() {
      worker.postMessage('counts')
      return next<Counts>()
    },
    close: () => worker.terminate(),
  }
}

const seen = new Map<string, number>()
let total = 0
if (parentPort) {
  const port = parentPort
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const name = `${request.url} ${String(request.headers['x-sso-event-id'])}`
    seen.set(name, (seen.get(name) ?? 0) + 1)
    total++
    request.resume()
    response.writeHead(204).end()
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () =>
    port.postMessage((server.address() as AddressInfo).port),
  )
  port.on('message', () => {
    const counts: Counts = { total, distinct: seen.size, most: Math.max(0, ...seen.values()) }
    port.postMessage(counts)
  })
}
