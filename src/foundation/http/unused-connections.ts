import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Knows the open connections of a server, and ends those that have sent nothing when the server closes: browsers and
 * libraries open some in advance, and Node counts only one that had a request as idle.
 */
export function endUnused(server: Server): () => void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}
