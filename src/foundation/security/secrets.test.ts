import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { loadMasterKeys, randomToken, sameSecret, sha256 } from './secrets.ts'
import { StartError } from '../start-error.ts'

const folder = mkdtempSync(join(tmpdir(), 'lyceum-secrets-'))
after(() => rmSync(folder, { recursive: true }))
const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const secret = Buffer.from('the secret of a partner')

describe('small secrets', () => {
  test('a random token has a prefix and 256 bits in base64url', () => {
    const [a, b] = [randomToken('rt_'), randomToken('rt_')]
    assert.match(a, /^rt_[A-Za-z0-9_-]{43}$/)
    assert.notEqual(a, b)
  })

  test('sha256 is that of FIPS 180-4', () => {
    assert.equal(
      sha256('abc').toString('hex'),
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })

  for (const [a, b, same] of [
    ['', '', true],
    ['secret', 'secret', true],
    ['secret', 'secreT', false],
    ['secret', 'secrets', false],
    ['', 'x', false],
  ] as const)
    test(`"${a}" and "${b}" are ${same ? '' : 'not '}the same secret`, () =>
      assert.equal(sameSecret(a, b), same))
})

describe('the master keys', () => {
  const keys = loadMasterKeys(keyOf('k1'), folder)

  test('open what they sealed, also an empty text', () => {
    assert.deepEqual(keys.open(keys.seal(secret, 'site 1'), 'site 1'), secret)
    assert.equal(keys.open(keys.seal(Buffer.alloc(0), ''), '').length, 0)
  })

  test('never produce the same ciphertext twice', () => {
    assert.notDeepEqual(keys.seal(secret, 'site 1'), keys.seal(secret, 'site 1'))
  })

  test('refuse what was sealed for another owner', () => {
    assert.throws(() => keys.open(keys.seal(secret, 'site 1'), 'site 2'))
  })

  test('refuse a secret with any byte changed, missing or added', () => {
    const sealed = keys.seal(secret, 'site 1')
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(sealed.readUInt8(at) ^ 1, at)
      assert.throws(() => keys.open(changed, 'site 1'), `byte ${at}`)
      assert.throws(() => keys.open(sealed.subarray(0, at), 'site 1'), `cut at ${at}`)
    }
    assert.throws(() => keys.open(Buffer.concat([sealed, Buffer.of(0)]), 'site 1'))
  })

  test('open old secrets after a rotation and derive the same', () => {
    const [older, newer] = [keyOf('k1'), keyOf('k2')]
    const before = loadMasterKeys(older, folder)
    const now = loadMasterKeys(`${newer}, ${older}`, folder)
    assert.deepEqual(now.open(before.seal(secret, 'a'), 'a'), secret)
    assert.throws(() => before.open(now.seal(secret, 'a'), 'a'), /not in MASTER_KEY/)
    assert.deepEqual(now.derive('hs256'), before.derive('hs256'))
  })

  test('derive 32 bytes per purpose', () => {
    assert.equal(keys.derive('a').length, 32)
    assert.deepEqual(keys.derive('a'), keys.derive('a'))
    assert.notDeepEqual(keys.derive('a'), keys.derive('b'))
    assert.notDeepEqual(keys.derive('a'), loadMasterKeys(keyOf('k1'), folder).derive('a'))
  })

  test('are created at the first start with mode 0600', () => {
    const dataDir = join(folder, 'fresh', 'data')
    const sealed = loadMasterKeys(undefined, dataDir).seal(secret, 'a')
    const written = readFileSync(join(dataDir, 'master.key'), 'utf8')
    assert.equal(statSync(join(dataDir, 'master.key')).mode & 0o777, 0o600)
    assert.deepEqual(loadMasterKeys(undefined, dataDir).open(sealed, 'a'), secret)
    assert.equal(readFileSync(join(dataDir, 'master.key'), 'utf8'), written)
    assert.deepEqual(readdirSync(dataDir), ['master.key'])
  })

  for (const [name, text] of [
    ['an empty file', ''],
    ['a short key', 'k1:AAAA\n'],
    ['no id', `${randomBytes(32).toString('base64')}\n`],
    ['two keys of one id', `${keyOf('k1')},${keyOf('k1')}`],
  ] as const) {
    test(`stop the start and stay untouched when ${name}`, () => {
      const path = join(folder, 'master.key')
      writeFileSync(path, text)
      assert.throws(() => loadMasterKeys(undefined, folder), StartError)
      assert.equal(readFileSync(path, 'utf8'), text)
    })
  }
})
