import assert from 'node:assert/strict'
import { after, describe, mock, test } from 'node:test'
import { listeningWorld } from '#testing/enterprise.ts'
import { eventually } from '#testing/eventually.ts'
import { anOperator, aSite, aUser, type Headers, signIn, type TestSite } from '#testing/people.ts'

const lyceum = await listeningWorld({ SSO_RATE_LIMIT_SITE: '0', SSO_RATE_LIMIT_AUTH: '0' })
const { address, db } = lyceum

type Line = { sub: string; session_version: number; at: string }

/** A client that reads until it is closed, as a partner's server does. */
class Client {
  readonly lines: Line[] = []
  id: string | undefined
  isReady = false
  isOver = false
  readonly #end = new AbortController()

  async open(headers: Headers, id?: string): Promise<this> {
    this.id = id
    const resumed = id === undefined ? {} : { 'last-event-id': id }
    const reply = await ask({ ...headers, ...resumed }, this.#end.signal)
    assert.equal(reply.status, 200)
    void this.#read(reply).catch(() => (this.isOver = true))
    await this.until(() => this.isReady)
    return this
  }
  close(): void {
    this.#end.abort()
  }
  until = (isSo: () => boolean) =>
    eventually(
      () => this.lines,
      () => isSo(),
    )
  isTold = (user_id: string, version = 2) =>
    this.lines.some(({ sub, session_version }) => sub === user_id && session_version === version)

  async #read({ body }: Response): Promise<void> {
    let text = ''
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString()
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) this.#take(block)
    }
    this.isOver = true
  }
  #take(block: string): void {
    const of = (name: string) =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2)
    this.id = of('id') ?? this.id
    if (of('event') === 'ready') this.isReady = true
    if (of('event') === 'revoked') this.lines.push(JSON.parse(of('data') ?? '') as Line)
  }
}

const clients = new Set<Client>()
after(() => {
  for (const client of clients) client.close()
})
const listen = (headers: Headers, id?: string): Promise<Client> => {
  const client = new Client()
  clients.add(client)
  return client.open(headers, id)
}
const ask = (headers: Headers, signal?: AbortSignal) =>
  fetch(`${address}/api/v1/revocations`, { headers, ...(signal && { signal }) })
const member = (at: TestSite) => aUser({ at, lyceum })
const revoke = (user_id: string) =>
  db.pool`update sso.users set session_version = session_version + 1 where user_id = ${user_id}`

