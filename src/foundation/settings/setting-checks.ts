import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { urlOfEachHost } from '../database/url.ts'
import { sentinelsOf } from '../rate-limit/sentinels.ts'
import { parseKeyRing } from '../security/secrets.ts'

/** Parses one environment value; throws an error whose message says what is valid. */
export type Check<T> = (text: string) => T

export function text(value: string) {
  return value
}

export function longText(least: number): Check<string> {
  return (value) => {
    if (value.length < least) throw new Error(`must have at least ${least} characters`)
    return value
  }
}

export function integer(least: number, most: number): Check<number> {
  return (value) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < least || number > most)
      throw new Error(`must be a whole number from ${least} to ${most}`)
    return number
  }
}

/** Each worker opens up to 16 connections, and the embedded server takes 300. */
const MOST_WORKERS = 16

/** A number of processes; `auto` is one for each core. */
export function workers(value: string): number {
  if (value === 'auto') return Math.min(availableParallelism(), MOST_WORKERS)
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < 1 || number > MOST_WORKERS)
    throw new Error(`must be auto or a whole number from 1 to ${MOST_WORKERS}`)
  return number
}

export function flag(value: string): boolean {
  if (/^(on|true|1|yes)$/i.test(value)) return true
  if (/^(off|false|0|no)$/i.test(value)) return false
  throw new Error('must be on or off')
}

export function word<const T extends string>(...words: T[]): Check<T> {
  return (value) => {
    const known = words.find((one) => one === value)
    if (!known) throw new Error(`must be one of ${words.join(', ')}`)
    return known
  }
}

export function url(...protocols: string[]): Check<string> {
  return (value) => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol))
      throw new Error(
        `must be an address that begins with ${protocols.map((one) => `${one}//`).join(' or ')}`,
      )
    let end = value.length
    while (value[end - 1] === '/') end--
    return value.slice(0, end)
  }
}

export function origin(value: string): string {
  const address = url('http:', 'https:')(value)
  if (new URL(address).origin !== address)
    throw new Error('must be an origin such as https://app.example.org')
  return address
}

/** One or several hosts: `postgres://user:password@a:5432,b:5432/lyceum?target_session_attrs=read-write`. */
export function postgresUrl(value: string): string {
  const all = urlOfEachHost(value).map(url('postgres:', 'postgresql:'))
  const [first = ''] = all
  if (all.length > 1 && all.some((one) => !new URL(one).hostname)) throw new Error('names an empty host')
  const target = new URL(first).searchParams.get('target_session_attrs')
  if (target !== null && target !== 'read-write' && target !== 'primary')
    throw new Error('must ask for target_session_attrs=read-write, because Lyceum writes')
  return all.length > 1 ? value : first
}

/** Redis itself, or the Sentinels that know where it is: `redis+sentinel://:password@a:26379,b:26379/NAME`. */
export function redisUrl(value: string): string {
  if (!value.startsWith('redis+sentinel:')) return url('redis:', 'rediss:')(value)
  if (!sentinelsOf(value))
    throw new Error('must name Sentinels and the name of their primary, redis+sentinel://host:26379/NAME')
  return value
}

export function list<T>(check: Check<T>): Check<T[]> {
  return (value) => value.split(',').map((part) => check(part.trim()))
}

export function optional<T>(check: Check<T>): Check<T | undefined> {
  return check
}

export function mailbox(value: string): string {
  if (!/^(?:[^<>@\r\n]+<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(value))
    throw new Error('must be `Name <address>` or an address')
  return value
}

export function addressRange(value: string): string {
  const [address = '', bits] = value.split('/')
  const family = isIP(address)
  if (
    family === 0 ||
    (bits !== undefined && !(/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
  )
    throw new Error('must be addresses or CIDR ranges, separated by commas')
  return value
}

export function keyRing(value: string): string {
  if (!parseKeyRing(value))
    throw new Error('must be `id:key` with a key of 32 bytes in base64, separated by commas')
  return value
}

/** `name=value` pairs, separated by commas; values may be percent-encoded. */
export function headerPairs(value: string): string {
  readHeaderPairs(value)
  return value
}

export function readHeaderPairs(value: string | undefined): Record<string, string> {
  if (value === undefined) return {}
  const pairs = value.split(',').map((pair): [string, string] => {
    const [, name, encoded] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/.exec(pair) ?? []
    if (name === undefined || encoded === undefined || /%(?![0-9a-f]{2})/i.test(encoded))
      throw new Error('must be `name=value`, separated by commas')
    return [name, decodeURIComponent(encoded.trim())]
  })
  return Object.fromEntries(pairs)
}
