import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import { isPasswordHash, measure, readForeignHash } from './password-hashes.ts'
import { createPasswords } from './passwords.ts'

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64').replaceAll('=', '')
/** A salt as bcrypt writes it, and a hash. */
const BCRYPT_TAIL = `${'C'.repeat(21)}.${'C'.repeat(31)}`
const SALT = base64(Buffer.from('salt').toString('hex'))

/** Hashes that others published, with their passwords. */
const VECTORS: [who: string, stored: string, password: string][] = [
  [
    'argon2id of the reference program',
    '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    'password',
  ],
  [
    'argon2i of the reference program',
    '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
    'password',
  ],
  ['bcrypt of John the Ripper', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'U*U'],
  ['bcrypt as PHP marks it', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'U*U'],
  [
    'scrypt of RFC 7914, part 12',
    `$scrypt$ln=10,r=8,p=16$${base64('4e61436c')}$${base64(
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
    )}`,
    'password',
  ],
  [
    'pbkdf2 of RFC 6070',
    `$pbkdf2-sha1$i=4096,l=20$${SALT}$${base64('4b007901b765489abead49d926f721d065a429c1')}`,
    'password',
  ],
  [
    'pbkdf2 of passlib',
    '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44',
    'password',
  ],
]

describe('a hash that another program made', () => {
  const passwords = createPasswords({ cost: 'test' })

  for (const [who, stored, password] of VECTORS)
    test(`is checked in its own scheme: ${who}`, async () => {
      const before = passwords.hashCalls()
      assert.equal(isPasswordHash(stored), true)
      assert.equal(await passwords.verifyPassword(stored, password), true)
      assert.equal(await passwords.verifyPassword(stored, `${password}x`), false)
      assert.equal(passwords.hashCalls() - before, 2)
      assert.equal(passwords.needsRehash(stored), true)
    })

  const tag = 'A'.repeat(43)
  for (const [what, text] of [
    ['a plain password', 'correct horse battery'],
    ['a bare MD5', '5f4dcc3b5aa765d61d8327deb882cf99'],
    ['argon2 that was cut off', '$argon2id$v=19$m=19456,t=2,p=1$short'],
    ['argon2 with a tag that was cut off', VECTORS[0]?.[1].slice(0, -1)],
    ['argon2d', `$argon2d$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$${tag}`],
    ['the first version of argon2', `$argon2id$v=16$m=19456,t=2,p=1$c29tZXNhbHQ$${tag}`],
    ['argon2 of 256 MiB', `$argon2id$v=19$m=262144,t=1,p=1$c29tZXNhbHQ$${tag}`],
    ['argon2 of a thousand passes', `$argon2id$v=19$m=19456,t=1000,p=1$c29tZXNhbHQ$${tag}`],
    ['argon2 of 64 lanes', `$argon2id$v=19$m=19456,t=1,p=64$c29tZXNhbHQ$${tag}`],
    ['bcrypt of cost 14', `$2b$14$${BCRYPT_TAIL}`],
    ['bcrypt of the faulty kind', `$2x$05$${BCRYPT_TAIL}`],
    ['bcrypt of a salt that no password opens', `$2b$05$${'C'.repeat(53)}`],
    ['bcrypt that was cut off', `$2b$10$${BCRYPT_TAIL.slice(1)}`],
    ['scrypt of 1 GiB', `$scrypt$ln=20,r=8,p=1$${SALT}$${tag}`],
    ['scrypt of a hundred lanes', `$scrypt$ln=17,r=8,p=99$${SALT}$${tag}`],
    ['pbkdf2 of nine million rounds', `$pbkdf2-sha256$9000000$${SALT}$${tag}`],
    ['pbkdf2 that says another length', `$pbkdf2-sha256$i=1000,l=20$${SALT}$${tag}`],
    ['pbkdf2 of a key that is four digests long', `$pbkdf2$i=600000,l=64$${SALT}$${'A'.repeat(86)}`],
    ['pbkdf2 of md5', `$pbkdf2-md5$1000$${SALT}$${tag}`],
    ['a hash behind a kilobyte', `${'x'.repeat(1_000)}${VECTORS[0]?.[1]}`],
  ] as const)
    test(`is none, or costs too much: ${what}`, async () => {
      assert.ok(text)
      assert.equal(isPasswordHash(text), false)
      const before = passwords.hashCalls()
      assert.equal(await passwords.verifyPassword(text, text), false)
      assert.equal(passwords.hashCalls() - before, 1)
    })

  test('is accepted at the very limits, and they are bearable', async () => {
    for (const text of [
      `$argon2id$v=19$m=131072,t=4,p=16$c29tZXNhbHQ$${tag}`,
      `$2b$13$${BCRYPT_TAIL}`,
      `$scrypt$ln=17,r=8,p=1$${SALT}$${tag}`,
      `$pbkdf2-sha512$1000000$${SALT}$${tag}`,
    ]) {
      assert.equal(isPasswordHash(text), true, text)
      const verify = readForeignHash(text)?.verify
      assert.ok(verify)
      assert.equal(await verify('x'), false)
    }
  })

  test('waits for its own kind only, however many are asked for at once', async () => {
    const busy = createPasswords({ cost: 'test' })
    const slow = await hashBcrypt('x', { cost: 10 })
    const own = await busy.hashPassword('x')
    const order: string[] = []
    const crowd = Array.from({ length: 12 }, async () => {
      await busy.verifyPassword(slow, 'x')
      order.push('theirs')
    })
    const mine = Array.from({ length: 3 }, async () => {
      assert.equal(await busy.verifyPassword(own, 'x'), true)
      order.push('ours')
    })
    await Promise.all([...crowd, ...mine])
    assert.ok(order.lastIndexOf('ours') < order.length - 3, order.join(' '))
  })

  test('never enters the estimate by which our own are let in', async () => {
    const busy = createPasswords({ cost: 'test' })
    const slow = await hashBcrypt('x', { cost: 12 })
    for (let n = 0; n < 6; n++) await busy.verifyPassword(slow, 'x')
    // At the time of one of theirs these would be minutes of work, and most of them refused.
    const results = await Promise.allSettled(
      Array.from({ length: 250 }, () => busy.verifyPassword(undefined, 'x')),
    )
    assert.equal(results.filter(({ status }) => status === 'rejected').length, 0)
  })
})

