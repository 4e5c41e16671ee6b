import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { type Claims, signToken } from '#foundation/security/access-tokens.ts'
import { openDatabase } from '#foundation/database/database.ts'
import type { App } from '#foundation/http/http.ts'
import { createMetrics } from '#foundation/metrics.ts'
import { createSso } from '#sso'
import { eventually } from '#testing/eventually.ts'
import { anOperator, aSite, type Person, type TestSite } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'

/** `npm run nightly` makes twenty thousand. */
const REQUESTS = Number(process.env['LYCEUM_REQUESTS'] ?? 2_000)
const AT_ONCE = 24
const ROTATIONS = 6

/** Two processes of one installation, each with its own connections, key ring and timers. */
async function twoNodes() {
  const lyceum = await buildWorld()
  const database = openDatabase({ url: lyceum.url, poolSize: 4 })
  const second = await createSso(
    { ...lyceum.parts, database, metrics: createMetrics() },
    { passwords: lyceum.passwords },
  )
  after(async () => {
    await second.close()
    await database.close()
  })
  await second.app.ready()
  return { lyceum, nodes: [lyceum.sso, second.app] as const }
}

type SignedIn = { token: string; kid: string }

async function signInAt(node: App, site: TestSite, { email, password }: Person): Promise<SignedIn[]> {
  const reply = await node.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    headers: site.headers,
    payload: { email, password },
  })
  assert.equal(reply.statusCode, 200, reply.body)
  const { access_token, access_token_hs256 } = reply.json()
  return [access_token, access_token_hs256].flatMap((token: string | undefined) =>
    token === undefined ? [] : [{ token, kid: decodeProtectedHeader(token).kid ?? '' }],
  )
}

const statusOf = async (node: App, token: string) => {
  const headers = { authorization: `Bearer ${token}` }
  return (await node.inject({ url: '/api/v1/sessions?per_page=1', headers })).statusCode
}

const rotate = async (node: App, headers: Record<string, string>, emergency?: string) => {
  const payload = { environment: 'production', ...(emergency !== undefined && { emergency }) }
  const reply = await node.inject({ method: 'POST', url: '/api/v1/signing-keys/rotate', headers, payload })
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.json() as { active_kid: string; activates_at: string | null }
}

const publishedBy = async (node: App) =>
  ((await node.inject('/.well-known/jwks.json')).json() as { keys: { kid: string }[] }).keys.map(
    ({ kid }) => kid,
  )

