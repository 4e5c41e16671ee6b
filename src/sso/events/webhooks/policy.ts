import { isIP } from 'node:net'
import { urlOfEachHost } from '#foundation/database/url.ts'
import { isLoopback } from '#foundation/outbound/addresses.ts'
import type { Config } from '#foundation/settings/config.ts'
import { fixedAddresses, mayReach, type OutboundPolicy } from '#foundation/outbound/vetting.ts'
import { isOwnMachine } from '#foundation/http/public-address.ts'
import type { ServiceParts } from '#foundation/http/service.ts'

export type PolicyFor = (environment: 'sandbox' | 'production') => OutboundPolicy

/**
 * What a site may make us call; never one of our own ports. Sandbox sites may use http. They may use loopback only if
 * the whole installation is on this machine, because on a server its other programs listen there.
 */
export function outboundPolicies({ config, ownPorts }: Pick<ServiceParts, 'config' | 'ownPorts'>): PolicyFor {
  const stores = [...portOf(config.DATABASE_URL, 5_432), ...portOf(config.REDIS_URL, 6_379)]
  const isOnThisMachine = isOwnMachine(config)
  return (environment) => ({
    mayUseHttp: environment === 'sandbox',
    mayUseLoopback: environment === 'sandbox' && isOnThisMachine,
    allow: config.OUTBOUND_ALLOW,
    ownPorts: [...ownPorts(), ...stores],
  })
}

export type Reach = Pick<Config, 'HOST' | 'SSO_URL' | 'OUTBOUND_ALLOW'>

/**
 * Whether people of a sandbox may be redirected to this host. The name is not resolved, because the browser connects,
 * not we.
 */
export function mayReturnTo(host: string, config: Reach): boolean {
  if (!isLocal(host) || isOwnMachine(config)) return true
  const policy = { mayUseHttp: true, mayUseLoopback: false, allow: config.OUTBOUND_ALLOW, ownPorts: [] }
  return (fixedAddresses(host) ?? [host]).every((address) => mayReach(host, address, policy))
}

/** `localhost` and its subdomains, and loopback addresses. */
export const isLocal = (host: string) => {
  const name = host.toLowerCase().replace(/\.$/, '')
  return name === 'localhost' || name.endsWith('.localhost') || (isIP(name) > 0 && isLoopback(name))
}

const portOf = (url: string | undefined, usual: number): number[] =>
  url === undefined ? [] : urlOfEachHost(url).map((one) => Number(new URL(one).port) || usual)
