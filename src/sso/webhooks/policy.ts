import type { OutboundPolicy } from '#foundation/outbound.ts'
import type { ServiceParts } from '#foundation/service.ts'

export type PolicyFor = (environment: 'sandbox' | 'production') => OutboundPolicy

/** What a site may have us call: a sandbox may use http and this machine, but never a port of our own. */
export function outboundPolicies({ config, ownPorts }: Pick<ServiceParts, 'config' | 'ownPorts'>): PolicyFor {
  const stores = [...portOf(config.DATABASE_URL, 5_432), ...portOf(config.REDIS_URL, 6_379)]
  return (environment) => ({
    mayUseHttp: environment === 'sandbox',
    mayUseLoopback: environment === 'sandbox',
    allow: config.OUTBOUND_ALLOW,
    ownPorts: [...ownPorts(), ...stores],
  })
}

const portOf = (url: string | undefined, usual: number): number[] =>
  url === undefined ? [] : [Number(new URL(url).port) || usual]
