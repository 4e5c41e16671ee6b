import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { newId } from '#foundation/ids.ts'
import { eventually } from '#testing/eventually.ts'
import { tokenFor } from '#testing/mail.ts'
import { challenge, giveTotp } from '#testing/mfa.ts'
import { aSite, aUser, type Headers, homeSite, type Person, signIn, type TestSite } from '#testing/people.ts'
import { aVisitor } from '#testing/visitor.ts'
import { aPartner, assertDescribed, type Partner, type Told } from '#testing/webhooks.ts'
import { buildWorld, type World } from '#testing/world.ts'
import { PROFILE_FIELDS } from '../../core/profile.ts'

/**
 * What the changes of the product tell whom: through HTTP, with the engine and the keys that `startJobs` runs.
 * `origin`, `sister` and `house` are of one tenant, where `house` hears of all its sites; `stranger` is of another one;
 * `elsewhere` is of production, where no receiver on this machine may be called, so that its events are read as stored.
 */
let lyceum: World
let origin: Partner, sister: Partner, house: Partner, stranger: Partner
let elsewhere: TestSite & { owner: Person; webhook_id: string }
/** ADMIN of the three sites of the tenant, signed in at `origin`. */
let ada: Person
/** ADMIN of them as well, with a token that reaches all three. */
let owner: Person
/** Of the network itself, so that a token of it may do what is the person's alone. */
let front: TestSite

before(async () => {
  lyceum = await buildWorld()
  await lyceum.startJobs()
  const first = await aSite({ environment: 'sandbox', lyceum })
  const account = await aUser({ at: first, lyceum })
  await call('POST', `/users/${account.user_id}/roles`, first.owner, { role: 'ADMIN', ...codeOf(first) })
  ada = await signIn(account, { at: first, lyceum })
  const another = async (name: string) => {
    const made = (await call('POST', '/sites', ada, { name, environment: 'sandbox' })).json()
    const site: TestSite = { ...made, headers: { 'x-sso-site-key': made.site_key } }
    return { ...site, owner: await signIn(account, { at: site, lyceum }) }
  }
  origin = await aPartner(lyceum, { site: first })
  sister = await aPartner(lyceum, { site: await another('Sister') })
  house = await aPartner(lyceum, { site: await another('House'), all_sites: true })
  owner = first.owner
  await lyceum.db.pool`
    insert into sso.memberships (user_id, site_id, role)
    select ${owner.user_id}, site_id, 'ADMIN' from unnest(${[sister.site.site_id, house.site.site_id]}::uuid[]) as s (site_id)`
  stranger = await aPartner(lyceum)
  front = { ...(await aSite({ environment: 'sandbox', lyceum })), site_code: 'front' }
  await lyceum.db.pool`
    update sso.sites set is_first_party = true, site_code = 'front' where site_id = ${front.site_id}`
  assert.equal(sister.site.tenant_id, origin.site.tenant_id)
  const site = await aSite({ environment: 'production', lyceum })
  await call('PATCH', `/sites/${site.site_id}`, site.owner, {
    callback_url: 'https://partner.example/callback',
  })
  elsewhere = { ...site, webhook_id: newId() }
  await lyceum.db.pool`
    insert into sso.webhook_endpoints (webhook_id, site_id, url, events, confirmed_at)
    values (${elsewhere.webhook_id}, ${site.site_id}, 'https://127.0.0.1:1/', '{*}', clock_timestamp())`
})

const codeOf = ({ site_code }: { site_code: string }) => ({ site_code })

async function call(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  by: { headers: Headers },
  payload?: object,
) {
  const url = `/api/v1${path}`
  const reply = await lyceum.sso.inject({ method, url, headers: by.headers, ...(payload && { payload }) })
  assert.ok(reply.statusCode < 300, `${method} ${path}: ${reply.body}`)
  return reply
}

type Place = 'origin' | 'sister' | 'house' | 'stranger' | 'elsewhere'
type Heard = Record<Place, Told[]>

