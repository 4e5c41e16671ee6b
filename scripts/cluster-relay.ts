import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A network between two parts. Cut, it swallows everything: connections stay open and nothing passes. */
export async function openRelay(target: number) {
  const pairs = new Set<[Socket, Socket]>()
  let isCut = false
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const one of pair) one.on('error', end).on('close', end)
    if (isCut) hold(pair)
    else join(pair)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true
      pairs.forEach(hold)
    },
    mend() {
      isCut = false
      pairs.forEach(join)
    },
    close() {
      server.close()
      for (const pair of pairs) for (const one of pair) one.destroy()
    },
  }
}

function join([near, far]: [Socket, Socket]) {
  near.pipe(far)
  far.pipe(near)
}

function hold(pair: [Socket, Socket]) {
  for (const one of pair) one.unpipe().pause()
}
