import { randomBytes } from 'node:crypto'
import type { Database } from '#foundation/database/database.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import { findSiteByKey } from '../src/sso/core/access/site-keys.ts'
import { lockFamily, spend } from '../src/sso/sign-in/login/refresh-family.ts'

const FROM = { ip_address: '127.0.0.1', user_agent: '' }

/**
 * Runs the three statements of a refresh, the read of the site and the two of its transaction, in a loop with one token
 * per caller. No HTTP, checks or signatures. Resolves to the number of tokens spent.
 */
export async function rotateBare(
  db: Database,
  { seconds, tokens, site_key }: { seconds: number; tokens: string[]; site_key: string },
): Promise<number> {
  const until = performance.now() + seconds * 1000
  let count = 0
  await Promise.all(
    tokens.map(async (first) => {
      let token = first
      while (performance.now() < until) {
        const successor = `rt_${randomBytes(32).toString('base64url')}`
        const [token_hash, successor_hash] = [sha256(token), sha256(successor)]
        const site = await findSiteByKey(db, site_key)
        if (!site) throw new Error('the site of the bare loop is not there')
        await db.pool.begin(async (tx) => {
          const family = await lockFamily(tx, site, token_hash)
          if (!family) throw new Error('the token of the bare loop is not there')
          await spend(tx, site, family, { token_hash, successor_hash, from: FROM })
        })
        token = successor
        count++
      }
    }),
  )
  return count
}
