import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reply } from './browser.ts'
import { type Flow, runFlow, userInfo } from './flow.ts'
import type { Provider } from './provider.ts'

const [TEXT, FLAG, NUMBER] = ['string', 'boolean', 'number'] as const
/** The standard claims of this provider, by scope (Core section 5.4), with their types (section 5.1). */
const CLAIMS = {
  profile: {
    name: TEXT,
    given_name: TEXT,
    family_name: TEXT,
    preferred_username: TEXT,
    picture: TEXT,
    locale: TEXT,
    zoneinfo: TEXT,
    updated_at: NUMBER,
  },
  email: { email: TEXT, email_verified: FLAG },
  phone: { phone_number: TEXT, phone_number_verified: FLAG },
} as const

/** The modules for userinfo: the ways to request it, and the claims of each scope. */
export function userInfoModules(op: Provider) {
  test('oidcc-userinfo-get: answers the subject of the ID token as JSON', async () => {
    const { tokens, claims } = await runFlow(op)
    assert.deepEqual(readUserInfo(await userInfo(op, tokens), claims), {})
  })

  test('oidcc-userinfo-post-header: answers POST with a Bearer header alike', async () => {
    const { tokens, claims } = await runFlow(op)
    assert.deepEqual(readUserInfo(await userInfo(op, tokens, 'POST'), claims), {})
  })

  // The module passes with a warning: RFC 6750 section 2.2 makes this method optional for the server.
  test('oidcc-userinfo-post-body: refuses a token in the body', async () => {
    const { tokens } = await runFlow(op)
    const form = new URLSearchParams({ access_token: tokens.access_token })
    const { status } = await op.send(op.metadata.userinfo_endpoint, { method: 'POST', form })
    assert.ok(status >= 400 && status < 500, String(status))
  })

  for (const [scope, known] of Object.entries(CLAIMS))
    test(`oidcc-scope-${scope}: userinfo holds the claims of the scope and no others`, async () => {
      await assertShows(op, `openid ${scope}`, known)
    })

  // The suite skips both if discovery does not offer the scope, but a request with it must still succeed.
  test('oidcc-scope-address: is not offered, and ignored', async () => {
    assert.ok(!offered(op).includes('address'))
    await assertShows(op, 'openid address', {})
  })

  test('oidcc-scope-all: shows all claims but the address', async () => {
    const { profile, email, phone } = CLAIMS
    await assertShows(op, 'openid email phone address profile', { ...profile, ...email, ...phone })
  })

  // The module passes with a warning: the claims parameter is optional, and discovery does not offer it.
  test('oidcc-claims-essential: the claims parameter is ignored', async () => {
    assert.equal(op.metadata['claims_parameter_supported'] ?? false, false)
    const given = { claims: JSON.stringify({ userinfo: { name: { essential: true } } }) }
    const { tokens, claims } = await runFlow(op, { given })
    assert.equal(claims['name'], undefined)
    assert.deepEqual(readUserInfo(await userInfo(op, tokens), claims), {})
  })
}

const offered = ({ metadata }: Provider) => metadata['scopes_supported'] as string[]

async function assertShows(op: Provider, scope: string, known: Record<string, string>) {
  const { tokens, claims } = await runFlow(op, { given: { scope } })
  const shown = readUserInfo(await userInfo(op, tokens), claims)
  const types = Object.entries(shown).map(([name, value]) => [name, typeof value])
  assert.deepEqual(Object.fromEntries(types), known)
  for (const [name, value] of Object.entries(shown)) {
    assert.ok(value !== '' && value !== 'null', name)
    assert.deepEqual(claims[name], value, name)
  }
}

/** ValidateUserInfoStandardClaims, EnsureUserInfoContainsSub, VerifyUserInfoAndIdToken…SameSub. Omits `sub`. */
function readUserInfo({ status, headers, text }: Reply, { sub }: Flow['claims']) {
  assert.equal(status, 200, text)
  assert.match(String(headers['content-type']), /^application\/json/)
  const { sub: subject, ...shown } = JSON.parse(text) as Record<string, unknown>
  assert.ok(sub !== undefined && sub !== '')
  assert.equal(subject, sub)
  const { updated_at } = shown
  // Seconds; a value in milliseconds would lie far in the future.
  if (updated_at !== undefined) assert.ok(Number(updated_at) <= Date.now() / 1_000 + 300)
  return shown
}
