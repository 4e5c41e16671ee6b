import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

type Proxy = { url: string; port: number }

/**
 * A reverse proxy on this machine. It forwards requests to `target` with their own Host or with `host`, and adds the
 * headers of `adds`, as nginx or Caddy do. It stops when the test file ends.
 */
export async function startProxy(
  target: string,
  { host, adds = {} }: { host?: string; adds?: Record<string, string> } = {},
): Promise<Proxy> {
  const { hostname, port } = new URL(target)
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, ...(host !== undefined && { host }), ...adds }
    const { method, url: path } = incoming
    const onward = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  const { port: own } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${own}`, port: own }
}

export type RawAnswer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** One request without a body. It sends the headers as given, including `Host`, which fetch cannot set. */
export function ask(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
      answer.on('error', reject)
    })
    sent.on('error', reject)
    sent.end()
  })
}
