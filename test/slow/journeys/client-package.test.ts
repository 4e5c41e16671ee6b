import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { compile, installPackages, type Project } from '#testing/installed-packages.ts'
import {
  adminHeaders,
  call,
  newDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '#testing/product.ts'

const MOST_BYTES = 12_288
const ACCOUNT = { email: 'zoe@example.org', password: 'a horse of many colours' }

const dataDir = newDataDir()
let project: Project
let product: Product
let site_key: string
before(async () => {
  ;[project, product] = await Promise.all([
    installPackages('@types/node', 'undici-types'),
    startProduct(dataDir),
  ])
  const headers = await adminHeaders(product)
  const { body } = await call(`${product.sso}/api/v1/sites`, { headers, body: { name: 'Partner' } })
  site_key = String(body['site_key'])
  const registered = { headers: { 'x-sso-site-key': site_key }, body: ACCOUNT }
  assert.equal((await call(`${product.sso}/api/v1/auth/register`, registered)).status, 201)
})
after(async () => {
  await product?.end()
  project?.remove()
  removeDataDir(dataDir)
})

/** Runs a module in the project, which has the addresses, `site` and `signIn`, and gives what it passed to `print`. */
const runThere = <T>(text: string, env: Record<string, string> = {}): Promise<T> =>
  project.run<T>(
    `import { createClient, LyceumError, memoryTokens } from '@lyceum/client'
     const { SSO: sso, LEARNING: learning, COLLECTIONS: collections, SITE_KEY: siteKey } = process.env
     const ACCOUNT = JSON.parse(process.env.ACCOUNT)
     const site = createClient({ sso, siteKey })
     const signIn = async () => (await site.sso.POST('/api/v1/auth/login', { body: ACCOUNT })).data
     const print = (result) => console.log(JSON.stringify(result))
     ${text}`,
    {
      SSO: product.sso,
      LEARNING: product.learning,
      COLLECTIONS: product.collections,
      SITE_KEY: site_key,
      ACCOUNT: JSON.stringify(ACCOUNT),
      ...env,
    },
  )

describe('@lyceum/client, installed', () => {
  test('is at most 12 kB, packed', (t) => {
    const folder = join(project.folder, 'node_modules/@lyceum/client/dist')
    const own = readdirSync(folder).filter((name) => name.endsWith('.js') && name !== 'files.js')
    const files = own.map((name) => join(folder, name))
    files.push(join(project.folder, 'node_modules/openapi-fetch/dist/index.mjs'))
    const bytes = gzipSync(files.map((file) => readFileSync(file, 'utf8')).join('\n')).length
    t.diagnostic(`${bytes} bytes`)
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`)
  })

  test('is typed where nothing else is installed', async () => {
    writeFileSync(
      join(project.folder, 'typed.ts'),
      `import { createClient, LyceumError } from '@lyceum/client'
       import { fileLock, fileTokens } from '@lyceum/client/files'
       const lyceum = createClient({ sso: 'http://a', tokens: fileTokens('t'), lock: fileLock('l') })
       const { data } = await lyceum.sso.GET('/api/v1/sessions', { params: { query: { per_page: 5 } } })
       const total: number = data.total
       for await (const session of lyceum.sso.each('/api/v1/sessions')) session.session_id.toUpperCase()
       const { data: text } = await lyceum.sso.GET('/api/v1/audit/export', { parseAs: 'text', params: { query: { format: 'csv' } } })
       text.toUpperCase()
       // @ts-expect-error no such path
       await lyceum.sso.GET('/api/v1/none')
       // @ts-expect-error a body of another shape
       await lyceum.sso.POST('/api/v1/auth/login', { body: { email: 5 } })
       // @ts-expect-error a path needs its id
       await lyceum.sso.GET('/api/v1/users/{user_id}')
       // @ts-expect-error no address of that service was given
       lyceum.learning
       export const codeOf = (error: unknown) => (error instanceof LyceumError ? error.code : total)`,
    )
    assert.equal(await compile(project.folder, 'typed.ts'), '')
  })

  test('throws every refusal as one class with code, request_id and errors', async () => {
    const [wrong, field] = await runThere<Record<string, unknown>[]>(`
      const failure = (work) => work.then(() => ({}), (error) => ({ is: error instanceof LyceumError, ...error }))
      print([
        await failure(site.sso.POST('/api/v1/auth/login', { body: { ...ACCOUNT, password: 'no' } })),
        await failure(site.sso.POST('/api/v1/auth/register', { body: { email: 'x', password: 'too short' } })),
      ])`)
    assert.deepEqual([wrong?.['is'], wrong?.['status'], wrong?.['code']], [true, 401, 'invalid_credentials'])
    assert.match(String(wrong?.['request_id']), /^[0-9a-f-]{36}$/)
    assert.deepEqual([field?.['is'], field?.['status']], [true, 422])
    assert.match(JSON.stringify(field?.['errors']), /^\[{"field":"email",/)
  })

  test('calls all three services with one session', async () => {
    const statuses = await runThere<number[]>(`
      const zoe = createClient({ sso, learning, collections, tokens: memoryTokens(await signIn()) })
      const calls = [zoe.sso.GET('/api/v1/sessions'), zoe.learning.GET('/api/channels'), zoe.collections.GET('/api/collections')]
      print((await Promise.all(calls)).map(({ response }) => response.status))`)
    assert.deepEqual(statuses, [200, 200, 200])
  })

  for (const [where, before] of [
    ['with Web Locks', ''],
    ['without any', `Object.defineProperty(globalThis, 'navigator', { value: undefined })`],
  ] as const)
    test(`renews once for twenty calls at a time, ${where}`, async () => {
      const counts = await runThere(`${before}
        let renewals = 0
        const held = memoryTokens(await signIn())
        const tokens = { get: held.get, set: (fresh) => { renewals++; held.set(fresh) } }
        const zoe = createClient({ sso, siteKey, tokens })
        // The end of another session kills this one's access token.
        const { refresh_token } = await signIn()
        await site.sso.POST('/api/v1/auth/logout', { body: { refresh_token } })
        const calls = await Promise.all(Array.from({ length: 20 }, () => zoe.sso.GET('/api/v1/sessions')))
        print({ statuses: calls.map(({ response }) => response.status), renewals })`)
      assert.deepEqual(counts, { statuses: Array(20).fill(200), renewals: 1 })
    })

  test('forgets the tokens of a session that is over, and throws the refusal', async () => {
    const result = await runThere(`
      const tokens = memoryTokens(await signIn())
      const zoe = createClient({ sso, siteKey, tokens })
      await zoe.sso.DELETE('/api/v1/sessions')
      const code = await zoe.sso.GET('/api/v1/sessions').then(() => 'good', (error) => error.code)
      print({ code, left: tokens.get() ?? null })`)
    assert.deepEqual(result, { code: 'token_revoked', left: null })
  })

  test('keeps the tokens of a session that nobody there can renew', async () => {
    const result = await runThere(`
      const tokens = memoryTokens(await signIn())
      const zoe = createClient({ sso, tokens })
      await zoe.sso.DELETE('/api/v1/sessions')
      const code = await zoe.sso.GET('/api/v1/sessions').then(() => 'good', (error) => error.code)
      print({ code, isKept: tokens.get() !== undefined })`)
    assert.deepEqual(result, { code: 'token_revoked', isKept: true })
  })

  test('lets one session be renewed while another waits', async () => {
    const order = await runThere<string[]>(`
      const order = []
      const sessionOf = async (name, ms) => {
        const { access_token } = await signIn()
        const renew = async () => {
          await new Promise((resolve) => setTimeout(resolve, ms))
          order.push(name)
          return undefined
        }
        return createClient({ sso, tokens: memoryTokens({ access_token }), renew })
      }
      const [slow, quick] = [await sessionOf('slow', 1_000), await sessionOf('quick', 0)]
      await Promise.all([slow.renew(), quick.renew()])
      print(order)`)
    assert.deepEqual(order, ['quick', 'slow'])
  })

  test('shows its site key to the sso only, and to no redirect', async () => {
    const shown = await runThere(`
      const shown = []
      const seen = async (request) => {
        shown.push(request.headers.has('X-SSO-Site-Key') + ' ' + request.redirect)
        return new Response('{}', { headers: { 'Content-Type': 'application/json' } })
      }
      const all = createClient({ sso, learning, siteKey, fetch: seen })
      await all.sso.GET('/api/v1/roles')
      await all.learning.GET('/api/channels')
      print(shown)`)
    assert.deepEqual(shown, ['true manual', 'false follow'])
  })

  test('throws an answer that leads elsewhere, and does not go there', async () => {
    const told = await runThere(`
      const { createServer } = await import('node:http')
      const paths = []
      const astray = createServer((request, reply) => {
        paths.push(request.url)
        reply.writeHead(307, { Location: '/elsewhere' }).end()
      })
      await new Promise((resolve) => astray.listen(0, '127.0.0.1', resolve))
      const at = createClient({ sso: 'http://127.0.0.1:' + astray.address().port, siteKey })
      const { name, status, code } = await at.sso.GET('/api/v1/roles').catch((error) => error)
      astray.close()
      print({ name, status, code, paths })`)
    assert.deepEqual(told, { name: 'LyceumError', status: 307, code: 'http_307', paths: ['/api/v1/roles'] })
  })

  for (const [name, lock] of [
    ['share a file and its lock', `fileLock(process.env.TOKENS + '.lock')`],
    ['share a file and no lock at all', `undefined`],
  ] as const)
    test(`renews once for several processes that ${name}`, async () => {
      const TOKENS = join(project.folder, `${name.replaceAll(' ', '-')}.json`)
      await runThere(
        `import { fileTokens } from '@lyceum/client/files'
        await fileTokens(process.env.TOKENS).set(await signIn())
        const { refresh_token } = await signIn()
        await site.sso.POST('/api/v1/auth/logout', { body: { refresh_token } })
        print(true)`,
        { TOKENS },
      )
      const work = `
        import { fileLock, fileTokens } from '@lyceum/client/files'
        const tokens = fileTokens(process.env.TOKENS)
        const lock = ${lock}
        const zoe = createClient({ sso, siteKey, tokens, ...(lock && { lock }) })
        const { response } = await zoe.sso.GET('/api/v1/sessions')
        print([response.status, (await tokens.get()).refresh_token])`
      const results = await Promise.all([1, 2, 3, 4].map(() => runThere<[number, string]>(work, { TOKENS })))
      assert.deepEqual(
        results.map(([status]) => status),
        [200, 200, 200, 200],
      )
      assert.equal(new Set(results.map(([, token]) => token)).size, 1)
    })

  test('takes a lock over from a process that died with it', async () => {
    const isTaken = await runThere<boolean>(
      `
      import { mkdirSync, utimesSync } from 'node:fs'
      import { fileLock } from '@lyceum/client/files'
      const path = process.env.LOCK
      mkdirSync(path)
      utimesSync(path, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000))
      print(await fileLock(path)('a', async () => true))`,
      { LOCK: join(project.folder, 'left.lock') },
    )
    assert.equal(isTaken, true)
  })

  test('leaves a lock that another took over meanwhile', async () => {
    const held = await runThere<boolean[]>(
      `
      import { existsSync, mkdirSync, rmSync } from 'node:fs'
      import { fileLock } from '@lyceum/client/files'
      const path = process.env.LOCK
      await fileLock(path)('a', async () => {
        rmSync(path, { recursive: true })
        mkdirSync(path)
      })
      const isLeft = existsSync(path)
      rmSync(path, { recursive: true })
      await fileLock(path)('a', async () => {})
      print([isLeft, existsSync(path)])`,
      { LOCK: join(project.folder, 'taken.lock') },
    )
    assert.deepEqual(held, [true, false])
  })

  test('repeats a POST whose answer was lost, which is done once', async () => {
    const result = await runThere(`
      let calls = 0
      const send = async (request) => {
        const answer = await fetch(request)
        if (request.method === 'POST' && calls++ === 0) throw new TypeError('the answer was lost')
        return answer
      }
      const zoe = createClient({ collections, tokens: memoryTokens(await signIn()), fetch: send })
      await zoe.collections.POST('/api/collections', { body: { name: 'Once' } })
      const { data } = await zoe.collections.GET('/api/collections')
      print({ calls, total: data.items.filter(({ name }) => name === 'Once').length })`)
    assert.deepEqual(result, { calls: 2, total: 1 })
  })

  test('does not repeat a POST that could be done twice', async () => {
    const calls = await runThere<number>(`
      let calls = 0
      const send = async (request) => { calls++; await fetch(request); throw new TypeError('the answer was lost') }
      const other = createClient({ sso, siteKey, fetch: send })
      await other.sso.POST('/api/v1/auth/login', { body: ACCOUNT }).catch(() => {})
      print(calls)`)
    assert.equal(calls, 1)
  })

  test('waits as long as Retry-After says after 429, and ends when it is told to', async () => {
    const [delays, status, aborted] = await runThere<[number[], number, string]>(`
      let calls = 0
      const limited = () => new Response('{}', { status: 429, headers: { 'Retry-After': '1' } })
      const other = createClient({ sso, siteKey, fetch: (request) => (calls++ === 0 ? limited() : fetch(request)) })
      const start = setTimeout
      const delays = []
      globalThis.setTimeout = (act, ms, ...more) => (delays.push(ms), start(act, ms, ...more))
      const { response } = await other.sso.POST('/api/v1/auth/login', { body: ACCOUNT })
      globalThis.setTimeout = start
      const never = createClient({ sso, siteKey, fetch: limited })
      const signal = AbortSignal.timeout(100)
      const aborted = await never.sso.GET('/api/v1/roles', { signal }).then(() => 'good', (error) => error.name)
      print([delays, response.status, aborted])`)
    assert.ok(
      delays.some((ms) => ms >= 1_000 && ms < 5_000),
      `${delays.join()} ms`,
    )
    assert.deepEqual([status, aborted], [200, 'TimeoutError'])
  })

  test('walks through lists by cursor and by page, each item once', async () => {
    const [sessions, roles, changes] = await runThere<[number[], number[], number[]]>(
      `
      for (let i = 0; i < 4; i++) await signIn()
      const zoe = createClient({ sso, collections, tokens: memoryTokens(await signIn()) })
      const admin = createClient({ sso, tokens: memoryTokens({ access_token: process.env.ADMIN }) })
      /** How many were walked, and how many different ones. */
      const walk = async (list, id) => {
        const ids = []
        for await (const one of list) ids.push(one[id])
        return [ids.length, new Set(ids).size]
      }
      const params = { query: { per_page: 1 } }
      const { data: log } = await zoe.collections.GET('/api/changes')
      for (const name of ['A', 'B', 'C']) await zoe.collections.POST('/api/collections', { body: { name } })
      print([
        await walk(zoe.sso.each('/api/v1/sessions', { params }), 'session_id'),
        await walk(admin.sso.each('/api/v1/roles', { params }), 'role'),
        await walk(zoe.collections.each('/api/changes', { params: { query: { since: log.cursor, per_page: 2 } } }), 'id'),
      ])`,
      { ADMIN: ((await adminHeaders(product))['authorization'] ?? '').replace('Bearer ', '') },
    )
    for (const [walked = 0, distinct] of [sessions, roles, changes]) {
      assert.ok(walked >= 2, `${walked} walked`)
      assert.equal(distinct, walked)
    }
  })

  test('throws where a list leads in a circle', async () => {
    const walked = await runThere<(string | number)[][]>(`
      const walk = async (pages) => {
        let calls = 0
        const send = async () => Response.json(pages[calls++ % pages.length])
        const at = createClient({ sso: 'http://a', siteKey, collections: 'http://a', fetch: send })
        const found = []
        try {
          for await (const one of at.sso.each('/api/v1/sessions')) found.push(one)
        } catch (error) {
          found.push(error.name)
        }
        return [calls, ...found]
      }
      print([
        await walk([{ items: [1], next_cursor: 'a' }]),
        await walk([{ items: [1], next_cursor: 'a' }, { items: [2], next_cursor: 'b' }]),
        await walk([{ items: [1], page: 1, pages: 2 }]),
        await walk([{ items: [1], has_more: true }]),
      ])`)
    assert.deepEqual(walked, [
      [2, 1, 1, 'TypeError'],
      [3, 1, 2, 1, 'TypeError'],
      [2, 1, 1, 'TypeError'],
      [1, 1, 'TypeError'],
    ])
  })

  test('writes tokens to no link that another user left, and reads none of them', async () => {
    const folder = join(project.folder, 'shared')
    const [victim, isKept, isPrivate, names, follows, foreign] = await runThere<unknown[]>(
      `
      import { chownSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
      import { fileTokens } from '@lyceum/client/files'
      const at = (name) => process.env.FOLDER + '/' + name
      mkdirSync(process.env.FOLDER)
      writeFileSync(at('victim'), 'precious')
      symlinkSync(at('victim'), at('t.json.' + process.pid + '.new'))
      const tokens = fileTokens(at('t.json'))
      await Promise.all([1, 2, 3].map(() => tokens.set({ access_token: 'a' })))
      const verdict = (name) => fileTokens(at(name)).get().then(() => 'read', (error) => error.code ?? error.message)
      writeFileSync(at('planted'), '{"access_token":"b"}')
      symlinkSync(at('planted'), at('link.json'))
      if (process.getuid() === 0) chownSync(at('planted'), 1234, 1234)
      print([
        readFileSync(at('victim'), 'utf8'),
        (await tokens.get()).access_token === 'a',
        (statSync(at('t.json')).mode & 0o077) === 0,
        readdirSync(process.env.FOLDER).filter((name) => name.endsWith('.new')).length,
        await verdict('link.json'),
        process.getuid() === 0 ? (await verdict('planted')) : 'another user',
      ])`,
      { FOLDER: folder },
    )
    assert.deepEqual([victim, isKept, isPrivate, names, follows], ['precious', true, true, 1, 'ELOOP'])
    assert.match(String(foreign), /another user/)
  })

  test('refuses an id that would lead to another address', async () => {
    const refused = await runThere<string[]>(`
      const zoe = createClient({ sso, tokens: memoryTokens(await signIn()) })
      const tries = ['..', '.', ''].map((user_id) => zoe.sso.GET('/api/v1/users/{user_id}', { params: { path: { user_id } } }))
      const odd = zoe.sso.GET('/api/v1/users/{user_id}', { params: { path: { user_id: '../sessions' } } })
      print(await Promise.all([...tries, odd].map((one) => one.then(() => 'good', (error) => error.code ?? error.name))))`)
    assert.deepEqual(refused, ['TypeError', 'TypeError', 'TypeError', 'not_found'])
  })
})
