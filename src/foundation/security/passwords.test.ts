import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { describe, test } from 'node:test'
import { hash, verify } from '@node-rs/argon2'
import type { ApiError } from '../errors.ts'
import { createPasswords } from './passwords.ts'

describe('passwords', () => {
  const passwords = createPasswords({ cost: 'test' })

  test('are hashed with argon2id at 19 MiB, two passes, one lane', async () => {
    const normal = createPasswords()
    const stored = await normal.hashPassword('correct horse')
    assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    assert.equal(await normal.verifyPassword(stored, 'correct horse'), true)
    assert.equal(normal.needsRehash(stored), false)
    assert.equal(normal.needsRehash(await passwords.hashPassword('correct horse')), true)
  })

  test('verify a PHC string of another implementation', async () => {
    // Argon2 reference command line: argon2 somesalt -id -t 2 -m 16 -p 1, password "password".
    const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    assert.equal(await passwords.verifyPassword(stored, 'password'), true)
    assert.equal(passwords.needsRehash(stored), true)
  })

  test('match the test vector of RFC 9106, section 5.3', async () => {
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '')
    const tag = Buffer.from('0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659', 'hex')
    const [password, salt, secret, data] = [32, 16, 8, 12].map((length, i) => Buffer.alloc(length, i + 1))
    assert.ok(password && salt && secret && data)
    const parameters = `$argon2id$v=19$m=32,t=3,p=4,data=${base64(data)}$${base64(salt)}`
    assert.equal(await verify(`${parameters}$${base64(tag)}`, password, { secret }), true)
    tag[31] = (tag[31] ?? 0) ^ 1
    assert.equal(await verify(`${parameters}$${base64(tag)}`, password, { secret }), false)
  })

  test('hash as another implementation does', async () => {
    const stored = await createPasswords().hashPassword('correct horse ✓')
    const [salt = '', tag = ''] = stored.split('$').slice(-2)
    const theirs = argon2Sync('argon2id', {
      message: 'correct horse ✓',
      nonce: Buffer.from(salt, 'base64'),
      memory: 19_456,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
    })
    assert.equal(theirs.toString('base64').replace('=', ''), tag)
  })

  for (const text of ['correct horse', '', 'пароль пароль', '  spaces  ', 'é', 'a'.repeat(128)]) {
    test(`match only the exact characters of ${JSON.stringify(text.slice(0, 20))}`, async () => {
      const stored = await passwords.hashPassword(text)
      assert.equal(await passwords.verifyPassword(stored, text), true)
      assert.equal(await passwords.verifyPassword(stored, `${text} `), false)
    })
  }

  for (const form of ['NFC', 'NFD'] as const)
    test(`match however the keyboard composes the letters, also with a stored hash of ${form}`, async () => {
      const typed = 'Jürgen Ångström 7'
      const older = await hash(typed.normalize(form), { memoryCost: 8, timeCost: 1, parallelism: 1 })
      for (const stored of [older, await passwords.hashPassword(typed.normalize(form))])
        for (const again of ['NFC', 'NFD'] as const)
          assert.equal(await passwords.verifyPassword(stored, typed.normalize(again)), true)
      assert.equal(await passwords.verifyPassword(older, 'Jurgen Angstrom 7'), false)
    })

  test('cost as many hashes without an account as with one, for letters with accents too', async () => {
    const stored = await passwords.hashPassword('correct horse')
    const cost = async (kept: string | undefined) => {
      const before = passwords.hashCalls()
      await passwords.verifyPassword(kept, 'Jürgen Ångström 7')
      return passwords.hashCalls() - before
    }
    assert.equal(await cost(undefined), await cost(stored))
  })

  test('cost one hash for an unknown user, wrong or empty password', async () => {
    const stored = await passwords.hashPassword('correct horse')
    for (const [hash, password] of [
      [undefined, 'correct horse'],
      [null, ''],
      [stored, 'wrong'],
      [stored, ''],
    ] as const) {
      const before = passwords.hashCalls()
      assert.equal(await passwords.verifyPassword(hash, password), false)
      assert.equal(passwords.hashCalls() - before, 1)
    }
  })

  test('answer a flood with 503 and Retry-After while others finish', async () => {
    const normal = createPasswords()
    await normal.hashPassword('warm')
    const results = await Promise.allSettled(
      Array.from({ length: 5_000 }, () => normal.verifyPassword(undefined, 'x')),
    )
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as ApiError] : [],
    )
    assert.ok(refused.length > 1_000, `${refused.length} refused`)
    assert.ok(refused.length < 5_000)
    assert.ok(refused.every(({ status, headers }) => status === 503 && headers['Retry-After'] === '2'))
    assert.equal(normal.waiting(), 0)
    assert.equal(await normal.verifyPassword(undefined, 'x'), false)
  })

  test('are admitted when hashed within five seconds', async () => {
    // Such a hash takes about 15 ms, so the simultaneous sign-ins of a class of a hundred must not be refused.
    const normal = createPasswords()
    const results = await Promise.allSettled(
      Array.from({ length: 150 }, () => normal.verifyPassword(undefined, 'x')),
    )
    assert.equal(results.filter(({ status }) => status === 'rejected').length, 0)
  })
})
