import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands before a service, counts what is asked for by path, and can be away for some paths or for all. */
export async function startRelay(target: () => string) {
  const counts = new Map<string, number>()
  const lastHeaders = new Map<string, IncomingHttpHeaders>()
  const silent = new Set<() => void>()
  let away = (_path: string): boolean => false
  let answerItself = (_path: string, _outgoing: ServerResponse): boolean => false
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming
    const [path = '/'] = url.split('?')
    counts.set(path, (counts.get(path) ?? 0) + 1)
    lastHeaders.set(path, headers)
    if (away(path)) return void incoming.socket.destroy()
    if (answerItself(path, outgoing)) return
    const { hostname, port, host } = new URL(target())
    const options = { hostname, port, method, path: url, headers: { ...headers, host }, agent: false }
    const onward = request(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      outgoing.flushHeaders()
      answer.on('error', () => outgoing.destroy()).pipe(outgoing)
      const silence = () => void answer.unpipe(outgoing)
      silent.add(silence)
      outgoing.on('close', () => silent.delete(silence))
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    countOf: (path: string) => counts.get(path) ?? 0,
    /** Of the last request for it. */
    headersOf: (path: string) => lastHeaders.get(path) ?? {},
    /** Answers under way go no further, though their connections stay, as where a cable was pulled. */
    silence: () => silent.forEach((one) => one()),
    /** Answers in place of the service where it says true, as a hostile or broken proxy does. */
    answerBy: (answer: typeof answerItself) => void (answerItself = answer),
    /** Cuts all connections; from now on those for these paths are refused. */
    cut(paths: (path: string) => boolean) {
      away = paths
      server.closeAllConnections()
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
