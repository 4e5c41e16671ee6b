import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDRESS } from './browser.ts'
import { runFlow } from './flow.ts'
import type { Provider } from './provider.ts'

/** The modules for the discovery document and its keys. */
export function discoveryModules(op: Provider) {
  const { metadata, discovery, jwks } = op

  test('oidcc-discovery-endpoint-verification: the document is complete and true', () => {
    assert.equal(discovery.status, 200)
    assert.match(String(discovery.headers['content-type']), /^application\/json/)
    assert.equal(metadata.issuer, ADDRESS)
    assert.deepEqual(metadata['response_types_supported'], ['code'])
    assert.deepEqual(metadata['subject_types_supported'], ['public'])
    assert.ok((metadata['id_token_signing_alg_values_supported'] as string[]).includes('RS256'))
    assert.ok((metadata['grant_types_supported'] as string[]).includes('authorization_code'))
    assert.deepEqual(metadata['code_challenge_methods_supported'], ['S256'])
    for (const name of ['claims_supported', 'scopes_supported'] as const)
      for (const value of metadata[name] as string[]) assert.match(value, /^[\x21\x23-\x5b\x5d-\x7e]+$/)
    assert.ok((metadata['scopes_supported'] as string[]).includes('openid'))
    // RFC 8414 section 2: empty lists are omitted.
    for (const [name, value] of Object.entries(metadata))
      if (Array.isArray(value))
        assert.ok(value.length > 0 && value.every((one) => typeof one === 'string'), name)
  })

  test('oidcc-discovery-endpoint-verification: every endpoint is there, under https', async () => {
    for (const [name, value] of Object.entries(metadata)) {
      if (!/_endpoint$|_uri$/.test(name)) continue
      assert.ok(String(value).startsWith(`${ADDRESS}/`), name)
      const method = /token|introspection|revocation/.test(name) ? 'POST' : 'GET'
      assert.notEqual((await op.send(String(value), { method })).status, 404, name)
    }
  })

  test('oidcc-discovery-endpoint-verification: the keys are public, for signing, each with its id', () => {
    assert.ok(jwks.keys.length > 0)
    assert.equal(new Set(jwks.keys.map(({ kid }) => kid)).size, jwks.keys.length)
    for (const key of jwks.keys) {
      assert.deepEqual(Object.keys(key).toSorted(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
      assert.deepEqual([key.kty, key.use, key.alg], ['RSA', 'sig', 'RS256'])
      assert.ok(key.kid)
    }
  })

  // The suite runs these two only with dynamic registration, which this provider does not have.
  test('oidcc-idtoken-signature: RS256 with the id of a published key', async () => {
    const { tokens } = await runFlow(op)
    const [head = ''] = tokens.id_token.split('.')
    const { alg, kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as Record<string, string>
    assert.equal(alg, 'RS256')
    assert.ok(jwks.keys.some((key) => key.kid === kid))
  })

  test('oidcc-idtoken-unsigned: an ID token without signature is not offered', () => {
    assert.deepEqual(metadata['id_token_signing_alg_values_supported'], ['RS256'])
  })
}
