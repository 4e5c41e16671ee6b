import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswords } from './passwords.ts'

test('passwords take as long for an unknown user as for a known', async () => {
  const normal = createPasswords()
  const stored = await normal.hashPassword('correct horse')
  const time = async (hash: string | undefined) => {
    const start = performance.now()
    await normal.verifyPassword(hash, 'wrong')
    return performance.now() - start
  }
  const known: number[] = []
  const unknown: number[] = []
  for (let round = 0; round < 15; round++) {
    known.push(await time(stored))
    unknown.push(await time(undefined))
  }
  const ratio = Math.min(...unknown) / Math.min(...known)
  assert.ok(ratio > 0.5 && ratio < 2, `ratio ${ratio}`)
})