describe('GET /api/v1/revocations', () => {
  test('tells whose tokens died, once, and no other site of it', async () => {
    const [site, other] = [await aSite({ lyceum }), await aSite({ lyceum })]
    const [anna, ben, cleo] = [await member(site), await member(site), await member(other)]
    const [client, foreign] = [await listen(site.headers), await listen(other.headers)]
    assert.equal(client.lines.length, 0)
    const signedOut = await fetch(`${address}/api/v1/sessions`, { method: 'DELETE', headers: anna.headers })
    assert.equal(signedOut.status, 204)
    await client.until(() => client.isTold(anna.user_id))
    assert.match(client.lines[0]?.at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    // What happens later is told later, so whoever was told of it was told all that came before.
    await revoke(ben.user_id)
    await revoke(cleo.user_id)
    await client.until(() => client.isTold(ben.user_id))
    await foreign.until(() => foreign.isTold(cleo.user_id))
    const told = (lines: readonly Line[]) => lines.map(({ sub }) => sub)
    assert.deepEqual(told(client.lines), [anna.user_id, ben.user_id])
    assert.deepEqual(told(foreign.lines), [cleo.user_id])
  })

  test('tells who comes late what happened in the last half hour', async () => {
    const site = await aSite({ lyceum })
    const anna = await member(site)
    await revoke(anna.user_id)
    assert.ok((await listen(site.headers)).isTold(anna.user_id))
  })

  test('goes on from Last-Event-ID, so nothing is missed while nobody listens', async () => {
    const site = await aSite({ lyceum })
    const [anna, ben] = [await member(site), await member(site)]
    const first = await listen(site.headers)
    await revoke(anna.user_id)
    await first.until(() => first.isTold(anna.user_id))
    first.close()
    await revoke(ben.user_id)
    const second = await listen(site.headers, first.id)
    await second.until(() => second.isTold(ben.user_id))
    await revoke(anna.user_id)
    await second.until(() => second.isTold(anna.user_id, 3))
  })

  test('misses no transaction that commits minutes late', async () => {
    const site = await aSite({ lyceum })
    const [slow, quick] = [await member(site), await member(site)]
    const client = await listen(site.headers)
    await db.pool.begin(async (tx) => {
      await tx`update sso.users set session_version = session_version + 1 where user_id = ${slow.user_id}`
      await tx`
        update sso.session_bumps set revoked_at = revoked_at - interval '10 minutes' where user_id = ${slow.user_id}`
      await revoke(quick.user_id)
      await client.until(() => client.isTold(quick.user_id))
    })
    await client.until(() => client.isTold(slow.user_id))
  })

  test('tells of somebody who is erased', async () => {
    const site = await aSite({ lyceum })
    const [anna, operator] = [await member(site), await anOperator(lyceum)]
    const client = await listen(site.headers)
    const erased = await fetch(`${address}/api/v1/users/${anna.user_id}`, {
      method: 'DELETE',
      headers: operator.headers,
    })
    assert.equal(erased.status, 204)
    await client.until(() => client.isTold(anna.user_id))
    assert.ok((await listen(site.headers)).isTold(anna.user_id))
  })

  test('tells of more people at once than one question reads', async () => {
    const site = await aSite({ lyceum })
    await db.pool`
      insert into sso.users (user_id, environment, email, email_fold, registration_source)
      select gen_random_uuid(), 'production', n || ${site.site_code}, n || ${site.site_code}, 'bulk_import'
        from generate_series(1, 2500) n`
    await db.pool`
      insert into sso.memberships (user_id, site_id, role)
      select user_id, ${site.site_id}, 'USER' from sso.users where email like ${`%${site.site_code}`}`
    const client = await listen(site.headers)
    await db.pool`update sso.users set session_version = 2 where email like ${`%${site.site_code}`}`
    await client.until(() => client.lines.length === 2_500)
    assert.equal(new Set(client.lines.map(({ sub }) => sub)).size, 2_500)
  })

  test('tells of 50 people who are signed out at once, each once', async () => {
    const site = await aSite({ lyceum })
    const people = await Promise.all(Array.from({ length: 50 }, () => member(site)))
    const client = await listen(site.headers)
    await Promise.all(people.map(({ user_id }) => revoke(user_id)))
    await client.until(() => people.every(({ user_id }) => client.isTold(user_id)))
    assert.equal(client.lines.length, 50)
  })

  test('ends within ten seconds of the end of its key', async () => {
    const site = await aSite({ lyceum })
    const client = await listen(site.headers)
    await db.pool`update sso.site_keys set revoked_at = clock_timestamp() where site_id = ${site.site_id}`
    const inTenSeconds = Date.now() + 10_000
    const clock = mock.method(Date, 'now', () => inTenSeconds)
    try {
      await client.until(() => client.isOver)
    } finally {
      clock.mock.restore()
    }
    assert.equal((await ask(site.headers)).status, 401)
  })

  test('refuses the 21st stream of a site, and takes one when another has ended', async () => {
    const site = await aSite({ lyceum })
    const held = await Promise.all(Array.from({ length: 20 }, () => listen(site.headers)))
    const reply = await ask(site.headers)
    assert.deepEqual([reply.status, reply.headers.get('retry-after')], [429, '10'])
    assert.equal(((await reply.json()) as { code: string }).code, 'too_many_streams')
    held[0]?.close()
    await eventually(async () => {
      const again = await ask(site.headers)
      await again.body?.cancel()
      return again.status === 200
    })
  })

  test('refuses the sixth stream of a sandbox site, since anybody can make one', async () => {
    const site = await aSite({ environment: 'sandbox', lyceum })
    await Promise.all(Array.from({ length: 5 }, () => listen(site.headers)))
    assert.equal((await ask(site.headers)).status, 429)
  })

  test('needs a site key, and the id of an event of its own', async () => {
    const site = await aSite({ lyceum })
    assert.equal((await ask({})).status, 401)
    assert.equal((await ask((await signIn(await member(site), { at: site, lyceum })).headers)).status, 401)
    for (const id of ['x', '-1', '1.2', '99999999999999999999'])
      assert.equal((await ask({ ...site.headers, 'last-event-id': id })).status, 422)
  })

  test('ends when the service stops, so that clients go on elsewhere', async () => {
    const own = await listeningWorld()
    const site = await aSite({ lyceum: own })
    const reply = await fetch(`${own.address}/api/v1/revocations`, { headers: site.headers })
    const text = reply.text()
    await own.sso.close()
    assert.match(await text, /event: ready/)
  })
})
