import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runCommand } from '#testing/command.ts'
import { type TestDatabase, testDatabase } from '#testing/database.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'
import { eventually } from '#testing/eventually.ts'

/** The issuer of the tokens, which stays the same although the ports are other ones. */
const SSO_URL = 'http://127.0.0.1:8064'
const BACKUP_PASSPHRASE = 'correct horse battery staple'
const folder = newDataDir()
chmodSync(folder, 0o755)
after(() => removeDataDir(folder))
/** Owned by whoever runs this, and open, as a folder that an operator makes. */
const aPlace = (name: string) => {
  const path = join(folder, name)
  mkdirSync(path, { mode: 0o755 })
  return path
}
const run = (command: string, file: string, DATA_DIR: string, more: Record<string, string> = {}) =>
  runCommand([command, file], { DATA_DIR, BACKUP_PASSPHRASE, PATH: process.env['PATH'] ?? '', ...more })

type Written = { at: number; address: (product: Product) => string; text: string }

/** Creates channels, people and items until it is told to stop, and notes each one that was confirmed. */
async function writeUntil(product: Product, headers: Writer, written: Written[], isOver: () => boolean) {
  for (let number = 0; !isOver(); number++) {
    const text = `${headers.writer} ${number}`
    const channel = await call(`${product.learning}/api/channels`, {
      headers: headers.learning,
      body: { title: text, episodes: [{ title: 'One' }] },
    })
    assert.equal(channel.status, 201)
    note(`api/channels/${String(channel.body['id'])}`, 'learning', text)
    const item = await call(`${product.collections}/api/collections/${headers.collection_id}/items`, {
      headers: headers.collections,
      body: { name: text },
    })
    assert.equal(item.status, 201, JSON.stringify(item.body))
    note(`api/items/${String(item.body['id'])}`, 'collections', text)
    const person = await call(`${product.sso}/api/v1/auth/register`, {
      headers: headers.site,
      body: { email: `${text.replace(' ', '-')}@example.org`, password: 'analytical engine 1843' },
    })
    assert.equal(person.status, 201)
    note(`api/v1/users/${String(person.body['user_id'])}`, 'sso', text.replace(' ', '-'))
  }
  function note(path: string, service: 'sso' | 'learning' | 'collections', text: string) {
    written.push({ at: performance.now(), address: (one) => `${one[service]}/${path}`, text })
  }
}
type Writer = {
  writer: string
  site: Record<string, string>
  learning: Record<string, string>
  collections: Record<string, string>
  collection_id: string
}