describe('two processes while the signing keys change', () => {
  test(`refuse none of ${REQUESTS} valid requests over ${ROTATIONS} rotations`, async (t) => {
    // The test advances the timers itself: ten seconds for the key rings and a minute for the rotation.
    t.mock.timers.enable({ apis: ['setInterval'] })
    const { lyceum, nodes } = await twoNodes()
    const { db } = lyceum
    const partners = await Promise.all(
      (['HS256', 'RS256', 'dual'] as const).map(async (token_signing) => {
        const { owner, ...site } = await aSite({ lyceum })
        await db.pool`update sso.sites set token_signing = ${token_signing} where site_id = ${site.site_id}`
        return { owner, site, token_signing }
      }),
    )
    const { headers: operator } = await anOperator(lyceum)

    let pool: SignedIn[] = []
    const signAllIn = async () => {
      for (const node of nodes)
        for (const { owner, site } of partners) pool.push(...(await signInAt(node, site, owner)))
    }
    await signAllIn()

    const refused: string[] = []
    const answered = [0, 0]
    const kids = new Set<string>()
    let sent = 0
    let rotations = 0
    const inFlight = new Set<Promise<void>>()
    const callers = Array.from({ length: AT_ONCE }, async () => {
      while (sent < REQUESTS || rotations < ROTATIONS) {
        const at = sent++ % 2 === 0 ? 0 : 1
        const signedIn = pool[Math.floor(sent / 2) % pool.length]
        assert.ok(signedIn)
        kids.add(signedIn.kid)
        const request = statusOf(nodes[at], signedIn.token).then((status) => {
          answered[at] = (answered[at] ?? 0) + 1
          if (status !== 200) refused.push(`${status} by node ${at} for ${signedIn.kid}`)
        })
        inFlight.add(request)
        await request
        inFlight.delete(request)
      }
    })

    const signedBy = (kid: string) => pool.filter((one) => one.kid === kid).length
    const operate = async () => {
      for (; rotations < ROTATIONS; rotations++) {
        await db.pool`
          update sso.signing_keys set created_at = created_at - interval '11 minutes'
           where state = 'standby' and purpose = 'access' and environment = 'production'`
        const [before] = await db.pool<{ kid: string }[]>`
          select kid from sso.signing_keys
           where state = 'active' and purpose = 'access' and environment = 'production'`
        const retired = before?.kid ?? ''
        const { active_kid, activates_at } = await rotate(nodes[rotations % 2 === 0 ? 0 : 1], operator)
        assert.equal(activates_at, null)
        // One node signs with the new key, the other still with the retiring one.
        await signAllIn()
        assert.ok(signedBy(retired) > 0 && signedBy(active_kid) > 0)
        if (rotations === 2)
          await db.pool`
            update sso.sites set hs_generation = hs_generation + 1, hs_rotated_at = clock_timestamp()
             where site_id = any(${partners.map(({ site }) => site.site_id)})`
        t.mock.timers.tick(60_000)
        const [, publicly] = partners
        assert.ok(publicly)
        await eventually(
          () => Promise.all(nodes.map((node) => signInAt(node, publicly.site, publicly.owner))),
          (all) => all.every(([one]) => one?.kid === active_kid),
        )
        // 36 minutes later the tokens of the old key have expired, and their holders get new ones.
        await signAllIn()
        const expired = pool.find((one) => one.kid === retired)
        pool = pool.filter((one) => one.kid !== retired)
        await Promise.all(inFlight)
        await db.pool`
          update sso.signing_keys set retiring_at = retiring_at - interval '36 minutes' where state = 'retiring'`
        t.mock.timers.tick(60_000)
        for (const node of nodes) {
          await eventually(async () => {
            t.mock.timers.tick(10_000)
            return !(await publishedBy(node)).includes(retired)
          })
          assert.equal(await statusOf(node, expired?.token ?? ''), 401)
        }
      }
    }
    await Promise.all([...callers, operate()])

    assert.deepEqual(refused, [])
    assert.ok(sent >= REQUESTS)
    assert.ok(answered.every((count) => count > REQUESTS / 3))
    assert.ok(kids.size > ROTATIONS, `${kids.size} keys were used`)
  })

  test('apply an emergency locally at once, elsewhere within ten seconds', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const { lyceum, nodes } = await twoNodes()
    const [here, there] = nodes
    const { owner, ...site } = await aSite({ lyceum })
    await lyceum.db.pool`update sso.sites set token_signing = 'RS256' where site_id = ${site.site_id}`
    const [mine] = await signInAt(here, site, owner)
    assert.ok(mine)
    const [stolen] = await lyceum.db.pool<{ private_enc: Buffer }[]>`
      select private_enc from sso.signing_keys where kid = ${mine.kid}`
    assert.ok(stolen)
    const key = lyceum.parts.keys.open(stolen.private_enc, mine.kid)
    const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
    const forge = async () => {
      const [user] = await lyceum.db.pool<{ sv: number }[]>`
        select session_version as sv from sso.users where user_id = ${owner.user_id}`
      const claims = { ...decodeJwt<Claims>(mine.token), sv: user?.sv ?? 0 }
      return signToken(claims, { kid: mine.kid, alg: 'RS256', privateKey })
    }
    const both = async (token: string) => [await statusOf(here, token), await statusOf(there, token)]
    assert.deepEqual(await both(await forge()), [200, 200])

    const { active_kid } = await rotate(here, (await anOperator(lyceum)).headers, mine.kid)
    assert.deepEqual(await both(mine.token), [401, 401], 'every token of before is dead everywhere')
    assert.equal(await statusOf(here, await forge()), 401)
    t.mock.timers.tick(10_000)
    await eventually(async () => !(await publishedBy(there)).includes(mine.kid))
    assert.deepEqual(await both(await forge()), [401, 401])
    const [fresh] = await signInAt(there, site, owner)
    assert.equal(fresh?.kid, active_kid)
    assert.deepEqual(await both(fresh?.token ?? ''), [200, 200])
  })

  test('notice an emergency from the first new token', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const { lyceum, nodes } = await twoNodes()
    const [here, there] = nodes
    const { owner, ...site } = await aSite({ lyceum })
    await lyceum.db.pool`update sso.sites set token_signing = 'RS256' where site_id = ${site.site_id}`
    const [old] = await signInAt(there, site, owner)
    await rotate(here, (await anOperator(lyceum)).headers, old?.kid)
    const [fresh] = await signInAt(here, site, owner)
    assert.notEqual(fresh?.kid, old?.kid)
    assert.equal(await statusOf(there, fresh?.token ?? ''), 200)
    assert.ok(!(await publishedBy(there)).includes(old?.kid ?? ''))
  })
})
