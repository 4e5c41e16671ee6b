import assert from 'node:assert/strict'
import { createHmac, pbkdf2Sync, scryptSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { hashSync as argon2 } from '@node-rs/argon2'
import { hashSync as bcrypt } from '@node-rs/bcrypt'
import { liftImportQuota } from '#testing/bulk.ts'
import { runCommand } from '#testing/command.ts'
import { unique } from '#testing/enterprise.ts'
import { aSite } from '#testing/people.ts'
import { buildWorld, type World } from '#testing/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'lyceum-people-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const lyceum = await buildWorld()
await lyceum.startJobs()
const PASSWORD = 'old battery staple'
const address = () => `p-${unique()}@example.org`
const base64 = (bytes: Buffer) => bytes.toString('base64')

async function urlOf(app: World['sso']): Promise<string> {
  const at = app.server.address()
  return at !== null && typeof at === 'object'
    ? `http://127.0.0.1:${at.port}`
    : app.listen({ host: '127.0.0.1', port: 0 })
}

let files = 0
function fileOf(content: unknown): string {
  const path = join(folder, String(++files))
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

async function aSchool() {
  const site = await aSite({ lyceum })
  await liftImportQuota(site, lyceum)
  const { email, password } = site.owner
  const importFrom = async (from: string, file: string, ...more: string[]) =>
    runCommand(
      [
        'import-people',
        '--from',
        from,
        file,
        '--site',
        site.site_code,
        '--sso',
        await urlOf(lyceum.sso),
        '--site-key',
        site.site_key,
        '--email',
        email,
        '--password',
        password,
        ...more,
      ],
      { DATA_DIR: lyceum.dataDir },
    )
  const signsIn = async (email: string, password: string) =>
    (
      await lyceum.sso.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        headers: site.headers,
        payload: { email, password },
      })
    ).statusCode === 200
  return { site, importFrom, signsIn }
}

const pbkdf2Credential = (algorithm: string, digest: string) => {
  const salt = Buffer.from('0123456789abcdef')
  return {
    type: 'password',
    secretData: JSON.stringify({
      value: base64(pbkdf2Sync(PASSWORD, salt, 1_000, 64, digest)),
      salt: base64(salt),
      additionalParameters: {},
    }),
    credentialData: JSON.stringify({ hashIterations: 1_000, algorithm, additionalParameters: {} }),
  }
}

function argon2Credential() {
  const [, , , cost = '', salt = '', value = ''] = argon2(PASSWORD, { memoryCost: 7_168, timeCost: 5 }).split(
    '$',
  )
  const [memory = '', , parallelism = ''] = cost.split(',').map((part) => part.slice(2))
  return {
    type: 'password',
    secretData: JSON.stringify({ value, salt, additionalParameters: {} }),
    credentialData: JSON.stringify({
      hashIterations: 5,
      algorithm: 'argon2',
      additionalParameters: {
        hashLength: ['32'],
        memory: [memory],
        type: ['id'],
        version: ['1.3'],
        parallelism: [parallelism],
      },
    }),
  }
}