describe('a backup of the running program', () => {
  const [first, second] = [aPlace('first'), join(folder, 'second')]
  const file = join(folder, 'one.backup')
  const written: Written[] = []
  let product: Product | undefined
  let began = 0
  let tokenBefore: Record<string, string> = {}
  let erased = ''
  after(() => product?.end())

  before(async () => {
    product = await startProduct(first, { SSO_URL })
    const running = product
    const site = { 'x-sso-site-key': running.firstRun.sites['learning']?.site_key ?? '' }
    const learning = await adminHeaders(running)
    const collections = await adminHeaders(running, 'collections')
    tokenBefore = learning
    const made = await call(`${running.collections}/api/collections`, {
      headers: collections,
      body: { name: 'All' },
    })
    const collection_id = String(made.body['id'])
    let isOver = false
    const writers = Array.from({ length: 4 }, (_, index) =>
      writeUntil(
        running,
        { writer: `writer${index}`, site, learning, collections, collection_id },
        written,
        () => isOver,
      ),
    )
    await eventually(() => written.length >= 40)
    began = performance.now()
    const done = await run('backup', file, first)
    const afterwards = written.length
    await eventually(() => written.length >= afterwards + 3)
    isOver = true
    await Promise.all(writers)
    assert.deepEqual([done.code, done.stderr], [0, ''])
    assert.match(done.stdout, /rows of \d+ tables as of/)
    const checklist = `${running.sso}/api/v1/console/checklist`
    const { body: steps } = await call(checklist, { headers: await adminHeaders(running, 'console') })
    assert.equal(steps['backup'], true)
    // Somebody is erased after the backup. The newest list is kept apart.
    const person = written.findLast(({ at, address }) => at < began && address(running).includes('/users/'))
    assert.notEqual(person?.text, 'writer1-0@example.org', 'that person signs in below')
    erased = person?.address(running).split('/').at(-1) ?? ''
    const gone = await call(`${running.sso}/api/v1/users/${erased}`, {
      method: 'DELETE',
      headers: await adminHeaders(running, 'console'),
    })
    assert.ok(gone.status < 300, `${gone.status} ${JSON.stringify(gone.body)}`)
    await eventually(async () => readFileSync(join(first, 'erasures.jsonl'), 'utf8').includes(erased))
    copyFileSync(join(first, 'erasures.jsonl'), join(folder, 'newest.jsonl'))
    await running.end('SIGKILL')
    await stopLeftServer(first)
    removeDataDir(first)
  })

  test('is whole, private and names nobody', async () => {
    const { code, stdout } = await run('verify', file, join(folder, 'nowhere'))
    assert.equal(code, 0)
    assert.match(stdout, /is whole: \d+ rows/)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const bytes = readFileSync(file)
    for (const word of ['writer0', 'admin@lyceum.local', 'sso.users']) assert.ok(!bytes.includes(word), word)
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.part')),
      [],
    )
  })

  test('holds every write that was confirmed before it began', async () => {
    mkdirSync(second, { mode: 0o755 })
    copyFileSync(join(folder, 'newest.jsonl'), join(second, 'erasures.jsonl'))
    const done = await run('restore', file, second)
    assert.deepEqual([done.code, done.stderr.match(/"level":[456]0/)], [0, null], done.stderr)
    assert.deepEqual(readdirSync(second).toSorted(), [
      'erasures.jsonl',
      'first-run.json',
      'master.key',
      'postgres',
    ])
    assert.equal(statSync(join(second, 'master.key')).mode & 0o777, 0o600)
    product = await startProduct(second, { SSO_URL })
    const restored = product
    const headers = {
      learning: await adminHeaders(restored),
      sso: await adminHeaders(restored, 'console'),
      collections: await adminHeaders(restored, 'collections'),
    }
    const before = written.filter(({ at }) => at < began)
    assert.ok(before.length >= 40)
    for (const { address, text } of before) {
      const url = address(restored)
      if (url.includes(erased)) continue
      const service = (['learning', 'sso', 'collections'] as const).find((name) =>
        url.startsWith(restored[name]),
      )
      const { status, body } = await call(url, { headers: headers[service ?? 'sso'] })
      assert.equal(status, 200, `${url} is lost`)
      assert.ok(JSON.stringify(body).includes(text), url)
    }
  })

  test('lets in with the old password and the old token', async () => {
    assert.ok(product)
    assert.equal((await call(`${product.learning}/api/channels`, { headers: tokenBefore })).status, 200)
    const signedIn = await call(`${product.sso}/api/v1/auth/login`, {
      headers: { 'x-sso-site-key': product.firstRun.sites['learning']?.site_key ?? '' },
      body: { email: 'writer1-0@example.org', password: 'analytical engine 1843' },
    })
    assert.equal(signedIn.status, 200)
  })

  test('does not bring back whom the newest erasure list names', async () => {
    assert.ok(product)
    const { status } = await call(`${product.sso}/api/v1/users/${erased}`, {
      headers: await adminHeaders(product, 'console'),
    })
    assert.ok(status === 404 || status === 410, `${status}`)
    assert.match(product.log(), /erased again/)
  })

  test('goes on writing after a restore', async () => {
    assert.ok(product)
    const { status } = await call(`${product.learning}/api/channels`, {
      headers: await adminHeaders(product),
      body: { title: 'Later' },
    })
    assert.equal(status, 201)
  })

  test('is not restored over anything', async () => {
    const { code, stderr } = await run('restore', file, second)
    assert.equal(code, 1)
    assert.match(stderr, /is not empty: it has "[^"]+"\. Restore into an empty folder only[^\n]+\n$/)
    const again = await run('backup', file, second)
    assert.deepEqual([again.code, again.stderr], [1, `${file} exists: choose another name\n`])
  })

  test('is refused with damage or another passphrase, and nothing is changed', async () => {
    const third = aPlace('third')
    const bytes = readFileSync(file)
    const bad = join(folder, 'bad.backup')
    const place = 90 + Math.floor(Math.random() * (bytes.length - 90))
    const changed = Buffer.from(bytes)
    changed[place] = (changed[place] ?? 0) ^ 1
    for (const wrong of [
      changed,
      bytes.subarray(0, bytes.length - 10),
      Buffer.from('-- a dump of something else'),
    ]) {
      writeFileSync(bad, wrong)
      for (const command of wrong === changed ? ['verify', 'restore'] : ['restore']) {
        const { code, stdout, stderr } = await run(command, bad, third)
        assert.deepEqual([code, stdout], [1, ''])
        assert.match(stderr, /^[^\n]+(is damaged or incomplete|is not a backup of Lyceum)[^\n]*\n$/)
      }
    }
    const { code, stderr } = await run('restore', file, third, { BACKUP_PASSPHRASE: 'another passphrase' })
    assert.deepEqual([code, stderr], [1, `BACKUP_PASSPHRASE is not the passphrase of ${file}\n`])
    const without = await runCommand(['restore', file], { DATA_DIR: third })
    assert.equal(without.code, 1)
    assert.match(without.stderr, /^BACKUP_PASSPHRASE must be set[^\n]+\n$/)
    assert.deepEqual(readdirSync(third), [])
  })

  test('can be made while the program stands still', async () => {
    await product?.end()
    product = undefined
    const still = join(folder, 'still.backup')
    const done = await run('backup', still, second)
    assert.equal(done.code, 0, done.stderr)
    assert.equal((await run('verify', still, second)).code, 0)
    assert.ok(!existsSync(join(second, 'postgres/data/postmaster.pid')), 'a server was left running')
  })
})

