import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { portOf } from '#testing/hostile.ts'
import { aColleague, anAdmin, aUser, type Headers, homeSite, type Person, signIn } from '#testing/people.ts'
import { type World, world } from '#testing/world.ts'

const ROUNDS = 250

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

/** Lets other work in between, a few turns more or less in each round, so that the two meet at different moments. */
async function later<T>(ms: number, turns: number, work: () => Promise<T>): Promise<T> {
  if (ms > 0) await sleep(ms)
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve))
  return work()
}

/**
 * Starts two requests at once, round after round. The winner of a round starts later in the next one, so both win some
 * rounds on any machine.
 */
function startRace() {
  let [round, head] = [0, 0]
  return async (one: () => Promise<Reply>, other: () => Promise<Reply>) => {
    round++
    const replies = await Promise.all([
      later(-head, round % 6, one),
      later(head, Math.floor(round / 6) % 6, other),
    ])
    head += replies[1].statusCode === 200 ? 1 : -1
    return replies
  }
}

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
  // Connections report what they counted a second later, with their next transaction.
  await sleep(1_100)
  await Promise.all(Array.from({ length: 16 }, () => db.pool`select pg_sleep(0.01)`))
  const [row] = await db.pool<{ deadlocks: number }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`
  return row?.deadlocks ?? -1
}

/** A request whose body comes when `then` is done, as the server sees one from a slow network. Answers the status. */
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
  asked.write(body.slice(0, 1))
  await sleep(200)
  await then()
  asked.end(body.slice(1))
  const [reply] = await answered
  reply.resume()
  return reply.statusCode
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
    test(`refresh against ${name}, ${ROUNDS} times`, async () => {
      const [{ headers }, anna] = [await homeSite(), await aUser()]
      let given = 0
      const both = startRace()
      for (let round = 0; round < ROUNDS; round++) {
        const { refresh_token, access_token } = await signIn(anna)
        const payload = { ...body, refresh_token }
        const [ended, refreshed] = await both(
          () => call({ method: 'POST', url: '/api/v1/auth/logout', headers, payload }),
          () => refresh(refresh_token, headers),
        )
        assert.equal(ended.statusCode, 200, ended.body)
        if (refreshed.statusCode === 200) given++
        assert.ok(await isWorthless(refreshed, headers))
        const { sso } = await world()
        const old = await sso.inject({ url: '/api/v1/sessions', headers: bearer(access_token) })
        assert.equal(old.statusCode, 401)
      }
      assert.ok(given > 0 && given < ROUNDS, `the refresh came first ${given} times of ${ROUNDS}`)
    })

  test(`sign-in against suspension, ${ROUNDS} times`, async () => {
    const admin = await anAdmin()
    const [member, { headers }] = [await aColleague(admin), admin.site]
    const set = (status: string) =>
      call({
        method: 'PATCH',
        url: `/api/v1/users/${member.user_id}`,
        headers: admin.headers,
        payload: { status },
      })
    let given = 0
    const both = startRace()
    for (let round = 0; round < ROUNDS; round++) {
      const [suspended, signedIn] = await both(
        () => set('suspended'),
        () => login(member, headers),
      )
      assert.equal(suspended.statusCode, 200, suspended.body)
      if (signedIn.statusCode === 200) given++
      assert.ok(await isWorthless(signedIn, headers))
      assert.equal((await set('active')).statusCode, 200)
      assert.ok(await isWorthless(signedIn, headers), 'a lifted suspension brings no session back')
    }
    assert.ok(given > 0 && given < ROUNDS, `the sign-in came first ${given} times of ${ROUNDS}`)
  })

  test(`sign-in against change of password, ${ROUNDS} times`, async () => {
    const [{ headers }, anna] = [await homeSite(), await aUser()]
    let { access_token, refresh_token, password } = anna
    let given = 0
    const both = startRace()
    for (let round = 0; round < ROUNDS; round++) {
      const next = `another horse ${round}`
      const [changed, signedIn] = await both(
        () =>
          call({
            method: 'POST',
            url: '/api/v1/auth/password/change',
            headers: bearer(access_token),
            payload: { current_password: password, new_password: next },
          }),
        () => login({ ...anna, password }, headers),
      )
      assert.equal(changed.statusCode, 204, changed.body)
      if (signedIn.statusCode === 200) given++
      assert.ok(await isWorthless(signedIn, headers))
      password = next
      ;({ access_token, refresh_token } = (await refresh(refresh_token, headers)).json())
      assert.ok(access_token, 'the session that changed it goes on')
    }
    assert.ok(given > 0 && given < ROUNDS, `the sign-in came first ${given} times of ${ROUNDS}`)
  })
})
