import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { after, before, describe, mock, test } from 'node:test'
import type { Tx } from '#foundation/database/database.ts'
import { eventually } from '#testing/eventually.ts'
import { portOf } from '#testing/hostile.ts'
import { inTurn } from '#testing/locks.ts'
import { aColleague, anAdmin, aUser, type Headers, homeSite, type Person, signIn } from '#testing/people.ts'
import { ROUNDS } from '#testing/rounds.ts'
import { type World, world } from '#testing/world.ts'

type Call = { method: 'POST' | 'PATCH' | 'DELETE'; url: string; headers: Headers; payload?: object }
async function call(asked: Call) {
  const { sso } = await world()
  return sso.inject(asked)
}
type Reply = Awaited<ReturnType<typeof call>>

const bearer = (access_token: string) => ({ authorization: `Bearer ${access_token}` })
const refresh = (refresh_token: string, headers: Headers) =>
  call({ method: 'POST', url: '/api/v1/auth/refresh', headers, payload: { refresh_token } })
const login = ({ email, password }: Pick<Person, 'email' | 'password'>, headers: Headers) =>
  call({ method: 'POST', url: '/api/v1/auth/login', headers, payload: { email, password } })

/** What `end` ends, and what `begin` is given: the row that both need makes one of them first. */
type Race = {
  row: (tx: Tx) => Promise<unknown>
  end: () => Promise<Reply>
  begin: () => Promise<Reply>
}
type Outcome = { ended: Reply; begun: Reply }

/** Runs a race in both orders, then as often as ROUNDS says in any. `judge` says what holds whoever comes first. */
async function raceBothWays(make: () => Promise<Race>, judge: (outcome: Outcome) => Promise<unknown>) {
  const { db } = await world()
  const late = await make()
  const [ended, begun] = await inTurn(db, late.row, late.end, late.begin)
  assert.equal(begun.statusCode, 401, 'who comes after the end is given nothing')
  await judge({ ended, begun })
  const early = await make()
  const [given, over] = await inTurn(db, early.row, early.begin, early.end)
  assert.equal(given.statusCode, 200, 'who comes before the end is given something')
  await judge({ ended: over, begun: given })
  for (let round = 0; round < ROUNDS; round++) {
    const { end, begin } = await make()
    const replies = await Promise.all(round % 2 ? [end(), begin()] : [begin(), end()])
    const [one, other] = replies
    await judge(round % 2 ? { ended: one, begun: other } : { ended: other, begun: one })
  }
}
const sessionRow =
  ({ session_id }: { session_id: string }) =>
  (tx: Tx) =>
    tx`select from sso.sessions where session_id = ${session_id} for no key update`
const userRow =
  ({ user_id }: { user_id: string }) =>
  (tx: Tx) =>
    tx`select from sso.users where user_id = ${user_id} for no key update`

/** What the loser of the race was given must be worth nothing; what it was refused with is a plain 401. */
async function isWorthless(reply: Reply, siteHeaders: Headers): Promise<boolean> {
  if (reply.statusCode === 401) return true
  assert.equal(reply.statusCode, 200, reply.body)
  const { access_token, refresh_token } = reply.json()
  const { sso } = await world()
  const used = await sso.inject({ url: '/api/v1/sessions', headers: bearer(access_token) })
  return used.statusCode === 401 && (await refresh(refresh_token, siteHeaders)).statusCode === 401
}

