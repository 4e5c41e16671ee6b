import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'

/** The parameters and the concurrency of src/foundation/security/passwords.ts. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 }
const CALLERS = Math.max(1, Math.min(availableParallelism(), 3))

/** Verifies passwords with the bare library. Resolves to the number of verifications. */
export async function hashBare(seconds: number): Promise<number> {
  const stored = await hash('a bench of oak and iron', OPTIONS)
  const until = performance.now() + seconds * 1000
  let count = 0
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (; performance.now() < until; count++)
        if (await verify(stored, 'not the right one')) throw new Error('the wrong password was right')
    }),
  )
  return count
}
