import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { loadConfig } from '#foundation/settings/config.ts'
import { mayReturnTo, outboundPolicies } from './policy.ts'

// Where others may reach the services, each must be told its public address.
const PUBLIC = {
  SSO_URL: 'https://sso.example.org',
  LEARNING_URL: 'https://learning.example.org',
  COLLECTIONS_URL: 'https://collections.example.org',
}

const loopbackIn = (env: Record<string, string>, environment: 'sandbox' | 'production' = 'sandbox') =>
  outboundPolicies({ config: loadConfig(env), ownPorts: () => [] })(environment).mayUseLoopback

describe('a sandbox site may name this machine', () => {
  for (const [name, env, may] of [
    ['where nothing is set', {}, true],
    ['where SSO_URL is of this machine', { SSO_URL: 'http://localhost:8064' }, true],
    ['where SSO_URL is the IPv6 loopback', { HOST: '::1', SSO_URL: 'http://[::1]:8064' }, true],
    ['not where HOST is every address', { ...PUBLIC, HOST: '0.0.0.0' }, false],
    [
      'not where HOST is every address and SSO_URL claims loopback',
      { ...PUBLIC, HOST: '::', SSO_URL: 'http://localhost' },
      false,
    ],
    [
      'not behind a proxy that makes it public',
      { HOST: '127.0.0.1', SSO_URL: 'https://sso.example.org' },
      false,
    ],
    ['not where SSO_URL only begins like loopback', { SSO_URL: 'https://127.0.0.1.example.org' }, false],
  ] as const)
    test(name, () => assert.equal(loopbackIn(env), may))

  test('a production site may never name this machine', () =>
    assert.equal(loopbackIn({}, 'production'), false))
})

describe('a callback of a sandbox site', () => {
  const may = (host: string, env: Record<string, string>) => mayReturnTo(host, loadConfig(env))
  const server = { ...PUBLIC, HOST: '0.0.0.0' }

  test("may be on loopback of a developer's machine only", () => {
    for (const host of ['localhost', 'app.localhost', '127.0.0.1', '::1'])
      assert.deepEqual([may(host, {}), may(host, server)], [true, false], host)
    assert.ok(may('partner.example', server))
  })

  test("may be on a server's loopback if OUTBOUND_ALLOW names it", () => {
    assert.ok(may('localhost', { ...server, OUTBOUND_ALLOW: 'localhost' }))
    assert.ok(may('127.0.0.1', { ...server, OUTBOUND_ALLOW: '127.0.0.1' }))
    assert.ok(!may('localhost', { ...server, OUTBOUND_ALLOW: '10.0.0.0/8' }))
  })
})