async function deadlocks({ db }: World): Promise<number> {
  // Each connection reports what it counted. All are held, so that none reports twice and another never.
  const { promise: all, resolve } = Promise.withResolvers<void>()
  const { max } = db.pool.options
  let count = 0
  await Promise.all(
    Array.from({ length: max }, () =>
      db.pool.begin(async (tx) => {
        if (++count === max) resolve()
        await all
        await tx`select pg_stat_force_next_flush()`
      }),
    ),
  )
  const [row] = await db.pool<{ deadlocks: number }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`
  return row?.deadlocks ?? -1
}

/**
 * A request whose body comes a second later, when `then` is done, as the server sees one from a slow network. Answers the
 * status. The server reads a body once it has let the request in.
 */
async function withLateBody({ method, url, headers, payload }: Call, then: () => Promise<unknown>) {
  const { sso } = await world()
  const body = JSON.stringify(payload)
  const asked = request({
    host: '127.0.0.1',
    port: await portOf(sso),
    path: url,
    method,
    headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  })
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>
  const arrived = once(sso.server, 'request') as Promise<[IncomingMessage]>
  asked.write(body.slice(0, 1))
  const [seen] = await arrived
  await eventually(() => seen.readableFlowing)
  await then()
  const now = performance.now() + 1_000
  const time = mock.method(performance, 'now', () => now)
  try {
    asked.end(body.slice(1))
    const [reply] = await answered
    reply.resume()
    return reply.statusCode
  } finally {
    time.mock.restore()
  }
}

describe('a request whose body arrives after the check of its token', () => {
  const rename = ({ user_id, headers }: Person): Call => ({
    method: 'PATCH',
    url: `/api/v1/users/${user_id}`,
    headers,
    payload: { given_name: 'Late' },
  })

  test('is refused once its session has ended', async () => {
    const [anna, { db }] = [await aUser(), await world()]
    const { headers } = anna
    const signOut = () => call({ method: 'DELETE', url: '/api/v1/sessions', headers })
    assert.equal(await withLateBody(rename(anna), signOut), 401)
    const [row] = await db.fast`select given_name from sso.users where user_id = ${anna.user_id}`
    assert.equal(row?.['given_name'], null)
  })

  test('is refused once its site key was deleted', async () => {
    const [admin, { sso }] = [await anAdmin(), await world()]
    const { site_id, site_key, headers } = admin.site
    const keys = `/api/v1/sites/${site_id}/keys`
    const payload = { email: admin.email, password: admin.password }
    const turn = async () => {
      assert.equal((await sso.inject({ method: 'POST', url: keys, headers: admin.headers })).statusCode, 201)
      const url = `${keys}/${site_key.slice(-4)}`
      assert.equal((await sso.inject({ method: 'DELETE', url, headers: admin.headers })).statusCode, 204)
    }
    const late: Call = { method: 'POST', url: '/api/v1/auth/login', headers, payload }
    assert.equal(await withLateBody(late, turn), 401)
  })

  test('is served when nothing changed', async () => {
    assert.equal(await withLateBody(rename(await aUser()), async () => {}), 200)
  })
})

describe('no token issued during a revocation works after it', () => {
  let before_ = 0
  before(async () => (before_ = await deadlocks(await world())))
  after(async () => assert.equal(await deadlocks(await world()), before_, 'there were deadlocks'))

  for (const [name, body] of [
    ['logout', {}],
    ['logout everywhere', { everywhere: true }],
  ] as const)
    test(`refresh against ${name}`, async () => {
      const [{ headers }, anna, { sso }] = [await homeSite(), await aUser(), await world()]
      let old = ''
      const make = async () => {
        const session = await signIn(anna)
        const { refresh_token } = session
        old = session.access_token
        const payload = { ...body, refresh_token }
        return {
          row: sessionRow(session),
          end: () => call({ method: 'POST', url: '/api/v1/auth/logout', headers, payload }),
          begin: () => refresh(refresh_token, headers),
        }
      }
      await raceBothWays(make, async ({ ended, begun }) => {
        assert.equal(ended.statusCode, 200, ended.body)
        assert.ok(await isWorthless(begun, headers))
        const used = await sso.inject({ url: '/api/v1/sessions', headers: bearer(old) })
        assert.equal(used.statusCode, 401)
      })
    })

  test('sign-in against suspension', async () => {
    const admin = await anAdmin()
    const [member, { headers }] = [await aColleague(admin), admin.site]
    const set = (status: string) =>
      call({
        method: 'PATCH',
        url: `/api/v1/users/${member.user_id}`,
        headers: admin.headers,
        payload: { status },
      })
    const make = async () => ({
      row: userRow(member),
      end: () => set('suspended'),
      begin: () => login(member, headers),
    })
    await raceBothWays(make, async ({ ended, begun }) => {
      assert.equal(ended.statusCode, 200, ended.body)
      assert.ok(await isWorthless(begun, headers))
      assert.equal((await set('active')).statusCode, 200)
      assert.ok(await isWorthless(begun, headers), 'a lifted suspension brings no session back')
    })
  })

  test('sign-in against change of password', async () => {
    const [{ headers }, anna] = [await homeSite(), await aUser()]
    let { access_token, refresh_token, password } = anna
    let [round, next] = [0, '']
    const make = async () => {
      next = `another horse ${round++}`
      const payload = { current_password: password, new_password: next }
      const own = bearer(access_token)
      return {
        row: userRow(anna),
        end: () => call({ method: 'POST', url: '/api/v1/auth/password/change', headers: own, payload }),
        begin: () => login({ ...anna, password }, headers),
      }
    }
    await raceBothWays(make, async ({ ended, begun }) => {
      assert.equal(ended.statusCode, 204, ended.body)
      assert.ok(await isWorthless(begun, headers))
      password = next
      ;({ access_token, refresh_token } = (await refresh(refresh_token, headers)).json())
      assert.ok(access_token, 'the session that changed it goes on')
    })
  })
})
