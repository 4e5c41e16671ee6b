import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import {
  isHashOfKnownScheme,
  isPasswordHash,
  measureScheme,
  schemeOf,
  verifierOf,
} from './password-hashes.ts'
import { createPasswords } from './passwords.ts'

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64').replaceAll('=', '')
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

VECTORS.push(
  [
    'scrypt of Firebase, as its project publishes it',
    '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
    'user1password',
  ],
  ['the portable hash of phpass', '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0', 'test12345'],
)

describe('a hash that another program made', () => {
  const passwords = createPasswords({ cost: 'test' })

  for (const [who, stored, password] of VECTORS)
    test(`is verified in its own scheme: ${who}`, async () => {
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
    ['bcrypt of cost 14', `$2b$14$${'C'.repeat(53)}`],
    ['bcrypt of the faulty kind', `$2x$05$${'C'.repeat(53)}`],
    ['bcrypt that was cut off', `$2b$10$${'C'.repeat(52)}`],
    ['scrypt of 1 GiB', `$scrypt$ln=20,r=8,p=1$${SALT}$${tag}`],
    ['scrypt of a hundred lanes', `$scrypt$ln=17,r=8,p=99$${SALT}$${tag}`],
    ['pbkdf2 of nine million rounds', `$pbkdf2-sha256$9000000$${SALT}$${tag}`],
    ['pbkdf2 that says another length', `$pbkdf2-sha256$i=1000,l=20$${SALT}$${tag}`],
    ['pbkdf2 of md5', `$pbkdf2-md5$1000$${SALT}$${tag}`],
    ['a hash behind a kilobyte', `${'x'.repeat(1_000)}${VECTORS[0]?.[1]}`],
  ] as const)
    test(`is refused as invalid or too expensive: ${what}`, async () => {
      assert.ok(text)
      assert.equal(isPasswordHash(text), false)
      const before = passwords.hashCalls()
      assert.equal(await passwords.verifyPassword(text, text), false)
      assert.equal(passwords.hashCalls() - before, 1)
    })

  for (const [what, text] of [
    ['argon2 of 256 MiB', `$argon2id$v=19$m=262144,t=1,p=1$c29tZXNhbHQ$${tag}`],
    ['bcrypt of cost 31', `$2b$31$${'C'.repeat(53)}`],
    ['scrypt of 1 GiB', `$scrypt$ln=20,r=8,p=1$${SALT}$${tag}`],
    ['pbkdf2 of nine million rounds', `$pbkdf2-sha256$9000000$${SALT}$${tag}`],
  ] as const)
    test(`is recognised but never verified: ${what}`, async () => {
      assert.equal(isHashOfKnownScheme(text), true)
      assert.equal(await measureScheme(text), Infinity)
    })

  test('is measured once for its scheme and cost', async () => {
    const [first, second] = [await hashBcrypt('x', { cost: 6 }), await hashBcrypt('y', { cost: 6 })]
    const took = await measureScheme(first)
    assert.ok(took > 0)
    assert.equal(await measureScheme(second), took)
    assert.ok((await measureScheme(await hashBcrypt('x', { cost: 10 }))) > took)
    assert.deepEqual([schemeOf(first), schemeOf('x'.repeat(60))], ['bcrypt/6', undefined])
    assert.equal(await measureScheme('no hash'), Infinity)
  })

  test('is measured by its cost, also with an invalid salt', async () => {
    const broken = `$2b$11$${'C'.repeat(53)}`
    const cheaper = await hashBcrypt('x', { cost: 8 })
    assert.ok((await measureScheme(broken)) > 2 * (await measureScheme(cheaper)))
  })

  test('is accepted at the limits of its cost', async () => {
    for (const text of [
      `$argon2id$v=19$m=131072,t=4,p=16$c29tZXNhbHQ$${tag}`,
      `$2b$13$${'C'.repeat(53)}`,
      `$scrypt$ln=17,r=8,p=1$${SALT}$${tag}`,
      `$pbkdf2-sha512$1000000$${SALT}$${tag}`,
    ]) {
      assert.equal(isPasswordHash(text), true, text)
      const verify = verifierOf(text)
      assert.ok(verify)
      assert.equal(await verify('x'), false)
    }
  })

  test('waits only for its own kind, however many are checked', async () => {
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

  test('does not affect the time estimate for our own hashes', async () => {
    const busy = createPasswords({ cost: 'test' })
    const slow = await hashBcrypt('x', { cost: 12 })
    for (let n = 0; n < 12; n++) await busy.verifyPassword(slow, 'x')
    // A hundred may always wait. At the time of one of theirs the next would wait for more than five seconds; few more
    // are asked for, because on a slow machine many of ours are five seconds of work, too.
    const results = await Promise.allSettled(
      Array.from({ length: 105 }, () => busy.verifyPassword(undefined, 'x')),
    )
    assert.equal(results.filter(({ status }) => status === 'rejected').length, 0)
  })
})