describe('the time of one verification', () => {
  for (const [who, stored] of VECTORS)
    test(`is measured by scheme and cost: ${who}`, async () => {
      const { scheme, cost } = readForeignHash(stored) ?? { scheme: '', cost: '' }
      const ms = await measure(scheme, cost)
      assert.ok(ms > 0 && ms < 5_000, `${ms}`)
    })

  test('is measured once and remembered', async () => {
    const first = await measure('bcrypt', '08')
    const start = performance.now()
    assert.deepEqual(
      await Promise.all(Array.from({ length: 1_000 }, () => measure('bcrypt', '08'))),
      Array.from({ length: 1_000 }, () => first),
    )
    assert.ok(performance.now() - start < 1_000)
  })

  test('grows with the cost', async () => {
    assert.ok((await measure('bcrypt', '12')) > (await measure('bcrypt', '05')))
  })

  test('is shared by costs that hardly differ', async () => {
    const times = await Promise.all(
      [30_000, 30_001, 30_500].map((i) => measure('pbkdf2-sha256', `i=${i},l=32`)),
    )
    assert.equal(new Set(times).size, 1)
  })

  for (const [scheme, cost] of [
    ['md5', '1'],
    ['bcrypt', '20'],
    ['scrypt', 'ln=40,r=8,p=1'],
  ] as const)
    test(`cannot be told of ${scheme} ${cost}`, async () => {
      await assert.rejects(measure(scheme, cost), /no scheme/)
    })
})
