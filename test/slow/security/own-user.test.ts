import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '#testing/eventually.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'
import { testsWith } from '#testing/programs.ts'

const onLinux = testsWith('Linux', 'the secrets of child processes')
const asRoot = testsWith('root on Linux', 'a program started as root')
const SECRETS = {
  ADMIN_PASSWORD: 'password-in-the-environment',
  METRICS_TOKEN: 'metrics-in-the-environment',
  LLM_API_KEY: 'model-in-the-environment',
  SMS_TOKEN: 'sms-in-the-environment',
}
let dataDir: string
let product: Product
onLinux.before(async () => {
  dataDir = newDataDir()
  product = await startProduct(dataDir, SECRETS, { isFirst: true })
})
onLinux.after(async () => {
  await product.end()
  removeDataDir(dataDir)
})

/** The four user ids (real, effective, saved, file system) or group ids of each thread. */
const idsOf = (pid: number, kind: 'Uid' | 'Gid' | 'Groups') =>
  readdirSync(`/proc/${pid}/task`).map((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')
    const line = new RegExp(`^${kind}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? ''
    return line.trim().split(/\s+/).map(Number)
  })

/** All descendants of this process. */
function descendants(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]) === pid
    } catch {
      return false
    }
  })
  return children.flatMap((child) => [Number(child), ...descendants(Number(child))])
}

asRoot.describe('a program started as root', () => {
  const { test } = asRoot
  test('runs every thread as the database owner once ready', () => {
    const { uid, gid } = statSync(join(dataDir, 'postgres'))
    assert.notEqual(uid, 0)
    for (const ids of idsOf(product.pid, 'Uid')) assert.deepEqual(ids, [uid, uid, uid, uid])
    for (const ids of idsOf(product.pid, 'Gid')) assert.deepEqual(ids, [gid, gid, gid, gid])
    for (const ids of idsOf(product.pid, 'Groups')) assert.deepEqual(ids, [gid])
  })

  test('leaves its key and first sign-in to root only', () => {
    for (const name of ['master.key', 'first-run.json']) {
      const { uid, mode } = statSync(join(dataDir, name))
      assert.deepEqual([uid, mode & 0o777], [0, 0o600], name)
    }
  })

  test('still signs in and erases people and writes its list', async () => {
    const headers = await adminHeaders(product)
    const site_key = product.firstRun.sites['learning']?.site_key ?? ''
    const account = { email: 'ben@example.org', password: 'correct horse battery' }
    const made = await call(`${product.sso}/api/v1/auth/register`, {
      headers: { 'x-sso-site-key': site_key },
      body: account,
    })
    assert.equal(made.status, 201)
    const { user_id } = made.body['user'] as { user_id: string }
    const erased = await call(`${product.sso}/api/v1/users/${user_id}`, { method: 'DELETE', headers })
    assert.ok(erased.status < 300, JSON.stringify(erased.body))
    const list = () => readFileSync(join(dataDir, 'erasures.jsonl'), 'utf8')
    await eventually(() => list().includes(user_id))
  })

  test('stops cleanly and restarts as root', async () => {
    assert.equal(await product.end(), 0)
    product = await startProduct(dataDir, SECRETS)
    assert.ok((await adminHeaders(product))['authorization'])
    assert.doesNotMatch(product.log(), /EACCES|EPERM/)
  })
})

onLinux.describe('secrets of the environment', () => {
  onLinux.test('reach no child process', () => {
    const children = descendants(product.pid)
    const postmaster = readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]
    const all = [...children, Number(postmaster), ...descendants(Number(postmaster))]
    assert.ok(all.length > 1)
    for (const pid of all)
      assert.doesNotMatch(readFileSync(`/proc/${pid}/environ`, 'latin1'), /in-the-environment/)
  })
})
