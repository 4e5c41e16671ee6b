import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { canonical, isLoopback, isPublic, isWithin, ranges } from './addresses.ts'

/** The first and last address of every refused range, and notations that disguise such an address. */
const REFUSED = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.0.0',
  '169.254.169.254',
  '169.254.255.255',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.0',
  '192.0.0.255',
  '192.0.2.0',
  '192.0.2.255',
  '192.88.99.0',
  '192.88.99.255',
  '192.168.0.0',
  '192.168.255.255',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.0',
  '198.51.100.255',
  '203.0.113.0',
  '203.0.113.255',
  '224.0.0.0',
  '239.255.255.255',
  '240.0.0.0',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.1.2.3',
  '::ffff:0:0',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::a',
  '64:ff9b::',
  '64:ff9b:1::',
  '64:ff9b:1:ffff::1.1.1.1',
  '100::',
  '100::ffff:ffff:ffff:ffff',
  '200::1',
  '1fff::1',
  '2001::',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:1ff:ffff::1',
  '2001:db8::',
  '2001:db8:ffff::1',
  '2002::',
  '2002:7f00:1::1',
  '2002:808:808::1',
  '3fff::',
  '3fff:fff:ffff::1',
  '4000::1',
  '5f00::1',
  '8000::1',
  'fc00::',
  'fd00:ec2::254',
  'fdff:ffff::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'feff::1',
  'ff00::',
  'ff02::1',
]

/** Addresses just outside the refused ranges, and ordinary servers. */
const PUBLIC = [
  '1.0.0.0',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.0.3.0',
  '192.88.98.255',
  '192.88.100.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '198.51.101.0',
  '203.0.112.255',
  '203.0.114.0',
  '223.255.255.255',
  '2000::',
  '2001:200::',
  '2001:4860:4860::8888',
  '2001:db7:ffff::1',
  '2001:db9::',
  '2001:ffff::1',
  '2003::1',
  '2606:4700:4700::1111',
  '3ffe:ffff::1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '64:FF9B::808:808',
]

describe('public addresses', () => {
  for (const address of REFUSED)
    test(`${address} is not public`, () => assert.equal(isPublic(address), false))
  for (const address of PUBLIC) test(`${address} is public`, () => assert.equal(isPublic(address), true))

  for (const text of [
    '',
    'example.com',
    '8.8.8.8:443',
    '[2606:4700::1]',
    '0x8.8.8.8',
    '8.8.8',
    '2606:4700::1%eth0',
    '8.8.8.8/32',
  ]) {
    test(`"${text}" is no address and not public`, () => assert.equal(isPublic(text), false))
  }
})

describe('loopback', () => {
  for (const [address, is] of [
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['0:0:0:0:0:0:0:1', true],
    ['::ffff:127.0.0.1', true],
    ['128.0.0.1', false],
    ['::2', false],
    ['::', false],
    ['0.0.0.0', false],
  ] as const)
    test(`${address} ${is ? 'is' : 'is not'} loopback`, () => assert.equal(isLoopback(address), is))
})

describe('ranges', () => {
  test('contain exactly their own addresses', () => {
    const list = ranges(['10.1.0.0/16', 'fd00:1::/32', '192.168.7.7'])
    assert.deepEqual(
      [
        '10.1.2.3',
        '::ffff:10.1.2.3',
        'fd00:1::9',
        '192.168.7.7',
        '10.2.0.0',
        'fd00:2::',
        '192.168.7.8',
        'nonsense',
      ].map((a) => isWithin(a, list)),
      [true, true, true, true, false, false, false, false],
    )
  })

  for (const text of [
    '',
    'example.com/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '::/129',
    '::/x',
  ]) {
    test(`"${text}" is refused as a range`, () =>
      assert.throws(() => ranges([text]), /is not an IP address or range/))
  }
})

test('an address has one canonical spelling', () => {
  assert.equal(canonical('2606:4700:0000:0000:0000:0000:0000:1111'), '2606:4700::1111')
  assert.equal(canonical('::FFFF:1.2.3.4'), '1.2.3.4')
  assert.equal(canonical('64:ff9b::102:304'), '1.2.3.4')
})