describe('a backup to standard output', () => {
  const dataDir = newDataDir()
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })
  after(() => removeDataDir(dataDir))

  /** `where` is what the shell does with standard output. */
  const lead = (where: string, more: Record<string, string> = {}) => {
    const main = join(import.meta.dirname, '../../../src/main.ts')
    const env = {
      PATH: process.env['PATH'],
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      MASTER_KEY: `k1:${randomBytes(32).toString('base64')}`,
      BACKUP_PASSPHRASE,
      MAIN: main,
      NODE: process.execPath,
      ...more,
    }
    return spawnSync('sh', ['-c', `{ "$NODE" "$MAIN" backup -; echo "exit $?" >&2; } ${where}`], {
      env,
      encoding: 'utf8',
    })
  }

  test('holds nothing but the backup, and says what it holds on standard error', async () => {
    const piped = join(folder, 'piped.backup')
    const { stderr } = lead(`| cat > ${piped}`)
    assert.match(stderr, /^\d+ rows of \d+ tables as of [^\n]+\nexit 0\n$/)
    const { code, stdout } = await run('verify', piped, dataDir)
    assert.equal(code, 0)
    assert.match(stdout, /is whole/)
  })

  test('is refused where npm has written lines of its own before it', () => {
    const npm = { npm_lifecycle_event: 'start' }
    assert.match(lead('> /dev/null', npm).stderr, /^npm has written lines before[^\n]+\nexit 1\n$/)
    const { stderr } = lead('> /dev/null', { ...npm, npm_config_loglevel: 'silent' })
    assert.match(stderr, /^\d+ rows of [^\n]+\nexit 0\n$/)
  })

  test('fails with a sentence when the reader goes away', () => {
    const { stderr } = lead('| head -c 100 > /dev/null')
    assert.match(stderr, /^standard output was closed[^\n]+\nexit 1\n$/)
  })
})

