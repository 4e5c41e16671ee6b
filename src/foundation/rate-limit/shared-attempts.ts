import type { Result } from 'ioredis'
import type { Logger } from '../log.ts'
import type { AttemptKey } from './attempt-memory.ts'
import { openSharedLink, type Patience } from './shared-link.ts'

/** The store's answer to an attempt. If `wait` (ms) is 0, the attempt was counted. */
type Answer = {
  wait: number
  /** Milliseconds since a success cleared each key; undefined if none did within the window. */
  clearedAgo: (number | undefined)[]
}

export type SharedAttempts = {
  /** Undefined: the store is not available and memory decides. */
  begin(id: string, keys: readonly AttemptKey[]): Promise<Answer | undefined>
  /** Uncounts an attempt, or clears the keys that a success clears. If the store fails, the attempt stays counted. */
  end(id: string, keys: readonly AttemptKey[], isRight: boolean): Promise<void>
  close(): void
}

/**
 * pauseAfter() of attempt-memory.ts on the store's clock; counts the attempt if every key admits it. KEYS: one sorted
 * set of attempts per key, then the time of the last success per key. ARGV: the attempt's id, then per key the limit,
 * the window in milliseconds and 1 for doubling pauses.
 */
export const BEGIN = `
local t=redis.call('TIME'); local now=t[1]*1000+math.floor(t[2]/1000); local n,longest,ages=#KEYS/2,0,{}
for i=1,n do
  local key,limit,w,doubling=KEYS[i],tonumber(ARGV[i*3-1]),tonumber(ARGV[i*3]),ARGV[i*3+1]=='1'
  local at=function(p) return tonumber(redis.call('ZRANGE',key,p,p,'WITHSCORES')[2]) end
  redis.call('ZREMRANGEBYSCORE',key,'-inf',now-w)
  local c=redis.call('ZCARD',key)
  if c>=limit then
    local last,first=at(-1),math.huge
    for left=c,limit-1,-1 do
      local since=left==c and now or at(c-left-1)+w
      if since>=first then break end
      local open=since
      if left>=limit then open=doubling and last+math.min(60000,1000*2^(left-limit)) or math.huge end
      first=math.min(first,math.max(since,open))
    end
    longest=math.max(longest,first-now)
  end
  local cleared=redis.call('GET',KEYS[n+i]); ages[i]=cleared and now-tonumber(cleared) or -1
end
if longest<=0 then
  for i=1,n do redis.call('ZADD',KEYS[i],now,ARGV[1]); redis.call('PEXPIRE',KEYS[i],ARGV[i*3]) end
end
return {longest,ages}`

/** KEYS as in BEGIN. ARGV: the attempt's id, then per key 1 to clear it or 0, and the window in milliseconds. */
const END = `
local t=redis.call('TIME'); local now=t[1]*1000+math.floor(t[2]/1000); local n=#KEYS/2
for i=1,n do
  if ARGV[i*2]=='1' then redis.call('DEL',KEYS[i]); redis.call('SET',KEYS[n+i],now,'PX',ARGV[i*2+1])
  else redis.call('ZREM',KEYS[i],ARGV[1]) end
end`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    beginAttempt(
      keys: number,
      ...keysAndArguments: (string | number)[]
    ): Result<[wait: number, ages: number[]], Context>
    endAttempt(keys: number, ...keysAndArguments: (string | number)[]): Result<null, Context>
  }
}

/** Connects in the background. */
export function openSharedAttempts(
  url: string,
  service: string,
  log: Logger,
  { patience }: Patience,
): SharedAttempts {
  const tag = `{${service}}:attempts`
  const link = openSharedLink({
    url,
    log,
    patience,
    what: 'failed attempts',
    scripts: { beginAttempt: BEGIN, endAttempt: END },
    probe: (redis) => redis.beginAttempt(2, `${tag}:probe`, `${tag}:probe:cleared`, 'probe', 2, 1_000, 1),
  })
  const namesOf = (keys: readonly AttemptKey[]) => [
    ...keys.map(({ key }) => `${tag}:${key}`),
    ...keys.map(({ key }) => `${tag}:${key}:cleared`),
  ]

  return {
    async begin(id, keys) {
      if (!link.isShared() || keys.length === 0) return undefined
      const names = namesOf(keys)
      const rules = keys.flatMap(({ rule }) => [
        rule.limit,
        rule.window * 1_000,
        rule.pause === 'doubling' ? 1 : 0,
      ])
      const answer = link.ask((redis) => redis.beginAttempt(names.length, ...names, id, ...rules))
      const begun = await answer.catch(() => undefined)
      return begun && { wait: begun[0], clearedAgo: begun[1].map((age) => (age < 0 ? undefined : age)) }
    },

    async end(id, keys, isRight) {
      if (!link.isShared() || keys.length === 0) return
      const names = namesOf(keys)
      const ends = keys.flatMap(({ rule, isClearedBySuccess }) => [
        isRight && isClearedBySuccess ? 1 : 0,
        rule.window * 1_000,
      ])
      const over = link.ask((redis) => redis.endAttempt(names.length, ...names, id, ...ends))
      // The link has logged an error. Until the store is trusted again memory decides, and it has the result.
      await over.catch(() => {})
    },
    close: () => link.close(),
  }
}
