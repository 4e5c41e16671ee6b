import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import postgres from 'postgres'
import { sha256 } from '#foundation/security/secrets.ts'
import { eventually } from '#testing/eventually.ts'
import { call, newDataDir, type Product, removeDataDir, startProduct } from '#testing/product.ts'

/** `LYCEUM_KILLS=50 npm test -- test/slow/crash/refresh` for the long run. */
const KILLS = Number(process.env['LYCEUM_KILLS'] ?? 4)

type Tokens = { access_token: string; refresh_token: string; session_id: string }

const dataDir = newDataDir()
/** Each start uses another free port; the issuer of the tokens must stay the same. */
const SETTINGS = { SSO_URL: 'http://127.0.0.1:8064' }
let product: Product
before(async () => void (product = await startProduct(dataDir, SETTINGS)))
after(async () => {
  await product.end()
  removeDataDir(dataDir)
})

/** Always the same client: a token spent from two clients counts as theft and ends the session. */
const siteKey = () => ({
  'user-agent': 'refresh.test',
  'x-sso-site-key': product.firstRun.sites['learning']?.site_key ?? '',
})

async function aSession(): Promise<Tokens> {
  const { email, password } = product.firstRun.admin
  const { status, body } = await call(`${product.sso}/api/v1/auth/login`, {
    headers: siteKey(),
    body: { email, password },
  })
  assert.equal(status, 200)
  return body as unknown as Tokens
}

/** The raw reply, for byte comparison. */
async function refresh(refresh_token: string, key?: string) {
  const reply = await fetch(`${product.sso}/api/v1/auth/refresh`, {
    method: 'POST',
    headers: {
      ...siteKey(),
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify({ refresh_token }),
    signal: AbortSignal.timeout(10_000),
  })
  return {
    status: reply.status,
    text: await reply.text(),
    isReplay: reply.headers.get('idempotent-replayed'),
  }
}

/** Sends the request and never reads the reply. */
async function refreshIntoTheVoid(refresh_token: string, key: string): Promise<Socket> {
  const { hostname, port } = new URL(product.sso)
  const body = JSON.stringify({ refresh_token })
  const socket = connect(Number(port), hostname).pause()
  socket.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    const head = [
      'POST /api/v1/auth/refresh HTTP/1.1',
      `host: ${hostname}`,
      ...Object.entries(siteKey()).map(([name, value]) => `${name}: ${value}`),
      `idempotency-key: ${key}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, (error) => (error ? reject(error) : resolve()))
  })
  return socket
}

/** The test's own connection to the embedded server, with the program's role. */
async function onDatabase<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const text = readFileSync(join(dataDir, 'postgres/passwords.json'), 'utf8')
  const sql = postgres({
    host: join(dataDir, 'postgres/socket'),
    username: 'lyceum',
    database: 'lyceum',
    password: (JSON.parse(text) as { app: string }).app,
    max: 2,
    onnotice: () => {},
  })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 2 })
  }
}

async function killAndStart() {
  assert.equal(await product.end('SIGKILL'), 'SIGKILL')
  product = await startProduct(dataDir, SETTINGS)
}

describe('the program killed with SIGKILL in the middle of a refresh', () => {
  test('before COMMIT the old token still works, once', async () => {
    const { refresh_token, session_id } = await aSession()
    await onDatabase(async (sql) => {
      // A transaction that never commits takes the successor's place: the token is spent (R4), but its successor (R5)
      // has to wait.
      const holder = await sql.reserve()
      await holder`begin`
      await holder`
        insert into sso.refresh_tokens (token_hash, session_id, generation, expires_at)
        values (${randomBytes(32)}, ${session_id}, 2, clock_timestamp() + interval '1 day')`
      const socket = await refreshIntoTheVoid(refresh_token, 'before-commit')
      await eventually(async () => {
        const waiting = await sql`
          select from pg_stat_activity where wait_event_type = 'Lock' and query ~ '^\\s*with account as'`
        return waiting.length === 1
      })
      assert.equal(await product.end('SIGKILL'), 'SIGKILL')
      socket.destroy()
      await holder`rollback`
      holder.release()
    })
    product = await startProduct(dataDir, SETTINGS)
    const first = await refresh(refresh_token)
    assert.equal(first.status, 200, first.text)
    assert.equal((await refresh(refresh_token)).status, 401)
    const { refresh_token: next } = JSON.parse(first.text) as Tokens
    assert.equal((await refresh(next)).status, 200)
  })

  test('after COMMIT the same key repeats the answer, others get 401', async () => {
    const { refresh_token, session_id } = await aSession()
    const successor = await onDatabase(async (sql) => {
      const socket = await refreshIntoTheVoid(refresh_token, 'lost')
      let hash: Buffer | null = null
      await eventually(async () => {
        const [row] = await sql<{ successor_hash: Buffer | null }[]>`
          select successor_hash from sso.refresh_tokens where session_id = ${session_id} and generation = 1`
        hash = row?.successor_hash ?? null
        return hash !== null
      })
      await killAndStart()
      socket.destroy()
      return hash as Buffer | null
    })
    const again = await refresh(refresh_token, 'lost')
    assert.deepEqual([again.status, again.isReplay], [200, 'true'])
    const tokens = JSON.parse(again.text) as Tokens
    // The reply now must be what was committed before the kill.
    assert.deepEqual(sha256(tokens.refresh_token), successor)
    assert.deepEqual(await refresh(refresh_token, 'lost'), again)
    for (const key of ['another', undefined]) {
      const other = await refresh(refresh_token, key)
      assert.deepEqual([other.status, JSON.parse(other.text).code], [401, 'refresh_token_just_used'])
    }
    const sessions = await call(`${product.sso}/api/v1/sessions`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    assert.equal(sessions.status, 200)
    assert.equal((await refresh(tokens.refresh_token)).status, 200)
    assert.equal((await refresh(refresh_token, 'lost')).status, 401)
  })

  test(`at ${KILLS} moments a retry keeps the session`, async () => {
    const clients = await Promise.all(Array.from({ length: 6 }, aSession))
    const spent: string[] = []
    let refreshes = 0
    /** One client. It repeats an unanswered request with the same idempotency key, as clients have to. */
    async function run(tokens: Tokens, isOver: () => boolean): Promise<Tokens> {
      let own = tokens
      for (let key = randomBytes(8).toString('hex'); ;) {
        let answer
        try {
          answer = await refresh(own.refresh_token, key)
        } catch {
          await eventually(() => fetch(`${product.sso}/livez`)) // killed; the next process answers
          continue
        }
        if (answer.status === 503) continue
        assert.equal(answer.status, 200, answer.text)
        spent.push(own.refresh_token)
        own = JSON.parse(answer.text) as Tokens
        refreshes++
        key = randomBytes(8).toString('hex')
        if (isOver()) return own
      }
    }
    let isOver = false
    const running = clients.map((tokens) => run(tokens, () => isOver))
    for (let kill = 0; kill < KILLS; kill++) {
      // Counted in refreshes and not in time: a slow machine makes few between two kills.
      const enough = refreshes + 8 + ((13 * kill) % 40)
      await eventually(() => refreshes >= enough)
      await killAndStart()
    }
    isOver = true
    const last = await Promise.all(running)
    assert.ok(refreshes > KILLS * 6, `only ${refreshes} refreshes`)
    for (const { refresh_token } of last) assert.equal((await refresh(refresh_token)).status, 200)
    const old = spent.filter((_, n) => n % Math.ceil(spent.length / 20) === 0)
    for (const token of old) assert.equal((await refresh(token)).status, 401)
  })
})
