import { Resolver } from 'node:dns/promises'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { buildConnector } from 'undici'
import { canonical } from './addresses.ts'
import { fixedAddresses, mayReach, type OutboundPolicy } from './vetting.ts'

export type OutboundError =
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'blocked_address'
  | 'refused_url'
  | 'protocol'

/**
 * Tests replace `resolve` (the addresses of a name) and `ca` (the trusted authorities instead of the system's).
 * `onConnected` is called with the address that a host name led to.
 */
export type OutboundEdges = {
  resolve?: (name: string) => Promise<string[]>
  ca?: string
  onConnected?: (host: string, address: string) => void
}

/** A connector for undici that does DNS, address vetting, connect and TLS. Errors are made by `failure`. */
export function vettedConnect(
  policy: OutboundPolicy,
  deadlineMs: number,
  edges: OutboundEdges,
): buildConnector.connector {
  return ({ hostname, port, protocol }, callback) => {
    const isSecure = protocol === 'https:'
    const deadline = startDeadline(deadlineMs)
    const open = async () => {
      const addresses = await Promise.race([addressesOf(hostname, policy, edges), deadline.passed])
      const target = { host: hostname, port: Number(port || (isSecure ? 443 : 80)), isSecure, addresses }
      return openSocket(target, edges, deadline.signal)
    }
    const hand = async () => {
      let socket: Socket
      try {
        socket = await open()
      } catch (error) {
        callback(error instanceof Error ? error : failure('connect', error), null)
        return
      } finally {
        deadline.clear()
      }
      edges.onConnected?.(hostname, canonical(socket.remoteAddress ?? ''))
      callback(null, socket)
    }
    void hand()
  }
}

/**
 * Resolves a host once. One forbidden address refuses the host, because the next answer could contain that one only.
 */
export async function addressesOf(
  host: string,
  policy: OutboundPolicy,
  { resolve = askNameServers }: OutboundEdges,
) {
  const addresses = isIP(host) > 0 ? [host] : (fixedAddresses(host) ?? (await resolve(host).catch(() => [])))
  if (addresses.length === 0) throw failure('dns')
  if (!addresses.every((address) => mayReach(host, address, policy))) throw failure('blocked_address')
  return addresses
}

type Target = { host: string; port: number; isSecure: boolean; addresses: string[] }
type Found = (error: null, addresses: { address: string; family: number }[]) => void

/**
 * Connects to a vetted address (Happy Eyeballs, RFC 8305) and checks the address reached. Name and SNI stay the host's.
 */
function openSocket(
  { host, port, isSecure, addresses }: Target,
  { ca }: OutboundEdges,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    const lookup = (_name: string, _options: object, done: Found) => done(null, found)
    const tcp = { host, port, lookup, autoSelectFamily: true, noDelay: true }
    const servername = isIP(host) > 0 ? '' : host
    const tls = {
      servername,
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
    }
    const socket = isSecure ? connectTls({ ...tcp, ...tls }) : connectTcp(tcp)
    const expire = () => socket.destroy(failure('timeout'))
    let phase: OutboundError = 'connect'
    signal.addEventListener('abort', expire, { once: true })
    socket
      .once('connect', () => {
        phase = 'tls'
        const reached = canonical(socket.remoteAddress ?? '')
        if (!addresses.some((address) => canonical(address) === reached))
          socket.destroy(failure('blocked_address'))
      })
      .once(isSecure ? 'secureConnect' : 'connect', () => {
        signal.removeEventListener('abort', expire)
        if (!socket.destroyed) resolve(socket)
      })
      // The listener stays for the life of the socket: an error before undici listens must not end the process.
      .on('error', (error) => reject('outbound' in error ? error : failure(phase, error)))
      .once('close', () => reject(failure(phase)))
  })
}

/**
 * Queries the configured name servers for A and AAAA. Not getaddrinfo: its calls cannot be cancelled, and a slow name
 * server would hold threads that files and compression need. /etc/hosts is therefore not read.
 */
async function askNameServers(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

/** A deadline on the monotonic clock, as an abort signal and as a promise that rejects. */
export function startDeadline(ms: number) {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), ms)
  const passed = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(failure('timeout')), { once: true })
  })
  passed.catch(() => {}) // nobody may be waiting for it any more
  return { signal: controller.signal, passed, clear: () => clearTimeout(timer) }
}

export const failure = (outbound: OutboundError, cause?: unknown) =>
  Object.assign(new Error(`outbound: ${outbound}`, { cause }), { outbound })

/** Any foreign error is a protocol error: garbage, too many headers, a connection closed too early. */
export function causeOf(error: unknown): OutboundError {
  if (!(error instanceof Error)) throw error
  if ('outbound' in error) return error.outbound as OutboundError
  if ('code' in error && error.code === 'UND_ERR_INVALID_ARG') throw error // our caller's mistake, not the stranger's
  return 'protocol'
}
