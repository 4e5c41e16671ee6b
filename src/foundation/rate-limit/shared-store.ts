import { Redis, type Result } from 'ioredis'
import type { Bucket } from './memory-store.ts'
import type { Rate, Reading } from './sliding-log.ts'

/** One bucket of a request, as the script wants it. */
type Question = { bucket: Bucket; rate: Rate }

export type SharedStore = {
  isReady(): boolean
  /**
   * Tests all buckets together; records one hit in each if all admit and `mayRecord` says so.
   * Rejects on any fault, 50 ms after the start at the latest.
   */
  ask(questions: readonly Question[], mayRecord: boolean): Promise<{ admits: boolean; readings: Reading[] }>
  /** Records a hit on a key of its own: everything a real hit needs, and nobody's quota. */
  probe(): Promise<void>
  /** Drops a connection that may be dead without knowing it; a new one is made. */
  reconnect(): void
  close(): void
}

/**
 * The sliding log of sliding-log.ts, on the store's own clock.
 * KEYS: one list of admission times per bucket, one hash tag per service, so that a cluster keeps them on one node.
 * ARGV: n, w, b, k, e per bucket (counts and milliseconds), then 1 to record the hit or 0 to read only.
 */
export const SCRIPT = `
local t=redis.call('TIME'); local now=t[1]*1000+math.floor(t[2]/1000); local all,out=1,{}
for i,key in ipairs(KEYS) do
  local a={}; for j=1,5 do a[j]=tonumber(ARGV[i*5-5+j]) end; local n,w,b,k,e=unpack(a)
  local at=function(p) return tonumber(redis.call('LINDEX',key,p)) end
  while (at(0) or now)<=now-w do redis.call('LPOP',key) end
  local c,x,wait=redis.call('LLEN',key),at(-k),0
  if not (c<n or (c<n+e and (not x or x<=now-b))) then
    local t2=math.max(c>=n+e and at(c-n-e)+w or now, x and x+b or now); all,wait=0,math.min(at(c-n)+w,t2)-now end
  out[i]={c,wait,(at(0) or now)+w-now}
end
if all==1 and ARGV[#ARGV]=='1' then
  for i,key in ipairs(KEYS) do redis.call('RPUSH',key,now); redis.call('PEXPIRE',key,ARGV[i*5-3]) end
end
return {all,out}`

/** Asserted by a test: no request waits for the store longer than 50 ms, and none is sent twice. */
export const STORE_OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  commandTimeout: 50,
  connectTimeout: 500,
  // A stopped server never closes its side; without this a closing process would wait 2 s for it.
  disconnectTimeout: 100,
  disableClientInfo: true,
  retryStrategy: (times: number) => Math.min(times * 100, 2_000),
} as const

type Answer = [admits: 0 | 1, readings: [count: number, wait: number, reset: number][]]

declare module 'ioredis' {
  interface RedisCommander<Context> {
    hit(keys: number, ...keysAndArguments: (string | number)[]): Result<Answer, Context>
  }
}

/** Opens the connection in the background. `onReady` and `onLost` tell of every change, also of the first. */
export function openSharedStore(
  url: string,
  service: string,
  { onReady, onLost }: { onReady: () => void; onLost: (error: Error) => void },
): SharedStore {
  const redis = new Redis(url, { ...STORE_OPTIONS })
  redis.defineCommand('hit', { lua: SCRIPT })
  redis.on('ready', onReady)
  redis.on('error', onLost)
  redis.on('close', () => onLost(new Error('the connection to the shared store closed')))

  return {
    isReady: () => redis.status === 'ready',

    async ask(questions, mayRecord) {
      const keys = questions.map(({ bucket }) => `{${service}}:${bucket.name}:${bucket.key}`)
      const rates = questions.flatMap(({ rate: { n, w, b, k, e } }) => [n, w, b, k, e])
      const [admits, found] = await redis.hit(keys.length, ...keys, ...rates, mayRecord ? 1 : 0)
      return { admits: admits === 1, readings: found.map(([count, wait, reset]) => ({ count, wait, reset })) }
    },

    async probe() {
      await redis.hit(1, `{${service}}:probe`, 1_000_000, 60_000, 5_000, 1_000_000, 1_000_000, 1)
    },

    reconnect: () => redis.disconnect(true),
    close: () => redis.disconnect(),
  }
}
