import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import { newId } from '#foundation/ids.ts'
import { endOf, importCsv, liftImportQuota, uploadCsv } from '#testing/bulk.ts'
import { eventually } from '#testing/eventually.ts'
import { rowsReadOf } from '#testing/plans.ts'
import { aColleague, anAdmin, anOperator, aUser, signIn } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'
import { createTold } from '../../core/told/told.ts'
import { sweep } from '../../operations/retention/retention.ts'
import { endAbandoned, startBulk } from './import.ts'

/** Here nothing works on what is uploaded. */
const still = await world()
/** Here it does. */
const lyceum = await buildWorld()
await lyceum.startJobs()

const unique = () => randomBytes(4).toString('hex')
const emails = (n: number) => {
  const tag = unique()
  return Array.from({ length: n }, (_, i) => `p${i}-${tag}@example.org`)
}
const oneEach = (addresses: string[]) => `email\n${addresses.join('\n')}\n`

describe('POST /bulk/register', () => {
  test('is for ADMINs: 401, 403, and 404 for foreign sites', async () => {
    const [admin, stranger] = [await anAdmin(), await anAdmin()]
    const member = await aColleague(admin)
    const csv = oneEach(emails(1))
    assert.equal((await uploadCsv({}, csv)).status, 401)
    const refused = await uploadCsv(member.headers, csv)
    assert.deepEqual([refused.status, refused.body['code']], [403, 'admin_required'])
    const { site_code } = admin.site
    assert.equal((await uploadCsv(stranger.headers, csv, { site_code })).status, 404)
    assert.equal((await uploadCsv(stranger.headers, csv, { site_code: 'no-such-site' })).status, 404)
    const joined = await signIn(stranger, { at: admin.site })
    assert.equal((await uploadCsv(joined.headers, csv, { site_code })).status, 403)
    const rows = await still.db.pool`select from sso.bulk_jobs where site_id = ${admin.site.site_id}`
    assert.equal(rows.length, 0)
  })

  test('answers 202 with job, location, file and audit line', async () => {
    const admin = await anAdmin()
    const { status, body } = await uploadCsv(admin.headers, oneEach(emails(3)))
    assert.equal(status, 202)
    assert.deepEqual(Object.keys(body).toSorted(), ['job_id', 'status'])
    assert.equal(body['status'], 'queued')
    const { items } = (await still.sso.inject({ url: '/api/v1/audit', headers: admin.headers })).json()
    const line = items.find(({ action }: { action: string }) => action === 'bulk.uploaded')
    assert.equal(line.details.job_id, body.job_id)
    assert.equal(line.details.rows, 3)
  })

  test('is cut at the separator that is named, and refuses another word', async () => {
    const admin = await anAdmin()
    const [email] = emails(1)
    const csv = `email;display_name,role,locale\n${email};Anna\n`
    assert.equal((await uploadCsv(admin.headers, csv)).status, 422)
    const named = await uploadCsv(admin.headers, `"email"\t\r"${email}"\t\r\t\r`, { separator: 'tab' })
    assert.equal(named.status, 202)
    const [job] = await still.db
      .pool`select total_rows from sso.bulk_jobs where job_id = ${named.body.job_id}`
    assert.equal(job?.['total_rows'], 1)
    const other = await uploadCsv(admin.headers, csv, { separator: 'pipe' })
    assert.deepEqual(
      [other.status, other.body['detail']],
      [422, 'separator: must be one of comma, semicolon, tab'],
    )
  })

  test('finds the import of a file that came with this key before, even in a race', async () => {
    const [admin, csv] = [await anAdmin(), oneEach(emails(2))]
    const { site_code } = admin.site
    const headers = { ...admin.headers, 'idempotency-key': 'one' }
    const raced = await Promise.all(Array.from({ length: 20 }, () => uploadCsv(headers, csv)))
    assert.equal(new Set(raced.map(({ body }) => body.job_id)).size, 1)
    assert.ok(raced.every(({ status }) => status === 202))
    const others = [
      await uploadCsv(headers, oneEach(emails(2))),
      await uploadCsv(headers, csv, { site_code, dry_run: 'true' }),
      await uploadCsv({ ...headers, 'idempotency-key': 'two' }, csv),
      await uploadCsv(admin.headers, csv),
      await uploadCsv(admin.headers, csv),
    ]
    assert.equal(new Set([...raced, ...others].map(({ body }) => body.job_id)).size, 6)
    const rows = await still.db.pool`select from sso.bulk_jobs where site_id = ${admin.site.site_id}`
    assert.equal(rows.length, 6)
    const stranger = await anAdmin()
    const theirs = await uploadCsv({ ...stranger.headers, 'idempotency-key': 'one' }, csv)
    assert.notEqual(theirs.body.job_id, raced[0]?.body.job_id)
    assert.equal((await uploadCsv({ ...headers, 'idempotency-key': 'x'.repeat(256) }, csv)).status, 422)
  })

  test('accepts another site of the caller, and any for operators', async () => {
    const admin = await anAdmin()
    const operator = await anOperator()
    const at_home = await signIn(admin)
    const { site_code } = admin.site
    for (const headers of [at_home.headers, operator.headers])
      assert.equal((await uploadCsv(headers, oneEach(emails(1)), { site_code })).status, 202)
    const { items } = (await still.sso.inject({ url: '/api/v1/bulk/jobs', headers: admin.headers })).json()
    assert.deepEqual(
      items.map((job: Record<string, unknown>) => [job['site_code'], job['status'], job['created_by']]),
      [
        [site_code, 'queued', operator.user_id],
        [site_code, 'queued', admin.user_id],
      ],
    )
  })

  test('refuses other bodies, missing or large files and invalid options', async () => {
    const admin = await anAdmin()
    const post = async (contentType: string, payload: string) => {
      const headers = { ...admin.headers, 'content-type': contentType }
      const reply = await still.sso.inject({
        method: 'POST',
        url: '/api/v1/bulk/register',
        headers,
        payload,
      })
      return reply.statusCode
    }
    assert.equal(await post('application/json', '{}'), 415)
    assert.equal(await post('text/csv', 'email\n'), 415)
    assert.equal(await post('multipart/form-data; boundary=x', '--x--\r\n'), 400)
    const csv = oneEach(emails(1))
    for (const [field, value] of [
      ['on_conflict', 'overwrite'],
      ['dry_run', 'maybe'],
      ['emit_events', ''],
    ] as const) {
      const refused = await uploadCsv(admin.headers, csv, { [field]: value })
      assert.deepEqual([refused.status, field in { [field]: 1 }], [422, true], field)
    }
    assert.equal((await uploadCsv(admin.headers, 'email,shoe_size\n')).body['code'], 'unknown_column')
    assert.equal((await uploadCsv(admin.headers, Buffer.alloc(25 * 1_048_576 + 1, 'a'))).status, 413)
    const rows = await still.db.pool`select from sso.bulk_jobs where site_id = ${admin.site.site_id}`
    assert.equal(rows.length, 0)
  })

  test('queues ten of fifty concurrent uploads and starts one', async () => {
    const admin = await anAdmin()
    const csv = oneEach(emails(1))
    const answers = await Promise.all(Array.from({ length: 50 }, () => uploadCsv(admin.headers, csv)))
    const statuses = answers.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 202).length, 10, statuses.join(' '))
    assert.ok(answers.every(({ status, body }) => status === 202 || body['code'] === 'too_many_jobs'))
    const due = await still.db.pool`
      select from sso.bulk_jobs j join foundation.jobs q using (job_id)
       where j.site_id = ${admin.site.site_id} and j.is_due`
    assert.equal(due.length, 1)
  })
})

