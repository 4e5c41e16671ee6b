import type { Result } from 'ioredis'
import type { Logger } from '../log.ts'
import type { Bucket } from './memory-store.ts'
import { openSharedLink, type Patience, type SharedLink } from './shared-link.ts'
import type { Rate, Reading } from './sliding-log.ts'

/** One bucket of a request, as input of the script. */
type Question = { bucket: Bucket; rate: Rate }

export type SharedStore = Pick<SharedLink, 'isShared' | 'close'> & {
  /**
   * Checks all buckets together and records one hit in each if all admit and `mayRecord` is true.
   * Rejects on any fault, and after 50 ms; `take` gets an answer that is later than that as well.
   */
  ask<T>(questions: readonly Question[], mayRecord: boolean, take: (answer: Answer) => T): Promise<T>
}

/**
 * The sliding log of sliding-log.ts on the store's clock. KEYS: one list of admission times per bucket, with one hash
 * tag per service, so that a cluster keeps them on one node. ARGV: n, w, b, k, e per bucket (counts and milliseconds),
 * then 1 to record the hit or 0 to read only.
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

type Answer = { admits: boolean; readings: Reading[] }
type Reply = [admits: 0 | 1, readings: [count: number, wait: number, reset: number][]]

declare module 'ioredis' {
  interface RedisCommander<Context> {
    hit(keys: number, ...keysAndArguments: (string | number)[]): Result<Reply, Context>
  }
}

/** Connects in the background. Memory decides until then and whenever a question rejects. */
export function openSharedStore(
  url: string,
  service: string,
  log: Logger,
  { patience }: Patience,
): SharedStore {
  const link = openSharedLink({
    url,
    log,
    patience,
    what: 'rate limits',
    scripts: { hit: SCRIPT },
    probe: (redis) => redis.hit(1, `{${service}}:probe`, 1_000_000, 60_000, 5_000, 1_000_000, 1_000_000, 1),
  })
  return {
    isShared: () => link.isShared(),
    ask(questions, mayRecord, take) {
      const keys = questions.map(({ bucket }) => `{${service}}:${bucket.name}:${bucket.key}`)
      const rates = questions.flatMap(({ rate: { n, w, b, k, e } }) => [n, w, b, k, e])
      return link.ask(async (redis) => {
        const [admits, found] = await redis.hit(keys.length, ...keys, ...rates, mayRecord ? 1 : 0)
        const readings = found.map(([count, wait, reset]) => ({ count, wait, reset }))
        return take({ admits: admits === 1, readings })
      })
    },
    close: () => link.close(),
  }
}