describe('import-people from Keycloak', () => {
  const person = (email: string, more: object) => ({
    id: crypto.randomUUID(),
    username: email.split('@')[0],
    email,
    enabled: true,
    emailVerified: true,
    firstName: 'Zoë',
    lastName: 'O"Neil, Jr.',
    attributes: { locale: ['de'] },
    ...more,
  })

  test('keeps passwords of every algorithm, names and ids', async () => {
    const { site, importFrom, signsIn } = await aSchool()
    const credentials = [
      pbkdf2Credential('pbkdf2', 'sha1'),
      pbkdf2Credential('pbkdf2-sha256', 'sha256'),
      pbkdf2Credential('pbkdf2-sha512', 'sha512'),
      argon2Credential(),
    ]
    const users = credentials.map((one) => person(address(), { credentials: [{ type: 'otp' }, one] }))
    const { code, stdout, stderr } = await importFrom('keycloak', fileOf({ realm: 'school', users }))
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^4 imported, 0 registered already, 0 refused/m)
    for (const { email } of users) {
      assert.ok(await signsIn(email, PASSWORD), email)
      assert.ok(!(await signsIn(email, `${PASSWORD}x`)))
    }
    const [stored] = await lyceum.db.pool`
      select u.display_name, u.family_name, u.locale, m.external_id
        from sso.users u join sso.memberships m using (user_id)
       where u.email = ${users[0]?.email ?? ''} and m.site_id = ${site.site_id}`
    assert.deepEqual(
      { ...stored },
      {
        display_name: 'Zoë O"Neil, Jr.',
        family_name: 'O"Neil, Jr.',
        locale: 'de',
        external_id: users[0]?.id,
      },
    )
  })

  test('names unknown formats and imports their people without a password', async () => {
    const { importFrom, signsIn } = await aSchool()
    const email = address()
    const credentials = [pbkdf2Credential('acme-md5', 'sha1')]
    const { code, stdout } = await importFrom('keycloak', fileOf({ users: [person(email, { credentials })] }))
    assert.equal(code, 0)
    assert.match(stdout, /^1 without their password: a hash of the format acme-md5$/m)
    assert.match(stdout, /^1 imported/m)
    assert.ok(!(await signsIn(email, PASSWORD)))
  })

  test('a password that cannot be read keeps nobody out, and is not quoted', async () => {
    const { importFrom } = await aSchool()
    const whole = pbkdf2Credential('pbkdf2', 'sha1')
    const credentials = [
      { ...whole, secretData: 'precious' },
      { ...whole, secretData: 'null' },
      { ...whole, credentialData: '{"hashIterations":1,"algorithm":"argon2","additionalParameters":null}' },
      { ...whole, credentialData: '{"algorithm":["pbkdf2"]}' },
      { ...whole, secretData: '{"value":5,"salt":{}}' },
      null,
    ]
    const users = credentials.map((one) => person(address(), { credentials: [one], attributes: null }))
    const { code, stdout, stderr } = await importFrom('keycloak', fileOf({ users }))
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^4 without their password: a hash of the format an unreadable credential$/m)
    assert.match(stdout, /^6 imported/m)
    assert.doesNotMatch(stdout + stderr, /precious/)
  })

  test('leaves out disabled people and those without an address', async () => {
    const { importFrom } = await aSchool()
    const users = [person(address(), { enabled: false }), person('', {}), person(address(), {})]
    const { stdout } = await importFrom('keycloak', fileOf({ users }))
    assert.match(
      stdout,
      /^1 left out: disabled there\n1 left out: no e-mail address\n1 without a password there$/m,
    )
    assert.match(stdout, /^1 imported/m)
  })

  test('a dry run makes nobody, and a second run changes nothing', async () => {
    const { importFrom, signsIn } = await aSchool()
    const email = address()
    const file = fileOf({
      users: [person(email, { credentials: [pbkdf2Credential('pbkdf2-sha256', 'sha256')] })],
    })
    assert.match((await importFrom('keycloak', file, '--dry-run')).stdout, /^dry run: 1 imported/m)
    assert.ok(!(await signsIn(email, PASSWORD)))
    assert.match((await importFrom('keycloak', file)).stdout, /^1 imported/m)
    assert.match((await importFrom('keycloak', file)).stdout, /^1 imported/m)
    assert.match((await importFrom('keycloak', file, '--rows', '2')).stdout, /^1 imported/m)
    const more = fileOf({ users: [person(email, {}), person(address(), {})] })
    assert.match((await importFrom('keycloak', more)).stdout, /^1 imported, 1 registered already/m)
    assert.ok(await signsIn(email, PASSWORD))
  })

  test('goes on after an import that was canceled', async () => {
    const { importFrom, site } = await aSchool()
    const users = Array.from({ length: 3 }, () => person(address(), {}))
    const file = fileOf({ users })
    await importFrom('keycloak', file, '--rows', '2')
    await lyceum.db.pool`update sso.bulk_jobs set status = 'canceled' where site_id = ${site.site_id}`
    const { code, stdout } = await importFrom('keycloak', file, '--rows', '2')
    assert.equal(code, 0)
    assert.match(stdout, /^0 imported, 3 registered already, 0 refused/m)
  })

  test('reports each refused person by the id that Keycloak has', async () => {
    const { importFrom } = await aSchool()
    const [good, bad] = [person(address(), {}), person('no address', {})]
    const report = join(folder, 'refused.csv')
    const { code } = await importFrom(
      'keycloak',
      fileOf({ users: [good, bad] }),
      '--rows',
      '1',
      '--report',
      report,
    )
    assert.equal(code, 1)
    const [header, line] = readFileSync(report, 'utf8').split('\n')
    assert.equal(header, 'record,field,code,message')
    assert.ok(line?.startsWith(`user ${bad.id},email,invalid_email,`), line)
  })

  test('reports an id as one cell, whatever it holds', async () => {
    const { importFrom } = await aSchool()
    const report = join(folder, 'hostile.csv')
    const id = 'x,"\n=HYPERLINK("http://evil.example")\u001b[2J'
    const file = fileOf({ users: [person('no address', { id, username: 'x' })] })
    const { stderr } = await importFrom('keycloak', file)
    await importFrom('keycloak', file, '--report', report)
    const text = readFileSync(report, 'utf8')
    const cell = '"user x,"" =HYPERLINK(""http://evil.example"") [2J"'
    for (const lines of [stderr, text])
      assert.ok(lines.includes(`\n${cell},`) || lines.startsWith(`${cell},`), lines)
    assert.doesNotMatch(stderr + text, /^=/m)
    assert.ok(!(stderr + text).includes('\u001b'))
  })
})

