import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runCommand } from '#testing/command.ts'
import { addTotp } from '#testing/mfa.ts'
import { anOperator, aUser } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'

const lyceum = await buildWorld()
const sso = await lyceum.sso.listen({ host: '127.0.0.1', port: 0 })
const { email, password } = await aUser({ lyceum })

/** The command, against the running world. */
const rotateKeys = (...args: string[]) =>
  runCommand(['rotate-keys', '--sso', sso, ...args], { DATA_DIR: lyceum.dataDir })

const kids = async (state: string) => {
  const rows = await lyceum.db.pool<{ kid: string; environment: string }[]>`
    select kid, environment from sso.signing_keys where state = ${state} and purpose = 'access'`
  return Object.fromEntries(rows.map(({ environment, kid }) => [environment, kid]))
}

describe('rotate-keys', () => {
  test('shows the schedule of both environments and rotates a ready key', async () => {
    const [active, standby] = [await kids('active'), await kids('standby')]
    const first = await rotateKeys()
    assert.deepEqual([first.code, first.stderr], [0, ''])
    for (const environment of ['production', 'sandbox'])
      assert.match(
        first.stdout,
        new RegExp(
          `^${environment}: ${active[environment]} signs until \\d{4}-[\\d-]+T[\\d:.]+Z, then ${standby[environment]}$`,
          'm',
        ),
      )
    // Not one that is due: the step that every process takes each minute might change over to it first.
    await lyceum.db.pool`
      update sso.signing_keys set created_at = created_at - interval '10 minutes', activates_at = null
       where state = 'standby'`
    const second = await rotateKeys('--environment', 'sandbox')
    assert.deepEqual(
      [second.code, second.stdout],
      [0, `sandbox: ${standby['sandbox']} signs\n`],
      second.stderr,
    )
  })

  test('--emergency revokes the key of one environment', async () => {
    const { production } = await kids('active')
    const { code, stdout, stderr } = await rotateKeys(
      '--environment',
      'production',
      '--emergency',
      production ?? '',
    )
    assert.equal(code, 0, stderr)
    const fresh = (await kids('active'))['production']
    assert.notEqual(fresh, production)
    assert.ok(stdout.startsWith(`production: ${production} is revoked; ${fresh} signs`), stdout)
  })

  for (const [name, args, message] of [
    ['an unknown kid', ['--environment', 'sandbox', '--emergency', 'A'.repeat(43)], /sandbox: 404/],
    ['an emergency without its environment', ['--emergency', 'A'.repeat(43)], /needs the environment/],
    ['an environment that is none', ['--environment', 'staging'], /staging: 422/],
    ['an option that is none', ['--force'], /npm start -- rotate-keys/],
    ['somebody who is no operator', ['--email', email, '--password', password], /production: 403/],
    ['a wrong password', ['--password', 'wrong'], /Signing in as admin@lyceum.local failed: 401/],
  ] as const)
    test(`exits 1 with one sentence for ${name}`, async () => {
      const before = await kids('active')
      const { code, stdout, stderr } = await rotateKeys(...args)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, message)
      assert.doesNotMatch(stderr, /\n {4}at /)
      assert.deepEqual(await kids('active'), before)
    })

  test('asks for --code when the account has a second factor', async () => {
    const totp = await addTotp(await anOperator(lyceum), lyceum)
    const without = await rotateKeys('--environment', 'production')
    assert.deepEqual([without.code, without.stdout], [1, ''])
    assert.match(without.stderr, /signs in with a second factor; give --code/)
    const wrong = await rotateKeys('--environment', 'production', '--code', 'wrong')
    assert.match(wrong.stderr, /failed: 401/)
    const right = await rotateKeys('--environment', 'production', '--code', totp.code())
    assert.deepEqual([right.code, right.stderr], [0, ''])
    assert.match(right.stdout, /^production: /)
  })
})