async function allHeard(): Promise<Heard> {
  const stored = await lyceum.db.pool<{ body: Buffer | null }[]>`
    select body from sso.webhook_events where site_id = ${elsewhere.site_id} order by event_id`
  return {
    origin: origin.bodies(),
    sister: sister.bodies(),
    house: house.bodies(),
    stranger: stranger.bodies(),
    elsewhere: stored.map(({ body }) => JSON.parse(String(body)) as Told),
  }
}

/** Nothing is on its way to a partner any more. */
const quiet = () =>
  eventually(async () => {
    const waiting = await lyceum.db.pool`
      select from foundation.jobs where kind like 'webhook.%' and state = 'pending'
       union all select from sso.webhook_deliveries
       where state = 'pending' and webhook_id <> ${elsewhere.webhook_id} limit 1`
    return waiting.length === 0
  })

/** Everything that everybody heard because of this. */
async function heardOf(change: () => Promise<unknown>): Promise<Heard> {
  await quiet()
  const sofar = await allHeard()
  await change()
  await quiet()
  const all = await allHeard()
  const since = (place: Place) => all[place].slice(sofar[place].length)
  return {
    origin: since('origin'),
    sister: since('sister'),
    house: since('house'),
    stranger: since('stranger'),
    elsewhere: since('elsewhere'),
  }
}

const NOTHING = { origin: [], sister: [], house: [], stranger: [], elsewhere: [] }
/** The types at each place, in alphabetical order. */
const typesOf = (heard: Heard) =>
  Object.fromEntries(
    Object.entries(heard).map(([place, told]) => [
      place,
      told.map(({ event_type }) => event_type).toSorted(),
    ]),
  )
const only = (told: Told[], type?: string): Told['data'] => {
  const found = type === undefined ? told : told.filter(({ event_type }) => event_type === type)
  assert.equal(found.length, 1)
  return found[0]?.data ?? {}
}
const versionOf = async ({ user_id }: { user_id: string }) => {
  const [user] = await lyceum.db.pool<{ session_version: number }[]>`
    select session_version from sso.users where user_id = ${user_id}`
  return user?.session_version
}
const factsNow = async () =>
  (await lyceum.db.pool<{ facts: number }[]>`select count(*)::int as facts from sso.webhook_facts`)[0]?.facts
