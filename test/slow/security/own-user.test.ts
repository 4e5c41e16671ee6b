import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { emptyDatabase } from '#testing/database.ts'
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
import { tempFolder } from '#testing/temp-folder.ts'

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

asRoot.describe('a node started as root with a database of its own and no DATA_DIR yet', () => {
  const folder = tempFolder('nodes')
  chmodSync(folder, 0o755)
  const MASTER_KEY = `k:${Buffer.alloc(32).toString('base64')}`
  let nodes = 0
  /** Resolves with the exit code of a node that was ready, or with all it said. */
  async function runNode(args: string[], more: Record<string, string>) {
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../../src/main.ts'), ...args], {
      env: {
        PATH: process.env['PATH'],
        DATA_DIR: join(folder, `${++nodes}/data`),
        MASTER_KEY,
        SSO_URL: 'http://127.0.0.1:8064',
        SSO_PORT: '0',
        LEARNING_PORT: '0',
        COLLECTIONS_PORT: '0',
        ...more,
      },
    })
    let said = ''
    let isReady = false
    child.stderr.on('data', (part: Buffer) => (said += part.toString()))
    child.stdout.on('data', () => {
      isReady = true
      child.kill('SIGTERM')
    })
    const [code] = (await once(child, 'close')) as [number | null]
    return isReady ? code : said
  }

  asRoot.test('starts, whatever parts it runs and whoever made the admin', async () => {
    const { url: DATABASE_URL } = await emptyDatabase()
    assert.equal(await runNode([], { DATABASE_URL }), 0)
    for (const args of [[], ['sso', 'jobs'], ['learning'], ['collections']])
      assert.equal(await runNode(args, { DATABASE_URL }), 0, args.join(' '))
    assert.equal(await runNode([], { DATABASE_URL, WORKERS: '2' }), 0)
  })
})

asRoot.describe('a program started by root in a home that is closed to others', () => {
  const home = tempFolder('home')
  const clones = ['one', 'two', 'old'].map((name) => join(home, name))
  const [one = '', two = '', old = ''] = clones
  for (const clone of clones) mkdirSync(clone)
  chmodSync(home, 0o700)
  asRoot.after(() => {
    for (const clone of clones.map((path) => join(path, 'data')).filter((path) => existsSync(path)))
      rmSync(realpathSync(clone), { recursive: true, force: true })
  })
  /** Starts without DATA_DIR in that folder; resolves with what it said, once it was stopped. */
  async function startIn(cwd: string) {
    const env = { PATH: process.env['PATH'], SSO_PORT: '0', LEARNING_PORT: '0', COLLECTIONS_PORT: '0' }
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../../src/main.ts')], { cwd, env })
    let said = ''
    child.stderr.on('data', (part: Buffer) => (said += part.toString()))
    child.stdout.on('data', () => child.kill('SIGTERM'))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, said }
  }
  const firstRunOf = (clone: string) => readFileSync(join(clone, 'data/first-run.json'), 'utf8')

  asRoot.test('keeps the data of each checkout apart, and finds them by ./data', async () => {
    for (const clone of [one, two]) assert.equal((await startIn(clone)).code, 0)
    assert.match(realpathSync(join(one, 'data')), /^\/var\/lib\/lyceum-one-[0-9a-f]{8}$/)
    assert.notEqual(firstRunOf(one), firstRunOf(two))
    const before = firstRunOf(one)
    const again = await startIn(one)
    assert.deepEqual([again.code, firstRunOf(one)], [0, before])
    assert.doesNotMatch(again.said, /First start/)
  })

  asRoot.test('refuses where ./data holds a database that its user cannot enter', async () => {
    chmodSync(home, 0o755)
    assert.equal((await startIn(old)).code, 0)
    chmodSync(home, 0o700)
    const { code, said } = await startIn(old)
    assert.equal(code, 1)
    const sentences = said.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
    assert.equal(sentences.length, 1, said)
    assert.match(said, /home-\w+ is closed to the user "nobody", who runs the database: .*chmod o\+x/)
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
