import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { loadConfig } from '#foundation/settings/config.ts'
import { createLog } from '#foundation/log.ts'
import { createMetrics } from '#foundation/metrics.ts'
import { openLimits } from '#foundation/rate-limit/limits.ts'
import { createPasswords } from '#foundation/security/passwords.ts'
import { loadMasterKeys } from '#foundation/security/secrets.ts'
import type { ServiceParts } from '#foundation/http/service.ts'
import { testDatabase } from '#testing/database.ts'
import { bootstrap, type FirstRun } from './bootstrap.ts'
import { isSiteKey } from '../core/access/site-keys.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
const passwords = createPasswords({ cost: 'test' })

async function freshParts(env: Record<string, string> = {}): Promise<ServiceParts & { file: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'lyceum-bootstrap-'))
  folders.push(dataDir)
  const config = loadConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...env })
  const { db } = await testDatabase()
  return {
    config,
    version: '1',
    database: db,
    gateDatabase: db,
    keys: loadMasterKeys(undefined, dataDir),
    log: createLog('silent'),
    metrics: createMetrics(),
    limits: openLimits(undefined, createLog('silent')),
    isStopping: () => false,
    isUnready: () => false,
    ssoUrl: () => '',
    ownPorts: () => [],
    file: join(dataDir, 'first-run.json'),
  }
}
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as FirstRun

describe('the first start', () => {
  test('creates the network and one private file about it', async () => {
    const parts = await freshParts()
    await bootstrap(parts, passwords)
    assert.equal(statSync(parts.file).mode & 0o777, 0o600)
    const { admin, sites, ...rest } = readJson(parts.file)
    assert.deepEqual(rest, {})
    assert.deepEqual(Object.keys(admin), ['email', 'password', 'user_id'])
    assert.equal(admin.email, 'admin@lyceum.local')
    assert.match(admin.password, /^[0-9A-Za-z]{24}$/)
    assert.deepEqual(Object.keys(sites), ['console', 'learning', 'collections'])
    for (const site of Object.values(sites)) {
      assert.deepEqual(Object.keys(site), ['site_id', 'site_key', 'webhook_secret', 'environment'])
      assert.ok(isSiteKey(site.site_key))
    }
    const { fast } = parts.database
    const roles = await fast`select role from sso.memberships where user_id = ${admin.user_id}`
    assert.deepEqual([...roles], [{ role: 'ADMIN' }, { role: 'ADMIN' }, { role: 'ADMIN' }])
    const keys =
      await fast`select environment from sso.signing_keys where state = 'active' order by environment`
    assert.deepEqual([...keys], [{ environment: 'production' }, { environment: 'sandbox' }])
  })

  test('happens once, also for two processes at once', async () => {
    const parts = await freshParts()
    await Promise.all([bootstrap(parts, passwords), bootstrap(parts, passwords)])
    const first = readFileSync(parts.file, 'utf8')
    await bootstrap(parts, passwords)
    assert.equal(readFileSync(parts.file, 'utf8'), first)
    const users = await parts.database.fast<{ user_id: string }[]>`select user_id from sso.users`
    assert.deepEqual(
      users.map(({ user_id }) => user_id),
      [readJson(parts.file).admin.user_id],
    )
  })

  test('uses the configured e-mail and password', async () => {
    const parts = await freshParts({ ADMIN_EMAIL: 'Root@School.example', ADMIN_PASSWORD: 'a given one' })
    await bootstrap(parts, passwords)
    const { admin } = readJson(parts.file)
    assert.deepEqual([admin.email, admin.password], ['Root@School.example', 'a given one'])
    const [user] = await parts.database.fast<{ password_hash: string }[]>`select password_hash from sso.users`
    assert.equal(await passwords.verifyPassword(user?.password_hash, 'a given one'), true)
  })

  for (const env of [{ ADMIN_EMAIL: 'root' }, { ADMIN_PASSWORD: 'short' }]) {
    test(`stops with one sentence for ${JSON.stringify(env)} and leaves nothing`, async () => {
      const parts = await freshParts(env)
      await assert.rejects(bootstrap(parts, passwords), /^Error: ADMIN_/)
      assert.equal(existsSync(parts.file), false)
      assert.equal((await parts.database.fast`select from sso.tenants`).length, 0)
    })
  }

  test('completes the file after a crash behind COMMIT', async () => {
    const parts = await freshParts()
    await bootstrap(parts, passwords)
    const written = readFileSync(parts.file, 'utf8')
    writeFileSync(`${parts.file}.part`, written, { mode: 0o600 })
    rmSync(parts.file)
    await bootstrap(parts, passwords)
    assert.equal(readFileSync(parts.file, 'utf8'), written)
    assert.equal(existsSync(`${parts.file}.part`), false)
  })

  for (const [name, leftover] of [
    [
      'whole',
      JSON.stringify({
        admin: { email: 'a@b.co', password: 'x', user_id: '01990000-0000-7000-8000-000000000000' },
      }),
    ],
    ['half', '{"admin":{"ema'],
    ['empty', ''],
  ] as const) {
    test(`restarts after a crash before COMMIT with a ${name} file`, async () => {
      const parts = await freshParts()
      writeFileSync(`${parts.file}.part`, leftover)
      await bootstrap(parts, passwords)
      const { admin } = readJson(parts.file)
      assert.equal(admin.email, 'admin@lyceum.local')
      assert.equal(existsSync(`${parts.file}.part`), false)
      assert.equal(statSync(parts.file).mode & 0o777, 0o600)
    })
  }
})
