import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Caller } from '#foundation/security/session-gate.ts'
import { aSite, aUser, signIn } from '#testing/people.ts'
import { ROUNDS } from '#testing/rounds.ts'
import { world } from '#testing/world.ts'
import { createGate, type Gate } from './gate.ts'
import { openKeyRing } from './key-ring.ts'
import { createTokens } from './tokens.ts'

const lyceum = await world()
const { sso, db, parts } = lyceum
const ring = await openKeyRing(parts)
const tokens = createTokens(parts, ring)
ring.close()
/** A gate beside that of the product. */
const gate: Gate = createGate(parts, tokens)

describe('the session gate', () => {
  test('returns the caller with all that services need', async () => {
    const person = await aUser({ lyceum })
    const { site_id, ...caller } = await gate.verifyAccessToken(person.access_token)
    assert.match(site_id, /^[0-9a-f-]{36}$/)
    assert.deepEqual(caller, {
      user_id: person.user_id,
      session_id: person.session_id,
      session_version: caller.session_version,
      email: person.email,
      locale: null,
      site_code: 'learning',
      tenant_id: person.tenant_id,
      environment: 'production',
      is_first_party: true,
      role: 'USER',
      permissions: ['profile:read', 'profile:write'],
      scope: null,
    })
    assert.equal((await gate.findSession(person.session_id))?.user_id, person.user_id)
    assert.deepEqual(await gate.sessionState(person.session_id), {
      active: true,
      session_version: caller.session_version,
      user_id: person.user_id,
      tenant_id: person.tenant_id,
      role: 'USER',
    })
  })

  const ends: [string, (caller: Caller) => Promise<unknown>][] = [
    [
      'the session is revoked',
      ({ session_id }) => db.pool`
        update sso.sessions set revoked_at = clock_timestamp(), revoke_reason = 'test' where session_id = ${session_id}`,
    ],
    [
      'session_version moves',
      ({ user_id }) => db.pool`
        update sso.users set session_version = session_version + 1 where user_id = ${user_id}`,
    ],
    [
      'the account is suspended',
      ({ user_id }) => db.pool`
        update sso.users set status = 'suspended' where user_id = ${user_id}`,
    ],
    [
      'the membership is suspended',
      ({ user_id }) => db.pool`
        update sso.memberships set suspended_at = clock_timestamp() where user_id = ${user_id}`,
    ],
    [
      'the membership is gone',
      ({ user_id }) => db.pool`
        delete from sso.memberships where user_id = ${user_id}`,
    ],
  ]
  for (const [name, end] of ends) {
    test(`refuses the token once ${name}`, async () => {
      const person = await aUser({ lyceum })
      const caller = await gate.verifyAccessToken(person.access_token)
      await end(caller)
      await assert.rejects(
        async () => gate.verifyAccessToken(person.access_token),
        (error: { status?: number; code?: string }) => error.status === 401 && error.code === 'token_revoked',
      )
      const isAlive = name === 'session_version moves'
      assert.equal((await gate.sessionState(person.session_id)).active, isAlive)
    })
  }

  test('refuses tokens of a deleted site', async () => {
    const { owner, ...site } = await aSite({ lyceum })
    const person = await signIn(owner, { at: site, lyceum })
    await gate.verifyAccessToken(person.access_token)
    await db.pool`update sso.sites set deleted_at = clock_timestamp() where site_id = ${site.site_id}`
    await assert.rejects(async () => gate.verifyAccessToken(person.access_token), /revoked/)
    assert.ok(await gate.verifyAccessToken(owner.access_token))
  })

  test('refuses an earlier key of the site, also when cached', async () => {
    const { owner, ...site } = await aSite({ lyceum })
    const person = await signIn(owner, { at: site, lyceum })
    await gate.verifyAccessToken(person.access_token)
    await db.pool`update sso.sites set hs_generation = 2 where site_id = ${site.site_id}`
    assert.ok(await tokens.verify(person.access_token), 'the signature is still remembered as good')
    await assert.rejects(async () => gate.verifyAccessToken(person.access_token), /revoked/)
    const later = await signIn(owner, { at: site, lyceum })
    assert.equal((await gate.verifyAccessToken(later.access_token)).site_id, site.site_id)
  })

  test('accepts the previous key of a site for 31 minutes', async () => {
    const { owner, ...site } = await aSite({ lyceum })
    const person = await signIn(owner, { at: site, lyceum })
    const turn = async (ago: string) => {
      await db.pool`
          update sso.sites set hs_generation = 2, hs_rotated_at = clock_timestamp() - ${ago}::interval
           where site_id = ${site.site_id}`
    }
    const isGood = async (by: Gate) =>
      by.verifyAccessToken(person.access_token).then(
        ({ user_id }) => user_id === person.user_id,
        () => false,
      )
    const unseen = () => createGate(parts, createTokens(parts, ring))
    for (const ago of ['0 s', '30 min 55 s']) {
      await turn(ago)
      assert.deepEqual([await isGood(gate), await isGood(unseen())], [true, true], ago)
    }
    await turn('31 min 1 s')
    assert.deepEqual([await isGood(gate), await isGood(unseen())], [false, false])
    await turn('0 s')
    await db.pool`update sso.sites set hs_generation = 3 where site_id = ${site.site_id}`
    assert.deepEqual([await isGood(gate), await isGood(unseen())], [false, false], 'two turns')
  })

  test('returns the present role', async () => {
    const person = await aUser({ lyceum })
    assert.equal((await gate.verifyAccessToken(person.access_token)).role, 'USER')
    await db.pool`update sso.memberships set role = 'ADMIN' where user_id = ${person.user_id}`
    const caller = await gate.verifyAccessToken(person.access_token)
    assert.equal(caller.role, 'ADMIN')
    assert.ok(caller.permissions.includes('users:write'))
  })

  test('ends a session at its time unless refreshed', async () => {
    const { session_id } = await aUser({ lyceum })
    const endsIn = (time: string) => db.pool`
        update sso.sessions set expires_at = clock_timestamp() + ${time}::interval where session_id = ${session_id}`
    await endsIn('1 minute')
    assert.equal((await gate.sessionState(session_id)).active, true)
    await endsIn('-1 ms')
    assert.equal((await gate.sessionState(session_id)).active, false)
    await endsIn('30 days')
    assert.equal((await gate.sessionState(session_id)).active, true)
  })

  for (const session_id of ['', 'x', '01890000-0000-7000-8000-000000000000', "' or true --"])
    test(`the session "${session_id}" is not active`, async () => {
      assert.deepEqual(await gate.sessionState(session_id), {
        active: false,
        session_version: 0,
        user_id: '',
        tenant_id: '',
        role: '',
      })
    })

  test('returns nothing older than an answered revocation, in many races', async () => {
    const ask = (headers: Record<string, string>) => sso.inject({ url: '/api/v1/sessions', headers })
    for (let round = 0; round < ROUNDS; round++) {
      const person = round % 10 === 0 ? await aUser({ lyceum }) : await signIn(await again(), { lyceum })
      const { session_id, headers } = (last = person)
      let isOver = false
      const askers = Array.from({ length: 4 }, async () => {
        for (let tries = 0; tries < 3; tries++) {
          const isLate = isOver
          const { statusCode } = await ask(headers)
          if (isLate) assert.equal(statusCode, 401)
        }
      })
      const reply = await sso.inject({ method: 'DELETE', url: `/api/v1/sessions/${session_id}`, headers })
      isOver = true
      assert.equal(reply.statusCode, 204)
      assert.equal((await ask(headers)).statusCode, 401)
      await Promise.all(askers)
    }
  })
  let last: Awaited<ReturnType<typeof aUser>> | undefined
  const again = async () => last ?? (await aUser({ lyceum }))
})
