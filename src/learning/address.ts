import type { FastifyRequest } from 'fastify'
import { badRequest } from '#foundation/errors.ts'

const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/** The public address of this service without a slash at the end: the setting, or scheme and host of the request. */
export const publicAddress =
  (setting: string | undefined) =>
  ({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string => {
    if (setting !== undefined) return setting
    if (!HOST.test(host)) throw badRequest('bad_host', 'The Host header is not a host')
    return `${protocol}://${host}`
  }