describe('an import', () => {
  test('creates accounts that sign in, without bill, mail or event', async () => {
    const admin = await anAdmin({ lyceum })
    const [anna = '', ben = ''] = emails(2)
    const password_hash = await hashBcrypt('battery staple 7', { cost: 4 })
    const csv =
      '\ufeffemail;display_name;username;phone;locale;time_zone;external_id;role;email_verified;password_hash\r\n' +
      `${anna};"Bell; ""Anna""";anna-${unique()};+4930123456;pt_BR;Europe/Berlin;007;ADMIN;yes;${password_hash}\r\n` +
      `${ben};;;;;;;;;\r\n`
    const job = await importCsv(admin.headers, csv, { lyceum })
    assert.deepEqual(
      [job['status'], job['total_rows'], job['success_count'], job['error_rows'], job['failure']],
      ['completed', 2, 2, [], null],
    )
    const { items } = (
      await lyceum.sso.inject({ url: '/api/v1/users?sort=email', headers: admin.headers })
    ).json()
    const person = items.find(({ email }: { email: string }) => email === anna)
    assert.equal(person.display_name, 'Bell; "Anna"')
    assert.deepEqual(
      [person.phone, person.locale, person.time_zone, person.external_id, person.email_verified],
      ['+4930123456', 'pt-BR', 'Europe/Berlin', '007', true],
    )
    assert.deepEqual(person.roles, [{ site_code: admin.site.site_code, role: 'ADMIN' }])
    assert.equal(person.registration_source, 'bulk_import')
    const plain = items.find(({ email }: { email: string }) => email === ben)
    assert.deepEqual([plain.roles[0].role, plain.email_verified], ['USER', false])

    const ids = [person.user_id, plain.user_id]
    const [left] = await lyceum.db.pool<Record<string, number>[]>`
      select (select count(*)::int from sso.messages where user_id = any(${ids}::uuid[])) as mails,
             (select count(*)::int from sso.webhook_facts where subject_user_id = any(${ids}::uuid[])) as facts,
             (select count(*)::int from sso.billing_ledger where user_id = any(${ids}::uuid[])) as bills,
             (select count(*)::int from sso.users where user_id = any(${ids}::uuid[]) and email_proven_at is not null) as proven`
    assert.deepEqual(left, { mails: 0, facts: 0, bills: 0, proven: 0 })

    const login = (password: string) =>
      lyceum.sso.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        headers: admin.site.headers,
        payload: { email: anna, password },
      })
    assert.equal((await login('battery staple 8')).statusCode, 401)
    const before = lyceum.passwords.hashCalls()
    assert.equal((await login('battery staple 7')).statusCode, 200)
    assert.equal(lyceum.passwords.hashCalls() - before, 2)
    const [stored] = await lyceum.db.pool<{ password_hash: string }[]>`
      select password_hash from sso.users where user_id = ${person.user_id}`
    assert.match(stored?.password_hash ?? '', /^\$argon2id\$/)
    assert.equal((await login('battery staple 7')).statusCode, 200)
  })

  test('keeps nothing of the file after its end', async () => {
    const admin = await anAdmin({ lyceum })
    const job = await importCsv(admin.headers, oneEach(emails(2)), { lyceum })
    const files = await lyceum.db.pool`select from sso.bulk_files where job_id = ${String(job['job_id'])}`
    assert.equal(files.length, 0)
  })

  test('skips or lists existing people the second time', async () => {
    const admin = await anAdmin({ lyceum })
    await liftImportQuota(admin, lyceum)
    const addresses = emails(1_203)
    const csv = oneEach(addresses)
    const counts = async (options: Record<string, string>) => {
      const job = await importCsv(admin.headers, csv, { lyceum, ...options })
      return [job['status'], job['success_count'], job['skipped_count'], job['error_count']]
    }
    const versions = () => lyceum.db.pool`
      select u.user_id, u.version, u.updated_at from sso.users u join sso.memberships m using (user_id)
       where m.site_id = ${admin.site.site_id} order by u.user_id`
    assert.deepEqual(await counts({}), ['completed', 1_203, 0, 0])
    const before = [...(await versions())]
    assert.equal(before.length, 1_204)
    assert.deepEqual(await counts({}), ['completed', 0, 1_203, 0])
    assert.deepEqual(await counts({ on_conflict: 'update' }), ['completed', 1_203, 0, 0])
    const job = await importCsv(admin.headers, csv, { lyceum, on_conflict: 'error' })
    assert.deepEqual(
      [
        job['status'],
        job['error_count'],
        job['error_rows_truncated'],
        (job['error_rows'] as unknown[]).length,
      ],
      ['completed_with_errors', 1_203, true, 1_000],
    )
    assert.deepEqual([...(await versions())], before)

    const url = `/api/v1/bulk/jobs/${String(job['job_id'])}/errors.csv`
    const reply = await lyceum.sso.inject({ url, headers: admin.headers })
    assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8')
    const lines = reply.body.split('\r\n')
    assert.deepEqual(
      [lines.length, lines[0], lines[1], lines[1_203]],
      [
        1_205,
        'row,line,field,code,message',
        '1,2,email,email_taken,is already registered',
        '1203,1204,email,email_taken,is already registered',
      ],
    )
    assert.ok(!reply.body.includes(addresses[0] ?? '?'))
  })

  test('counts in a dry run what would happen', async () => {
    const admin = await anAdmin({ lyceum })
    const [a = '', b = '', c = ''] = emails(3)
    await importCsv(admin.headers, oneEach([a]), { lyceum })
    const csv = `email,role\n${a},\n${b},USER\n${c},KING\n${b},\n`
    const job = await importCsv(admin.headers, csv, { lyceum, dry_run: 'true' })
    assert.deepEqual(
      [job['dry_run'], job['success_count'], job['skipped_count'], job['error_count']],
      [true, 1, 1, 2],
    )
    assert.deepEqual(job['error_rows'], [
      { row: 3, line: 4, field: 'role', code: 'invalid_role', message: 'must be a role of the site' },
      {
        row: 4,
        line: 5,
        field: 'email',
        code: 'duplicate_in_file',
        message: 'stands in an earlier record already',
      },
    ])
    const found = await lyceum.db.pool`select from sso.users where email_fold = any(${[b, c]})`
    assert.equal(found.length, 0)
  })

  test('neither adds nor reveals people known elsewhere', async () => {
    const admin = await anAdmin({ lyceum })
    const other = await aUser({ lyceum })
    for (const [on_conflict, counts] of [
      ['skip', [0, 1, 0]],
      ['error', [0, 0, 1]],
      ['update', [0, 0, 1]],
    ] as const) {
      const job = await importCsv(admin.headers, `email,display_name\n${other.email},Mine\n`, {
        lyceum,
        on_conflict,
      })
      assert.deepEqual([job['success_count'], job['skipped_count'], job['error_count']], counts)
      if (on_conflict === 'update')
        assert.deepEqual((job['error_rows'] as { code: string }[])[0]?.code, 'user_shared')
    }
    const [row] = await lyceum.db.pool<{ display_name: string | null; sites: number }[]>`
      select display_name, (select count(*)::int from sso.memberships m where m.user_id = u.user_id) as sites
        from sso.users u where user_id = ${other.user_id}`
    assert.deepEqual({ ...row }, { display_name: null, sites: 1 })
  })

  test('update changes named fields of exclusive members, never their credentials', async () => {
    const admin = await anAdmin({ lyceum })
    const [anna = '', shared = ''] = emails(2)
    const hash = await hashBcrypt('battery staple 7', { cost: 4 })
    await importCsv(
      admin.headers,
      `email,display_name,family_name,external_id,password_hash\n${anna},Anna,Bell,1,${hash}\n${shared},S,,2,${hash}\n`,
      { lyceum },
    )
    await signIn({ email: shared, password: 'battery staple 7' }, { lyceum })
    const other = await hashBcrypt('another one 7', { cost: 4 })
    const csv =
      'email,display_name,family_name,external_id,role,email_verified,password_hash\n' +
      `${anna.toUpperCase()},Anne,,11,ADMIN,yes,${other}\n${shared},Mine,,,,,\n`
    const job = await importCsv(admin.headers, csv, { lyceum, on_conflict: 'update' })
    assert.deepEqual([job['success_count'], job['error_count']], [1, 1])
    const rows = await lyceum.db.pool<Record<string, unknown>[]>`
      select u.email, u.display_name, u.family_name, m.external_id, m.role, u.email_verified, u.version,
             u.password_hash = ${hash} as has_first_hash
        from sso.users u join sso.memberships m using (user_id)
       where m.site_id = ${admin.site.site_id} and u.email_fold = ${anna}`
    assert.deepEqual(
      [...rows],
      [
        {
          email: anna,
          display_name: 'Anne',
          family_name: 'Bell',
          external_id: '11',
          role: 'ADMIN',
          email_verified: false,
          version: 2,
          has_first_hash: true,
        },
      ],
    )
  })

  test('update lets an ADMIN demote themselves last', async () => {
    const admin = await anAdmin({ lyceum })
    const [anna = '', ...people] = emails(502)
    const hash = await hashBcrypt('battery staple 7', { cost: 4 })
    const rows = people.map((email) => `${email},USER,`).join('\n')
    await importCsv(admin.headers, `email,role,password_hash\n${anna},ADMIN,${hash}\n${rows}\n`, { lyceum })
    const uploader = await signIn({ email: anna, password: 'battery staple 7' }, { at: admin.site, lyceum })
    const { body } = await uploadCsv(
      uploader.headers,
      `email,role\n${anna},USER\n${people.map((email) => `${email},ADMIN`).join('\n')}\n`,
      { lyceum, on_conflict: 'update' },
    )
    const job = await endOf(admin.headers, body.job_id, lyceum)
    assert.deepEqual(
      [job['status'], (job['failure'] as { code: string }).code, job['success_count'], job['error_count']],
      ['failed', 'not_admin', 500, 0],
    )
    const [admins] = await lyceum.db.pool<{ others: number; has_uploader: boolean }[]>`
      select count(*) filter (where user_id <> ${admin.user_id})::int as others,
             bool_or(user_id = ${uploader.user_id}) as has_uploader
        from sso.memberships where site_id = ${admin.site.site_id} and role = 'ADMIN'`
    assert.deepEqual({ ...admins }, { others: 499, has_uploader: false })
  })

  test('update demotes an ADMIN, but never the last one', async () => {
    const admin = await anAdmin({ lyceum })
    const [anna = ''] = emails(1)
    const hash = await hashBcrypt('battery staple 7', { cost: 4 })
    await importCsv(admin.headers, `email,role,password_hash\n${anna},ADMIN,${hash}\n`, { lyceum })
    const second = await signIn({ email: anna, password: 'battery staple 7' }, { at: admin.site, lyceum })
    const demote = (headers: Record<string, string>) =>
      importCsv(headers, `email,display_name,role\n${anna},Changed,USER\n`, { lyceum, on_conflict: 'update' })
    const asFirst = (role: string) => lyceum.db.pool`
      update sso.memberships set role = ${role}
       where user_id = ${admin.user_id} and site_id = ${admin.site.site_id}`
    await asFirst('USER')
    const refused = await demote(second.headers)
    assert.deepEqual(refused['error_rows'], [
      {
        row: 1,
        line: 2,
        field: 'role',
        code: 'last_admin',
        message: 'would take the last active ADMIN from the site',
      },
    ])
    const [row] = await lyceum.db.pool`select display_name from sso.users where user_id = ${second.user_id}`
    assert.equal(row?.['display_name'], null)
    await asFirst('ADMIN')
    assert.equal((await demote(admin.headers))['success_count'], 1)
    const reply = await lyceum.sso.inject({ url: '/api/v1/sessions', headers: second.headers })
    assert.equal(reply.statusCode, 401)
  })

  test('names usernames and external_ids taken by others in every mode', async () => {
    const admin = await anAdmin({ lyceum })
    const [a = '', b = '', c = ''] = emails(3)
    const name = `name-${unique()}`
    const csv = (rows: string) => `email,username,external_id\n${rows}`
    await importCsv(admin.headers, csv(`${a},${name},1\n${b},,2\n`), { lyceum })
    for (const on_conflict of ['skip', 'error', 'update']) {
      const job = await importCsv(admin.headers, csv(`${c},${name.toUpperCase()},2\n`), {
        lyceum,
        on_conflict,
      })
      assert.deepEqual(
        (job['error_rows'] as { field: string; code: string }[]).map(({ field, code }) => [field, code]),
        [
          ['username', 'username_taken'],
          ['external_id', 'external_id_taken'],
        ],
      )
      assert.equal(job['error_count'], 1)
    }
    const job = await importCsv(admin.headers, csv(`${a},${name},2\n`), { lyceum, on_conflict: 'update' })
    assert.equal((job['error_rows'] as { code: string }[])[0]?.code, 'external_id_taken')
  })

  test('emits events only with emit_events, personal data to the origin', async () => {
    const admin = await anAdmin({ lyceum })
    await lyceum.sso.inject({
      method: 'POST',
      url: '/api/v1/webhooks',
      headers: admin.headers,
      payload: { webhook_url: 'https://hooks.example.org/x' },
    })
    const factsOf = async (email: string) => {
      const rows = await lyceum.db.pool<{ event_type: string }[]>`
        select f.event_type from sso.webhook_facts f join sso.users u on u.user_id = f.subject_user_id
         where u.email_fold = ${email} order by f.event_type`
      return rows.map(({ event_type }) => event_type)
    }
    const [a = '', b = '', c = ''] = emails(3)
    await importCsv(admin.headers, oneEach([a]), { lyceum })
    assert.deepEqual(await factsOf(a), [])
    await importCsv(admin.headers, `email,role\n${b},\n${c},USER\n`, { lyceum, emit_events: 'true' })
    assert.deepEqual(await factsOf(b), ['user.created'])
    assert.deepEqual(await factsOf(c), ['role.assigned', 'user.created'])
    await importCsv(admin.headers, `email,display_name\n${b},Ben\n`, {
      lyceum,
      emit_events: 'true',
      on_conflict: 'update',
    })
    assert.deepEqual(await factsOf(b), ['user.created', 'user.updated'])
  })

  test('never shows a password from a wrong cell', async () => {
    const admin = await anAdmin({ lyceum })
    const canary = `hunter-${unique()}`
    const [a = ''] = emails(1)
    const job = await importCsv(admin.headers, `email,password_hash\n${a},${canary}\n`, { lyceum })
    const url = `/api/v1/bulk/jobs/${String(job['job_id'])}/errors.csv`
    const csv = await lyceum.sso.inject({ url, headers: admin.headers })
    assert.ok(csv.body.includes('not_a_hash'))
    assert.ok(!JSON.stringify(job).includes(canary) && !csv.body.includes(canary))
  })

  test('judges three hundred random records as a model does', async () => {
    const admin = await anAdmin({ lyceum })
    const pool = emails(60)
    const tag = unique()
    const pick = <T>(items: readonly T[]) => items[Math.floor(Math.random() * items.length)] as T
    const known = new Map<string, number>()
    for (const on_conflict of ['skip', 'error', 'skip'] as const) {
      const rows = Array.from({ length: 300 }, () => ({
        email: pick([...pool, 'broken', '']),
        username: pick(['', '', `u${pick([1, 2, 3, 4, 5, 6, 7])}-${tag}`]),
        role: pick(['', 'USER', 'KING', '']),
        // A row without a value is no record.
      })).filter((row) => Object.values(row).some((value) => value !== ''))
      const seen = { email: new Set<string>(), username: new Set<string>() }
      const expected = { success: 0, skipped: 0, wrong: [] as string[] }
      rows.forEach(({ email, username, role }, i) => {
        const faults = [
          ...(email === '' ? ['email required'] : email === 'broken' ? ['email invalid_email'] : []),
          ...(role === 'KING' ? ['role invalid_role'] : []),
        ]
        if (faults.length === 0) {
          if (seen.email.has(email)) faults.push('email duplicate_in_file')
          if (seen.username.has(username)) faults.push('username duplicate_in_file')
          if (faults.length === 0) {
            seen.email.add(email)
            if (username !== '') seen.username.add(username)
            if (known.has(email) && on_conflict === 'skip') expected.skipped++
            else if (known.has(email)) faults.push('email email_taken')
            else if (known.has(username)) faults.push('username username_taken')
            else {
              expected.success++
              known.set(email, i)
              if (username !== '') known.set(username, i)
            }
          }
        }
        for (const fault of faults) expected.wrong.push(`${i + 1} ${fault}`)
      })
      const csv = `email,username,role\n${rows.map((row) => Object.values(row).join(',')).join('\n')}\n`
      const job = await importCsv(admin.headers, csv, { lyceum, on_conflict })
      const wrong = (job['error_rows'] as { row: number; field: string; code: string }[]).map(
        ({ row, field, code }) => `${row} ${field} ${code}`,
      )
      assert.deepEqual(wrong, expected.wrong)
      assert.deepEqual([job['success_count'], job['skipped_count']], [expected.success, expected.skipped])
      assert.equal(job['processed_rows'], rows.length)
    }
  })

  test('two concurrent imports create each of the same people once', async () => {
    const [one, two] = [await anAdmin({ lyceum }), await anAdmin({ lyceum })]
    for (const admin of [one, two]) await liftImportQuota(admin, lyceum)
    const addresses = emails(1_100)
    const jobs = await Promise.all(
      [one, two].map(({ headers }) => importCsv(headers, oneEach(addresses), { lyceum })),
    )
    const sum = (name: string) => jobs.reduce((total, job) => total + Number(job[name]), 0)
    assert.deepEqual([sum('success_count'), sum('skipped_count'), sum('error_count')], [1_100, 1_100, 0])
    const [found] = await lyceum.db.pool`
      select count(*)::int as people from sso.users where email_fold = any(${addresses})`
    assert.equal(found?.['people'], 1_100)
  })
})