describe('a backup of a database of its own', () => {
  const file = join(folder, 'own.backup')
  const MASTER_KEY = `k1:${randomBytes(32).toString('base64')}`
  let from: TestDatabase
  let to: TestDatabase
  before(async () => {
    from = await testDatabase()
    to = await testDatabase()
    await to.db.pool`drop schema foundation, sso, learning, collections cascade`
  })

  test('is restored into an empty database only, with the same keys', async () => {
    const [own, other] = [aPlace('own'), aPlace('other')]
    const settings = { DATABASE_URL: from.url, MASTER_KEY }
    const product = await startProduct(own, settings)
    const { status, body } = await call(`${product.learning}/api/channels`, {
      headers: await adminHeaders(product),
      body: { title: 'Kept' },
    })
    assert.equal(status, 201)
    assert.equal((await run('backup', file, own, settings)).code, 0)
    await product.end()

    const full = await run('restore', file, other, settings)
    assert.equal(full.code, 1)
    assert.match(full.stderr, /The database is not empty: it has the schema "\w+"/)
    const foreign = await run('restore', file, other, {
      DATABASE_URL: to.url,
      MASTER_KEY: `k1:${randomBytes(32).toString('base64')}`,
    })
    assert.match(foreign.stderr, /^MASTER_KEY lacks keys of this backup/)
    const done = await run('restore', file, other, { ...settings, DATABASE_URL: to.url })
    assert.equal(done.code, 0, done.stderr)
    assert.deepEqual(readdirSync(other).toSorted(), ['erasures.jsonl', 'first-run.json'])
    const restored = await startProduct(other, { ...settings, DATABASE_URL: to.url })
    const found = await call(`${restored.learning}/api/channels/${String(body['id'])}`, {
      headers: await adminHeaders(restored),
    })
    assert.deepEqual([found.status, found.body['title']], [200, 'Kept'])
    await restored.end()
    const constraints = ({ db }: TestDatabase) => db.pool`
      select conrelid::regclass::text, conname, pg_get_constraintdef(pg_constraint.oid), convalidated, tgenabled
        from pg_constraint left join pg_trigger on tgrelid = conrelid and not tgisinternal
       where connamespace = any('{sso,learning,collections}'::regnamespace[]) order by 1, 2, 3, tgname`
    assert.deepEqual([...(await constraints(to))], [...(await constraints(from))])
  })

  test('is done again after a restore that was killed', async () => {
    const { pool } = to.db
    await pool`create schema lyceum_restore`
    const half = await runCommand(['migrate'], { DATA_DIR: folder, DATABASE_URL: to.url, MASTER_KEY })
    assert.equal(half.code, 1)
    assert.match(half.stderr, /A restore into this database was not finished/)
    const place = aPlace('again')
    const done = await run('restore', file, place, { DATABASE_URL: to.url, MASTER_KEY })
    assert.equal(done.code, 0, done.stderr)
    assert.equal((await pool`select from learning.channels where title = 'Kept'`).length, 1)
  })

  test('of a newer version is refused', async () => {
    await from.db
      .pool`insert into foundation.migrations (source, number, name, sha256) values ('sso', 9999, 'x', 'y')`
    const newer = join(folder, 'newer.backup')
    const settings = { DATABASE_URL: from.url, MASTER_KEY }
    assert.equal((await run('backup', newer, join(folder, 'own'), settings)).code, 0)
    const { code, stderr } = await run('verify', newer, folder)
    assert.equal(code, 1)
    assert.match(stderr, /was made by a newer version of Lyceum [^\n]+sso\/9999[^\n]+\n$/)
  })
})

/** A killed program leaves its server running, which would write into the folder while it is deleted. */
async function stopLeftServer(dataDir: string) {
  const pid = Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0])
  process.kill(pid, 'SIGQUIT')
  await eventually(() => !existsSync(`/proc/${pid}`))
}
