import { ApiError } from '#foundation/errors.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { limitKey } from '#foundation/rate-limit/address-key.ts'
import { type Bucket, type Limiter, refuseOver } from '#foundation/rate-limit/limiter.ts'
import { reachOf } from '#foundation/security/powers.ts'
import type { Caller, Site } from '#foundation/security/session-gate.ts'

type Asking = Pick<Caller, 'user_id'>
type At = Pick<Site, 'site_id' | 'tenant_id' | 'is_first_party'>

/**
 * Answers "taken" for an e-mail address or name, per 15 minutes. They are limited because they reveal who has an
 * account.
 */
const MAX_TAKEN = 10

/** Counts of guesses, which an answer fills whether or not it was news. */
const GUESSES = ['taken', 'taken_by']

const takenBucket = (address: string): Bucket => ({
  name: 'taken',
  key: limitKey(address),
  limit: MAX_TAKEN,
  window: 900,
})

const takenByBucket = (user_id: string): Bucket => ({
  name: 'taken_by',
  key: user_id,
  limit: MAX_TAKEN,
  window: 900,
})

/**
 * All answers that tell of an account together, a day: to one person, at one site, in one tenant. Our own sites are
 * everybody's, so they have no count.
 */
const MOST_TOLD = { person: 200, site: 500 }
const DAY = 86_400

const toldBuckets = ({ user_id, site }: { user_id?: string; site?: At }): Bucket[] => [
  ...(user_id === undefined
    ? []
    : [{ name: 'told_person', key: user_id, limit: MOST_TOLD.person, window: DAY }]),
  ...(site === undefined || site.is_first_party
    ? []
    : [
        { name: 'told_site', key: site.site_id, limit: MOST_TOLD.site, window: DAY },
        { name: 'told_tenant', key: site.tenant_id, limit: MOST_TOLD.site, window: DAY },
      ]),
]

/** Who is told: a visitor, oneself, an ADMIN for a site, a site for a provider, or who looks for a colleague. */
export const toldTo = {
  visitor: (client_ip: string, site: At): Bucket[] => [takenBucket(client_ip), ...toldBuckets({ site })],
  oneself: (user_id: string): Bucket[] => [takenByBucket(user_id), ...toldBuckets({ user_id })],
  admin: (caller: Parameters<typeof reachOf>[0] & Asking, site: At): Bucket[] =>
    // An operator sees everybody.
    reachOf(caller) === 'every_site' ? [] : toldBuckets({ user_id: caller.user_id, site }),
  site: (site: At): Bucket[] => toldBuckets({ site }),
  finder: ({ user_id }: Asking): Bucket[] => toldBuckets({ user_id }),
}

/**
 * Counts every answer that tells whether somebody has an account (docs/choices-sso.md), in the same counts for all of
 * them. Over a limit nothing is looked up any more, so that what succeeds tells no more than a refusal.
 */
export function createTold({ config }: Pick<ServiceParts, 'config'>, limiter: Limiter) {
  const isOff = (buckets: readonly Bucket[]) => config.SSO_RATE_LIMIT_AUTH === 0 || buckets.length === 0

  return {
    /**
     * Runs `attempt`, and counts its refusal. For an address that `isKnown` to who is told it counts as a guess alone. 429.
     */
    async counted<T>(
      buckets: readonly Bucket[],
      attempt: () => Promise<T>,
      isKnown?: () => Promise<boolean>,
    ): Promise<T> {
      if (isOff(buckets)) return attempt()
      refuseOver(await limiter.peek(buckets))
      try {
        return await attempt()
      } catch (error) {
        const tells = error instanceof ApiError && TAKEN.has(error.code)
        if (!tells) throw error
        const isNews = error.code !== 'email_taken' || !(await isKnown?.())
        const counting = isNews ? buckets : buckets.filter(({ name }) => GUESSES.includes(name))
        if (counting.length > 0) refuseOver(await limiter.hit(counting))
        throw error
      }
    },

    /** Runs `look`, and counts whom it finds. 429. */
    async found<T>(buckets: readonly Bucket[], look: () => Promise<T | undefined>): Promise<T | undefined> {
      if (isOff(buckets)) return look()
      refuseOver(await limiter.peek(buckets))
      const found = await look()
      if (found !== undefined) refuseOver(await limiter.hit(buckets))
      return found
    },

    /**
     * Counts the rows of a file that tell of an account, in their order. Returns the last row that may be answered: once
     * the count is full, what is done to any other row would tell.
     */
    async lastAnswered(buckets: readonly Bucket[], telling: readonly number[]): Promise<number> {
      if (isOff(buckets)) return Infinity
      if (!(await limiter.peek(buckets)).admitted) return 0
      for (const row of telling) {
        // Another import took the last place meanwhile.
        if (!(await limiter.hit(buckets)).admitted) return row - 1
        if (!(await limiter.peek(buckets)).admitted) return row
      }
      return Infinity
    },
  }
}

export type Told = ReturnType<typeof createTold>

const TAKEN = new Set(['email_taken', 'username_taken', 'account_exists'])