const isTime = (value: unknown) => assert.match(String(value), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** A member of `origin`, with two sessions there, and of `sister`, with one. */
async function aMember() {
  const first = await aUser({ at: origin.site, lyceum })
  const second = await signIn(first, { at: origin.site, lyceum })
  const there = await signIn(first, { at: sister.site, lyceum })
  return { first, second, there, user_id: first.user_id }
}
type Member = Awaited<ReturnType<typeof aMember>>

const atFront = ({ email, password }: Person) => signIn({ email, password }, { at: front, lyceum })

describe('user.created', () => {
  test('gives personal data to the site, an id to its tenant', async () => {
    const email = `${newId()}@example.org`
    let user: Record<string, unknown> = {}
    const heard = await heardOf(async () => {
      const body = { email, password: 'correct horse 27', display_name: 'Anna', phone: '+4915112345678' }
      user = (await call('POST', '/auth/register', origin.site, body)).json()
    })
    const [row] = await lyceum.db.pool`select created_at from sso.users where email = ${email}`
    const public_data = {
      sso_subject_id: user['user_id'],
      origin_site_code: origin.site.site_code,
      created_at: row?.['created_at'],
    }
    assert.deepEqual(only(heard.origin), {
      ...public_data,
      user_id: user['user_id'],
      email,
      email_verified: false,
      display_name: 'Anna',
      registration_source: 'register',
    })
    for (const place of ['sister', 'house'] as const) {
      assert.deepEqual(only(heard[place]), public_data)
      assert.ok(!JSON.stringify(heard[place]).includes(email))
    }
    assert.deepEqual([heard.stranger, heard.elsewhere], [[], []])
  })

  test('follows an account an ADMIN creates, with role.assigned', async () => {
    const create = (more: object) => () =>
      call('POST', '/users', ada, { email: `${newId()}@example.org`, ...more })
    const everybody = { ...NOTHING, sister: ['user.created'] }
    const plain = await heardOf(create({}))
    assert.deepEqual(typesOf(plain), { ...everybody, origin: ['user.created'], house: ['user.created'] })
    assert.equal(only(plain.origin)['registration_source'], 'admin')
    const granted = await heardOf(create({ role: 'ADMIN' }))
    const both = ['role.assigned', 'user.created']
    assert.deepEqual(typesOf(granted), { ...everybody, origin: both, house: both })
    assert.equal(only(granted.origin, 'role.assigned')['role'], 'ADMIN')
  })

  test('of production reaches every approved production site only', async () => {
    let anna: Person | undefined
    const heard = await heardOf(async () => (anna = await aUser({ lyceum })))
    assert.deepEqual(typesOf(heard), { ...NOTHING, elsewhere: ['user.created'] })
    assert.deepEqual(Object.keys(only(heard.elsewhere)).toSorted(), [
      'created_at',
      'origin_site_code',
      'sso_subject_id',
    ])
    assert.equal(only(heard.elsewhere)['sso_subject_id'], anna?.user_id)
  })

  test('is not sent for a refused registration', async () => {
    const anna = await aUser({ at: origin.site, lyceum })
    const before = await factsNow()
    const heard = await heardOf(async () => {
      const { email, password } = anna
      for (const site of [origin.site, stranger.site]) {
        const request = { method: 'POST', url: '/api/v1/auth/register', headers: site.headers } as const
        assert.equal((await lyceum.sso.inject({ ...request, payload: { email, password } })).statusCode, 409)
      }
    })
    assert.deepEqual(heard, NOTHING)
    assert.equal(await factsNow(), before)
  })
})

describe('session.created', () => {
  test('tells the site and its tenant who signed in, and how', async () => {
    const anna = await aUser({ at: origin.site, lyceum })
    let session_id = ''
    const heard = await heardOf(async () => {
      const headers = { ...origin.site.headers, 'user-agent': 'A browser' }
      session_id = (await call('POST', '/auth/login', { headers }, anna)).json().session_id
    })
    assert.deepEqual(typesOf(heard), { ...NOTHING, origin: ['session.created'], house: ['session.created'] })
    const [row] = await lyceum.db.pool`select created_at from sso.sessions where session_id = ${session_id}`
    assert.deepEqual(only(heard.origin), {
      session_id,
      user_id: anna.user_id,
      sso_subject_id: anna.user_id,
      site_code: origin.site.site_code,
      auth_methods: ['pwd'],
      ip_address: '127.0.0.1',
      user_agent: 'A browser',
      created_at: row?.['created_at'],
    })
    assert.deepEqual(only(heard.house), only(heard.origin))
  })

  test('waits for the second factor and names both methods', async () => {
    const anna = await aUser({ at: sister.site, lyceum })
    const totp = await giveTotp(anna, lyceum)
    let mfa_token = ''
    const asked = await heardOf(async () => {
      mfa_token = (await challenge(anna, sister.site.headers, lyceum)).mfa_token
    })
    assert.deepEqual(asked, NOTHING)
    const heard = await heardOf(() =>
      call('POST', '/auth/mfa/verify', sister.site, { mfa_token, code: totp.code(), method: 'totp' }),
    )
    assert.deepEqual(typesOf(heard), { ...NOTHING, sister: ['session.created'], house: ['session.created'] })
    assert.deepEqual(only(heard.sister)['auth_methods'], ['pwd', 'otp'])
  })

  test('follows a hosted sign-in of a partner, and its sign-out', async () => {
    const anna = await aUser({ lyceum })
    const visitor = aVisitor({ lyceum })
    await visitor.submit('/sign-in', { name: anna.email, password: anna.password })
    const came = await heardOf(async () => {
      const reply = await visitor.allow(await visitor.get(`/sign-in?site_code=${elsewhere.site_code}`))
      const code = new URL(String(reply.headers.location)).searchParams.get('code') ?? ''
      await call('POST', '/auth/exchange', elsewhere, { code })
    })
    assert.deepEqual(typesOf(came), { ...NOTHING, elsewhere: ['session.created'] })
    assert.equal(only(came.elsewhere)['user_id'], anna.user_id)
    const left = await heardOf(() => visitor.post('/sign-in/out', {}))
    const types = ['back_channel_logout', 'session.revoked']
    assert.deepEqual(typesOf(left), { ...NOTHING, elsewhere: types })
    const { session_id, reason } = only(left.elsewhere, 'session.revoked')
    assert.deepEqual([session_id, reason], [only(came.elsewhere)['session_id'], 'logout'])
    assert.equal(only(left.elsewhere, 'back_channel_logout')['initiating_site_code'], null)
  })

  test('is not sent for a wrong password', async () => {
    const { email } = await aUser({ at: origin.site, lyceum })
    const payload = { email, password: 'battery staple 7' }
    const request = {
      method: 'POST',
      url: '/api/v1/auth/login',
      headers: origin.site.headers,
      payload,
    } as const
    assert.deepEqual(await heardOf(() => lyceum.sso.inject(request)), NOTHING)
  })
})

const refresh = async ({ refresh_token }: Pick<Person, 'refresh_token'>) => {
  const request = { method: 'POST', url: '/api/v1/auth/refresh', headers: origin.site.headers } as const
  return lyceum.sso.inject({ ...request, payload: { refresh_token } })
}
const logout = ({ refresh_token }: Person, more: object = {}) =>
  call('POST', '/auth/logout', origin.site, { refresh_token, ...more })

type Session = 'first' | 'second' | 'there'
type Cause = {
  reason: string
  by: string
  change: (member: Member) => Promise<unknown>
  /** Which of the sessions of `aMember` end. */
  ended: Session[]
  /** Before the change: what it needs. */
  given?: (member: Member) => Promise<unknown>
  /** What both sites of the member hear besides. */
  also?: string[]
  /** The site it was asked at; by default `origin`. */
  at?: string
}
const ALL: Session[] = ['first', 'second', 'there']

/** Asked for at the network itself, and confirmed in the new mailbox. Returns the new address. */
async function moveAddress(anna: Person): Promise<string> {
  const email = `${newId()}@example.org`
  await call('PATCH', `/users/${anna.user_id}`, await atFront(anna), {
    email,
    current_password: anna.password,
  })
  const token = await tokenFor(email, 'email_change', lyceum)
  const done = await aVisitor({ lyceum }).submit('/account/email-confirm', { token, password: anna.password })
  assert.equal(done.statusCode, 200, done.body)
  return email
}

const CAUSES: Cause[] = [
  { reason: 'logout', by: 'a logout', change: ({ first }) => logout(first), ended: ['first'] },
  {
    reason: 'logout_everywhere',
    by: 'a logout everywhere',
    change: ({ first }) => logout(first, { everywhere: true }),
    ended: ALL,
  },
  {
    reason: 'logout_everywhere',
    by: 'DELETE /sessions',
    change: async ({ first }) => call('DELETE', '/sessions', await atFront(first)),
    ended: ALL,
    at: 'front',
  },
  {
    reason: 'user_revoked',
    by: 'the person, of one session',
    change: ({ first, second }) => call('DELETE', `/sessions/${second.session_id}`, first),
    ended: ['second'],
  },
  {
    reason: 'user_revoked',
    by: 'the person, of all the others',
    change: async ({ first }) => call('DELETE', '/sessions?except_current=true', await atFront(first)),
    ended: ALL,
    at: 'front',
  },
  {
    reason: 'admin_revoked',
    by: 'an ADMIN, of one session',
    change: ({ there }) => call('DELETE', `/sessions/${there.session_id}`, owner),
    ended: ['there'],
    at: 'learning',
  },
  {
    reason: 'admin_revoked',
    by: 'the ADMIN of one of the sites, of the person',
    change: ({ user_id }) => call('DELETE', `/users/${user_id}/sessions`, ada),
    ended: ['first', 'second'],
  },
  {
    reason: 'password_changed',
    by: 'a change of the password',
    change: async ({ first }) =>
      call('POST', '/auth/password/change', await atFront(first), {
        current_password: first.password,
        new_password: 'quiet harbour 91',
      }),
    ended: ALL,
    at: 'front',
  },
  {
    reason: 'password_changed',
    by: 'a reset of the password, which also proves the address',
    given: ({ first: { email } }) => call('POST', '/auth/password/forgot', origin.site, { email }),
    async change({ first: { email } }) {
      const token = await tokenFor(email, 'password_reset', lyceum)
      await call('POST', '/auth/password/reset', origin.site, { token, password: 'new horse 27' })
    },
    ended: ALL,
    also: ['user.updated'],
  },
  {
    reason: 'email_changed',
    by: 'a change of the address',
    change: ({ first }) => moveAddress(first),
    ended: ALL,
    at: 'front',
    also: ['user.updated'],
  },
  {
    reason: 'factor_removed',
    by: 'a second factor that is taken away',
    async change({ first }) {
      const totp = await giveTotp(first, lyceum)
      const { mfa_token } = await challenge(first, front.headers, lyceum)
      const proof = { mfa_token, code: totp.code(), method: 'totp' }
      const { access_token } = (await call('POST', '/auth/mfa/verify', front, proof)).json()
      const headers = { authorization: `Bearer ${access_token}` }
      await call('DELETE', `/mfa/factors/${totp.factor_id}`, { headers })
    },
    ended: ALL,
    at: 'front',
  },
  {
    reason: 'factor_removed',
    by: 'an ADMIN who takes all second factors away',
    given: ({ first }) => giveTotp(first, lyceum),
    change: ({ user_id }) => call('DELETE', `/users/${user_id}/mfa`, owner),
    at: 'learning',
    ended: ALL,
  },
  {
    reason: 'refresh_token_reuse',
    by: 'a refresh token that comes again',
    async change({ first }) {
      const next = (await refresh(first)).json()
      assert.equal((await refresh(next)).statusCode, 200)
      assert.equal((await refresh(first)).json().code, 'refresh_token_reused')
    },
    ended: ['first'],
  },
  {
    reason: 'max_age',
    by: 'a refresh at the greatest age of a session',
    async given({ first }) {
      await call('PATCH', `/sites/${origin.site.site_id}`, ada, { session_max_days: 30 })
      await lyceum.db.pool`
        update sso.sessions set created_at = created_at - interval '31 days' where session_id = ${first.session_id}`
    },
    change: async ({ first }) => assert.equal((await refresh(first)).json().code, 'refresh_token_expired'),
    ended: ['first'],
  },
  {
    reason: 'user_suspended',
    by: 'a suspension',
    change: ({ user_id }) => call('PATCH', `/users/${user_id}`, owner, { status: 'suspended' }),
    ended: ALL,
    at: 'learning',
  },
  {
    reason: 'member_removed',
    by: 'a suspended membership',
    change: ({ user_id }) => call('PATCH', `/users/${user_id}`, ada, { member_status: 'suspended' }),
    ended: ['first', 'second'],
  },
  {
    reason: 'member_removed',
    by: 'a removal from the sites of an ADMIN, who shares the person with others',
    given: ({ first }) => signIn(first, { at: stranger.site, lyceum }),
    change: ({ user_id }) => call('DELETE', `/users/${user_id}`, owner),
    ended: ALL,
    at: 'learning',
  },
  {
    reason: 'user_deleted',
    by: 'the deletion of oneself',
    change: async ({ first }) => call('DELETE', `/users/${first.user_id}`, await atFront(first)),
    ended: ALL,
    at: 'front',
    also: ['user.account.deleted'],
  },
  {
    reason: 'user_deleted',
    by: 'the deletion by an ADMIN',
    change: ({ user_id }) => call('DELETE', `/users/${user_id}`, owner),
    ended: ALL,
    at: 'learning',
    also: ['user.account.deleted'],
  },
]

describe('session.revoked and back_channel_logout', () => {
  for (const { reason, by, given, change, ended, also = [], at } of CAUSES)
    test(`${reason}: ${by} sends each site its own sessions`, async () => {
      const member = await aMember()
      await given?.(member)
      const heard = await heardOf(() => change(member))
      const idsAt = (...sessions: Session[]) =>
        ended.filter((session) => sessions.includes(session)).map((session) => member[session].session_id)
      const idsOf = { origin: idsAt('first', 'second'), sister: idsAt('there') }
      const [live] = await lyceum.db.pool<{ live: number }[]>`
        select count(*)::int as live from sso.sessions where user_id = ${member.user_id} and revoked_at is null`
      const session_version = await versionOf(member)
      const typesAt = (ids: string[]) => [
        ...(ids.length > 0 ? ['back_channel_logout'] : []),
        ...ids.map(() => 'session.revoked'),
        ...also,
      ]
      assert.deepEqual(typesOf(heard), {
        ...NOTHING,
        origin: typesAt(idsOf.origin),
        sister: typesAt(idsOf.sister),
        house: ended.map(() => 'session.revoked'),
      })
      for (const [place, { site_code }] of [
        ['origin', origin.site],
        ['sister', sister.site],
      ] as const) {
        const [ids, told] = [idsOf[place].toSorted(), heard[place]]
        const revoked = told
          .filter(({ event_type }) => event_type === 'session.revoked')
          .map(({ data: { not_before, ...data } }) => (isTime(not_before), data))
          .toSorted((a, b) => (String(a['session_id']) < String(b['session_id']) ? -1 : 1))
        const common = {
          user_id: member.user_id,
          sso_subject_id: member.user_id,
          site_code,
          reason,
          session_version,
        }
        assert.deepEqual(
          revoked,
          ids.map((session_id) => ({ session_id, ...common })),
        )
        if (ids.length === 0) continue
        const { logout_token, ...data } = only(told, 'back_channel_logout')
        assert.equal(typeof logout_token, 'string')
        assert.deepEqual(data, {
          sso_subject_id: member.user_id,
          session_ids: ids,
          all_sessions: live?.live === 0,
          session_version,
          initiating_site_code: at ?? origin.site.site_code,
        })
      }
    })

  test('is not repeated by a second logout', async () => {
    const { first } = await aMember()
    await logout(first)
    assert.deepEqual(await heardOf(() => logout(first)), NOTHING)
  })

  test('of a deleted site goes only to subscribers of its tenant', async () => {
    const closing = (await call('POST', '/sites', ada, { name: 'Closing', environment: 'sandbox' })).json()
    const made: TestSite = { ...closing, headers: { 'x-sso-site-key': closing.site_key } }
    const site = { ...made, owner }
    await lyceum.db.pool`
      insert into sso.memberships (user_id, site_id, role) values (${owner.user_id}, ${made.site_id}, 'ADMIN')`
    const { receiver } = await aPartner(lyceum, { site })
    const anna = await aUser({ at: site, lyceum })
    await quiet()
    const before = receiver.requests.length
    const heard = await heardOf(() => call('DELETE', `/sites/${site.site_id}`, site.owner))
    assert.deepEqual(typesOf(heard), { ...NOTHING, house: ['session.revoked'] })
    const { not_before, ...data } = only(heard.house)
    isTime(not_before)
    assert.deepEqual(data, {
      session_id: anna.session_id,
      user_id: anna.user_id,
      sso_subject_id: anna.user_id,
      site_code: site.site_code,
      reason: 'site_deleted',
      session_version: await versionOf(anna),
    })
    assert.equal(receiver.requests.length, before)
  })

  test('signs the logout token with the published logout key', async () => {
    const { first } = await aMember()
    const { logout_token } = only((await heardOf(() => logout(first))).origin, 'back_channel_logout')
    const published = async (path: string) =>
      (await lyceum.sso.inject({ url: `/sandbox/.well-known/${path}` })).json()
    const { issuer } = await published('openid-configuration')
    const jwks = await published('jwks.json')
    const { payload, protectedHeader } = await jwtVerify(String(logout_token), createLocalJWKSet(jwks), {
      issuer,
      audience: origin.site.site_code,
      subject: first.user_id,
      typ: 'logout+jwt',
      algorithms: ['RS256'],
    })
    assert.equal(payload['sid'], first.session_id)
    const [key] = await lyceum.db.pool`
      select environment, purpose from sso.signing_keys where kid = ${String(protectedHeader.kid)}`
    assert.deepEqual({ ...key }, { environment: 'sandbox', purpose: 'logout' })
    const production = createLocalJWKSet((await lyceum.sso.inject({ url: '/.well-known/jwks.json' })).json())
    await assert.rejects(jwtVerify(String(logout_token), production))
  })
})

describe('user.updated', () => {
  const PROFILE = ['email', 'email_verified', ...PROFILE_FIELDS]
  const update = async (anna: Person, patch: object) =>
    call('PATCH', `/users/${anna.user_id}`, await atFront(anna), patch)

  test("sends the profile and changes to the person's sites only", async () => {
    const { first: anna } = await aMember()
    let user: Record<string, unknown> = {}
    const heard = await heardOf(async () => {
      const patch = { display_name: 'Anna', locale: 'de-DE', metadata: { secret: 'canary' } }
      user = (await update(anna, patch)).json()
    })
    assert.deepEqual(typesOf(heard), { ...NOTHING, origin: ['user.updated'], sister: ['user.updated'] })
    const { changed_fields, ...data } = only(heard.origin)
    assert.deepEqual((changed_fields as string[]).toSorted(), ['display_name', 'locale'])
    assert.deepEqual(data, {
      user_id: anna.user_id,
      sso_subject_id: anna.user_id,
      user: Object.fromEntries(PROFILE.map((field) => [field, user[field]])),
      version: user['version'],
    })
    assert.deepEqual(only(heard.sister), only(heard.origin))
  })

  test('is not sent for memberships, refusals or unchanged data', async () => {
    const [{ first: anna }, { first: ben }] = [await aMember(), await aMember()]
    await update(ben, { username: `ben${newId().slice(-8)}`, display_name: 'Ben' })
    const { username } = (await call('GET', `/users/${ben.user_id}`, ben)).json()
    const heard = await heardOf(async () => {
      await update(anna, { metadata: { theme: 'dark' } })
      await call('PATCH', `/users/${anna.user_id}`, ada, { external_id: newId() })
      await update(ben, { display_name: 'Ben' })
      const payload = { display_name: 'Not Anna', username }
      const url = `/api/v1/users/${anna.user_id}`
      const { headers } = await atFront(anna)
      const refused = await lyceum.sso.inject({ method: 'PATCH', url, headers, payload })
      assert.equal(refused.json().code, 'username_taken')
    })
    assert.deepEqual(heard, NOTHING)
  })

  test('is sent once when an address is verified or replaced', async () => {
    const { first: anna } = await aMember()
    await call('POST', '/auth/password/forgot', origin.site, { email: anna.email })
    const token = await tokenFor(anna.email, 'email_verification', lyceum)
    const { password } = anna
    const proven = await heardOf(() => call('POST', '/auth/email/verify', origin.site, { token, password }))
    assert.deepEqual(typesOf(proven), { ...NOTHING, origin: ['user.updated'], sister: ['user.updated'] })
    assert.deepEqual(only(proven.origin)['changed_fields'], ['email_verified'])
    let email = ''
    const moved = await heardOf(async () => (email = await moveAddress(anna)))
    const { changed_fields, user } = only(moved.sister, 'user.updated')
    assert.deepEqual(changed_fields, ['email'])
    assert.deepEqual(
      [(user as Told['data'])['email'], (user as Told['data'])['email_verified']],
      [email, true],
    )
  })

  test('is not sent when a reset already verified the address', async () => {
    const { first: anna } = await aMember()
    const token = await tokenFor(anna.email, 'email_verification', lyceum)
    await call('POST', '/auth/password/forgot', origin.site, { email: anna.email })
    const reset = await tokenFor(anna.email, 'password_reset', lyceum)
    await call('POST', '/auth/password/reset', origin.site, { token: reset, password: 'new horse 27' })
    const heard = await heardOf(() => call('POST', '/auth/email/verify', origin.site, { token }))
    assert.deepEqual(heard, NOTHING)
  })
})

describe('role.assigned', () => {
  test('sends the present role to site and tenant, also after removal', async () => {
    const { first: anna } = await aMember()
    for (const [role, change] of [
      ['ADMIN', () => call('POST', `/users/${anna.user_id}/roles`, ada, { role: 'ADMIN' })],
      ['USER', () => call('DELETE', `/users/${anna.user_id}/roles/ADMIN`, ada)],
    ] as const) {
      const heard = await heardOf(change)
      assert.deepEqual(typesOf(heard), { ...NOTHING, origin: ['role.assigned'], house: ['role.assigned'] })
      const [row] = await lyceum.db.pool`
        select m.assigned_at, r.permissions from sso.memberships m join sso.roles r using (site_id, role)
         where m.user_id = ${anna.user_id} and m.site_id = ${origin.site.site_id}`
      assert.deepEqual(only(heard.origin), {
        user_id: anna.user_id,
        sso_subject_id: anna.user_id,
        site_code: origin.site.site_code,
        role,
        ...row,
        assigned_by: ada.user_id,
      })
      assert.deepEqual(only(heard.house), only(heard.origin))
    }
  })
})

describe('user.account.deleted', () => {
  test("reaches the person's sites and blanks older events", async () => {
    const { first: anna } = await aMember()
    const here = await atFront(anna)
    const heard = await heardOf(() =>
      call('DELETE', `/users/${anna.user_id}`, here, {
        compliance_flags: { ccpa_drop_request: true, gdpr_erasure_request: false },
      }),
    )
    for (const told of [heard.origin, heard.sister])
      assert.deepEqual(only(told, 'user.account.deleted'), {
        sso_subject_id: anna.user_id,
        reason_code: 'user_initiated_erasure',
        compliance_flags: { ccpa_drop_request: true, gdpr_erasure_request: false },
      })
    assert.ok(!JSON.stringify(heard).includes(anna.email))
    const events = await lyceum.db.pool<{ event_id: string; event_type: string; is_blank: boolean }[]>`
      select event_id, event_type, body is null as is_blank from sso.webhook_events
       where subject_user_id = ${anna.user_id} and site_id = ${origin.site.site_id} order by event_id`
    const after = ['back_channel_logout', 'session.revoked', 'session.revoked', 'user.account.deleted']
    const split = events.length - after.length
    assert.deepEqual(
      events.slice(0, split).map(({ event_type }) => event_type),
      ['user.created', 'session.created', 'session.created'],
    )
    assert.deepEqual(
      events
        .slice(split)
        .map(({ event_type }) => event_type)
        .toSorted(),
      after,
    )
    for (const [n, { event_id, is_blank }] of events.entries()) {
      const isBefore = n < split
      const url = `/api/v1/webhooks/events/${event_id}/replay`
      const reply = await lyceum.sso.inject({ method: 'POST', url, headers: ada.headers, payload: {} })
      assert.deepEqual(
        [is_blank, reply.statusCode, reply.json().code],
        isBefore ? [true, 409, 'event_erased'] : [false, 202, undefined],
      )
    }
    await quiet()
    const again = origin
      .bodies()
      .filter(({ event_type }) => event_type === 'user.account.deleted')
      .slice(-2)
    assert.deepEqual(again[0], again[1], 'the deletion came again as it was')
  })

  test('reaches sandbox sites of a production manager without the profile', async () => {
    const { site, owner, bodies } = await aPartner(lyceum)
    await quiet()
    const before = bodies().length
    await call('PATCH', `/users/${owner.user_id}`, owner, { display_name: 'Canary' })
    const heard = await heardOf(() => call('DELETE', `/users/${owner.user_id}`, owner))
    const told = bodies().slice(before)
    assert.deepEqual(
      told.map(({ event_type }) => event_type),
      ['user.account.deleted'],
      site.site_code,
    )
    assert.equal(told[0]?.data['sso_subject_id'], owner.user_id)
    assert.deepEqual(heard, NOTHING)
  })
})

test('everything that was told above is as OpenAPI describes it', async () => {
  const url = '/api/v1/openapi.json'
  const description = (await lyceum.sso.inject({ url, headers: (await homeSite(lyceum)).headers })).json()
  const told = Object.values(await allHeard()).flat()
  for (const body of told) assertDescribed(description, body)
  // Payments are told elsewhere.
  assert.equal(new Set(told.map(({ event_type }) => event_type)).size, 7)
})
