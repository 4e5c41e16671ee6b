import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

type Node = { url: string; isReady: boolean; served: number }
export type Balancer = {
  url: string
  /** Probed from now on; served once it is ready. */
  add: (url: string) => void
  /** No longer probed, because it has ended. */
  remove: (url: string) => void
  isReady: (url: string) => boolean
  /** How many requests the node has answered. */
  served: (url: string) => number
  close: () => void
}

const PROBE_EVERY_MS = 50

/** A reverse proxy that sends requests in turns to the nodes whose /readyz answers 200, over connections that stay open. */
export async function startBalancer(): Promise<Balancer> {
  const nodes = new Map<string, Node>()
  const agent = new Agent({ keepAlive: true })
  let turn = 0
  let isOpen = true

  const server = createServer((incoming, outgoing) => {
    const ready = [...nodes.values()].filter(({ isReady }) => isReady)
    const node = ready[turn++ % ready.length]
    if (node) forward(node, incoming, outgoing)
    else refuse(outgoing, 503, 'no node is ready')
  })

  function forward(node: Node, incoming: IncomingMessage, outgoing: ServerResponse) {
    const { method, url: path, headers } = incoming
    const { hostname, port } = new URL(node.url)
    const onward = request({ hostname, port, method, path, headers, agent }, (answer) => {
      node.served += 1
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', (error) => refuse(outgoing, 502, `${node.url}: ${error.message}`))
    incoming.pipe(onward)
  }

  async function probe() {
    while (isOpen) {
      await Promise.all(
        [...nodes.values()].map(async (node) => {
          const reply = await fetch(`${node.url}/readyz`).catch(() => undefined)
          await reply?.text()
          node.isReady = reply?.status === 200
        }),
      )
      await sleep(PROBE_EVERY_MS)
    }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  void probe()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (url) => void nodes.set(url, { url, isReady: false, served: 0 }),
    remove: (url) => void nodes.delete(url),
    isReady: (url) => nodes.get(url)?.isReady ?? false,
    served: (url) => nodes.get(url)?.served ?? 0,
    close() {
      isOpen = false
      agent.destroy()
      server.close()
      server.closeAllConnections()
    },
  }
}

function refuse(outgoing: ServerResponse, status: number, detail: string) {
  if (outgoing.headersSent) outgoing.destroy()
  else outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ detail }))
}