describe('the imports of a site', () => {
  test('are answered from as many of their errors as are shown, however many there are', async () => {
    const admin = await anAdmin()
    const { body } = await uploadCsv(admin.headers, oneEach(emails(2)))
    const url = `/api/v1/bulk/jobs/${body.job_id}`
    for (const is_warning of [false, true]) {
      await still.db.pool`delete from sso.bulk_errors where job_id = ${body.job_id}`
      await still.db.pool`
        insert into sso.bulk_errors (job_id, row, place, line, field, code, is_warning)
        select ${body.job_id}, row, 0, row, 'email', 'required', ${is_warning} from generate_series(1, 5000) as row`
      const read = await rowsReadOf(still.db, 'bulk_errors', () =>
        still.sso.inject({ url, headers: admin.headers }),
      )
      assert.equal(read, is_warning ? 1_000 : 1_001)
    }
  })

  test('are visible to its ADMINs only', async () => {
    const [admin, stranger] = [await anAdmin(), await anAdmin()]
    const member = await aColleague(admin)
    const { body } = await uploadCsv(admin.headers, oneEach(emails(2)))
    const bytes = async (headers: Record<string, string>, method: 'GET' | 'POST', path: string) => {
      const reply = await still.sso.inject({ method, url: `/api/v1/bulk/jobs/${path}`, headers })
      const { request_id, ...rest } = reply.json()
      assert.ok(request_id)
      return JSON.stringify([reply.statusCode, rest])
    }
    for (const [{ headers }, status] of [
      [stranger, 404],
      [member, 403],
    ] as const)
      for (const [method, rest] of [
        ['GET', ''],
        ['GET', '/errors.csv'],
        ['POST', '/cancel'],
      ] as const) {
        const unknown = await bytes(headers, method, `${newId()}${rest}`)
        assert.ok(unknown.startsWith(`[${status},`), unknown)
        assert.equal(await bytes(headers, method, `${body.job_id}${rest}`), unknown)
      }
    for (const path of ['', `/${body.job_id}`, `/${body.job_id}/errors.csv`])
      assert.equal((await still.sso.inject({ url: `/api/v1/bulk/jobs${path}` })).statusCode, 401)
    const list = await still.sso.inject({ url: '/api/v1/bulk/jobs', headers: member.headers })
    assert.equal(list.statusCode, 403)
    const { site_code } = admin.site
    const foreign = await still.sso.inject({
      url: `/api/v1/bulk/jobs?site_code=${site_code}`,
      headers: stranger.headers,
    })
    assert.equal(foreign.statusCode, 404)
    const malformed = await still.sso.inject({ url: '/api/v1/bulk/jobs/7', headers: admin.headers })
    assert.equal(malformed.statusCode, 404)
  })

  test('list newest first by status, without wrong rows', async () => {
    const admin = await anAdmin({ lyceum })
    const jobs = []
    for (const csv of [oneEach(emails(1)), oneEach(['x']), oneEach(emails(2))])
      jobs.push(await importCsv(admin.headers, csv, { lyceum }))
    const list = async (query: string) =>
      (await lyceum.sso.inject({ url: `/api/v1/bulk/jobs${query}`, headers: admin.headers })).json()
    const all = await list('')
    assert.deepEqual(
      all.items.map(({ job_id }: { job_id: string }) => job_id),
      jobs.map((job) => job['job_id']).toReversed(),
    )
    assert.ok(!('error_rows' in all.items[0]))
    const second = await list('?per_page=2&page=2')
    assert.deepEqual([second.items.length, second.total, second.items[0].job_id], [1, 3, jobs[0]?.['job_id']])
    const wrong = await list('?status=completed_with_errors')
    assert.deepEqual([wrong.total, wrong.items[0].job_id], [1, jobs[1]?.['job_id']])
  })

  test('run in order, and a waiting one can be canceled', async () => {
    const admin = await anAdmin()
    const uploads = []
    for (let i = 0; i < 4; i++) uploads.push((await uploadCsv(admin.headers, oneEach(emails(2)))).body.job_id)
    const [first = '', second = '', third = '', fourth = ''] = uploads
    const cancel = (job_id: string) =>
      still.sso.inject({ method: 'POST', url: `/api/v1/bulk/jobs/${job_id}/cancel`, headers: admin.headers })
    for (const job_id of [first, third, third]) {
      const reply = await cancel(job_id)
      assert.deepEqual([reply.statusCode, reply.json().status], [200, 'canceled'])
    }
    const told = createTold(still.parts, still.parts.limits.limiter('sso'))
    const bulk = startBulk({ ...still.parts, told } as Parameters<typeof startBulk>[0])
    try {
      await eventually(
        () => still.db.pool`
          select from sso.bulk_jobs where site_id = ${admin.site.site_id} and finished_at is null`,
        (left) => left.length === 0,
      )
    } finally {
      await bulk.stop()
    }
    const rows = await still.db.pool<{ job_id: string; status: string; is_after: boolean }[]>`
      select job_id, status, started_at >= lag(finished_at) over (order by created_at) as is_after
        from sso.bulk_jobs
       where site_id = ${admin.site.site_id} and status = 'completed' order by created_at, job_id`
    assert.deepEqual(
      rows.map(({ job_id, is_after }) => [job_id, is_after]),
      [
        [second, null],
        [fourth, true],
      ],
    )
    const late = await cancel(second)
    assert.deepEqual([late.statusCode, late.json().code], [409, 'job_finished'])
  })

  test('expire with all their data 30 days after their end', async () => {
    const admin = await anAdmin({ lyceum })
    const [young, old] = [
      String((await importCsv(admin.headers, oneEach(['x']), { lyceum }))['job_id']),
      String((await importCsv(admin.headers, oneEach(['x']), { lyceum }))['job_id']),
    ]
    for (const [job_id, minutes] of [
      [young, 30 * 1_440 - 1],
      [old, 30 * 1_440 + 1],
    ] as const)
      await lyceum.db.pool`
        update sso.bulk_jobs set finished_at = clock_timestamp() - make_interval(mins => ${minutes})
         where job_id = ${job_id}`
    const parts = { database: lyceum.db }
    for (const name of ['bulk_errors', 'bulk_jobs'] as const) await sweep(parts, name)
    const left = await lyceum.db.pool<{ job_id: string; errors: number }[]>`
      select job_id, (select count(*)::int from sso.bulk_errors e where e.job_id = j.job_id) as errors
        from sso.bulk_jobs j where job_id = any(${[young, old]}::uuid[])`
    assert.deepEqual([...left], [{ job_id: young, errors: 1 }])
  })

  test('are ended when stuck, and the next one begins', async () => {
    const admin = await anAdmin()
    const first = (await uploadCsv(admin.headers, oneEach(emails(1)))).body.job_id
    const second = (await uploadCsv(admin.headers, oneEach(emails(1)))).body.job_id
    await still.db.pool`update foundation.jobs set state = 'held' where job_id = ${first}`
    assert.equal(await endAbandoned(still.db), 1)
    const rows = await still.db.pool<
      { job_id: string; status: string; failure: string | null; is_due: boolean }[]
    >`
      select job_id, status, failure, is_due from sso.bulk_jobs
       where site_id = ${admin.site.site_id} order by created_at, job_id`
    assert.deepEqual(
      [...rows],
      [
        { job_id: first, status: 'failed', failure: 'internal', is_due: true },
        { job_id: second, status: 'queued', failure: null, is_due: true },
      ],
    )
  })
})