test('import-people from Auth0 keeps bcrypt hashes', async () => {
  const { importFrom, signsIn } = await aSchool()
  const email = address()
  const lines = [
    {
      user_id: `auth0|${unique()}`,
      email,
      email_verified: true,
      name: 'Ada',
      passwordHash: bcrypt(PASSWORD, { cost: 5 }),
    },
    { user_id: `auth0|${unique()}`, email: address(), blocked: true },
  ].map((one) => JSON.stringify(one))
  const { code, stdout, stderr } = await importFrom('auth0', fileOf(`${lines.join('\n')}\n`))
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^1 imported/m)
  assert.ok(await signsIn(email, PASSWORD))
})

describe('import-people from Firebase', () => {
  // The project, hash and password of the example that Firebase publishes with its scrypt.
  const project = [
    '--signer-key',
    'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
    '--salt-separator',
    'Bw==',
    '--rounds',
    '8',
    '--mem-cost',
    '14',
  ]
  const user = (email: string) => ({
    localId: unique(),
    email,
    displayName: 'Ada',
    passwordHash: 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
    salt: '42xEC+ixf3L2lw==',
  })

  test('keeps passwords by the parameters of the project', async () => {
    const { importFrom, signsIn } = await aSchool()
    const email = address()
    const { code, stderr } = await importFrom('firebase', fileOf({ users: [user(email)] }), ...project)
    assert.equal(code, 0, stderr)
    assert.ok(await signsIn(email, 'user1password'))
    assert.ok(!(await signsIn(email, 'user2password')))
  })

  test('says which parameters are missing', async () => {
    const { importFrom } = await aSchool()
    const { code, stderr } = await importFrom('firebase', fileOf({ users: [user(address())] }))
    assert.equal(code, 1)
    assert.match(stderr, /--signer-key/)
  })
})

test('import-people from Django keeps what its hashers made', async () => {
  const { importFrom, signsIn } = await aSchool()
  const salt = 'seasalt'
  const hashes = [
    `pbkdf2_sha256$1000$${salt}$${base64(pbkdf2Sync(PASSWORD, salt, 1_000, 32, 'sha256'))}`,
    `pbkdf2_sha1$1000$${salt}$${base64(pbkdf2Sync(PASSWORD, salt, 1_000, 20, 'sha1'))}`,
    `scrypt$16384$${salt}$8$1$${base64(scryptSync(PASSWORD, salt, 64, { N: 16_384, r: 8, p: 1 }))}`,
    `argon2${argon2(PASSWORD, { memoryCost: 1_024, timeCost: 2 })}`,
    `bcrypt$${bcrypt(PASSWORD, { cost: 5 })}`,
  ]
  const people = hashes.map((hash) => [address(), hash] as const)
  const rows = [...people, [address(), 'md5$a$b'], [address(), '!unusable']].map(
    ([email, hash], i) => `${i},user${unique()},"${email}",Ada,Bell,t,"${hash}"`,
  )
  const csv = `id,username,email,first_name,last_name,is_active,password\n${rows.join('\n')}\n`
  const { code, stdout, stderr } = await importFrom('django', fileOf(csv))
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^1 without their password: a hash of the format md5$/m)
  assert.match(stdout, /^1 without a password there$/m)
  for (const [email, hash] of people) assert.ok(await signsIn(email, PASSWORD), hash)
})

test('import-people from WordPress keeps phpass and its bcrypt', async () => {
  const { importFrom, signsIn } = await aSchool()
  const [old, recent] = [address(), address()]
  const inner = createHmac('sha384', 'wp-sha384').update(PASSWORD).digest('base64')
  const csv =
    'ID,user_login,user_email,user_pass,display_name\n' +
    // The example of phpass itself.
    `1,ada${unique()},${old},$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0,Ada\n` +
    `2,ben${unique()},${recent},$wp${bcrypt(inner, { cost: 5 }).replace('$2b$', '$2y$')},Ben\n` +
    `3,cle${unique()},${address()},5f4dcc3b5aa765d61d8327deb882cf99,Cleo\n`
  const { code, stdout, stderr } = await importFrom('wordpress', fileOf(csv))
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^1 without their password: a hash of the format md5$/m)
  assert.ok(await signsIn(old, 'test12345'))
  assert.ok(await signsIn(recent, PASSWORD))
})

describe('import-people refuses', () => {
  for (const [what, from, content, why] of [
    ['an unknown system', 'lotus', {}, /--from keycloak/],
    ['a name of every object', 'constructor', {}, /--from keycloak/],
    ['a file that is no JSON, without quoting it', 'keycloak', 'secret', /is no JSON object/],
    ['people who are no objects', 'keycloak', { users: [null, 'secret'] }, /entry 1 of "users" is no object/],
    ['a line that is null', 'auth0', 'null\n', /line 1 is no JSON object/],
    ['a file without people', 'keycloak', { realm: 'x' }, /no list "users"/],
    ['a CSV without its columns', 'django', 'a,b\n1,2\n', /no column email and no column password/],
  ] as const)
    test(what, async () => {
      const { importFrom } = await aSchool()
      const { code, stderr } = await importFrom(from, fileOf(content))
      assert.equal(code, 1)
      assert.match(stderr, why)
      assert.doesNotMatch(stderr, /secret/)
    })
})
