import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { hash as hashBcrypt } from '@node-rs/bcrypt'
import { importCsv, liftImportQuota } from '#testing/bulk.ts'
import { aColleague, anAdmin, anOperator, aUser, type Headers, homeSite, signIn } from '#testing/people.ts'
import { buildWorld } from '#testing/world.ts'

const lyceum = await buildWorld({ env: { SSO_IMPORT_QUOTA: '600' } })
const { sso, db } = lyceum
await lyceum.startJobs()

const unique = () => randomBytes(5).toString('hex')
const people = (n: number) => {
  const tag = unique()
  return `email\n${Array.from({ length: n }, (_, i) => `p${i}-${tag}@example.com`).join('\n')}\n`
}
type Job = Record<string, unknown> & {
  warnings: { code: string; rows: number }[]
  error_rows: { row: number; field: string | null; code: string }[]
  warning_rows: { row: number; line: number; field: string; code: string }[]
}
const bring = async (headers: Headers, csv: string, options: Record<string, string> = {}) =>
  (await importCsv(headers, csv, { lyceum, ...options })) as Job
const countsOf = (job: Job) => [job['success_count'], job['skipped_count'], job['error_count']]
const quotaOf = (headers: Headers, tenant_id: string) =>
  sso.inject({ url: `/api/v1/tenants/${tenant_id}/import-quota`, headers })
const setQuota = (headers: Headers, tenant_id: string, people_per_day: unknown) =>
  sso.inject({
    method: 'PUT',
    url: `/api/v1/tenants/${tenant_id}/import-quota`,
    headers,
    payload: { people_per_day },
  })
const aDayLater = (tenant_id: string) => db.pool`
  update sso.import_usage set day = day - 1 where tenant_id = ${tenant_id}`

describe('an importer floods the installation with people', () => {
  test('through a freely registered site', async () => {
    const { headers, site } = await anAdmin({ lyceum })
    const csv = people(1_300)
    const job = await bring(headers, csv)
    assert.deepEqual(countsOf(job), [600, 0, 700])
    assert.deepEqual(
      job.warnings.map(({ code, rows }) => [code, rows]),
      [['import_quota', 700]],
    )
    assert.deepEqual(
      [job['status'], job.error_rows[0]?.row, job.error_rows[0]?.field, job.error_rows[0]?.code],
      ['completed_with_errors', 601, null, 'import_quota'],
    )
    assert.deepEqual(countsOf(await bring(headers, csv)), [0, 600, 700])
    await aDayLater(site.tenant_id)
    assert.deepEqual(countsOf(await bring(headers, csv)), [600, 600, 100])
    await aDayLater(site.tenant_id)
    assert.deepEqual(countsOf(await bring(headers, csv)), [100, 1_200, 0])
    assert.deepEqual((await bring(headers, csv)).warnings, [])
  })

  test('through two own sites at once', async () => {
    const { headers } = await anAdmin({ lyceum })
    const made = await sso.inject({
      method: 'POST',
      url: '/api/v1/sites',
      headers,
      payload: { name: `Second ${unique()}`, environment: 'production' },
    })
    const { site_code } = made.json()
    const jobs = await Promise.all([bring(headers, people(450)), bring(headers, people(450), { site_code })])
    assert.equal(
      jobs.reduce((sum, job) => sum + Number(job['success_count']), 0),
      600,
    )
  })

  test('by erasing people in between', async () => {
    const { headers, site } = await anAdmin({ lyceum })
    await bring(headers, people(600))
    await db.pool`
      delete from sso.users where registration_site_id = ${site.site_id} and registration_source = 'bulk_import'`
    assert.deepEqual(countsOf(await bring(headers, people(1))), [0, 0, 1])
  })
})

describe('the quota of imports', () => {
  test('is reported but not spent by a dry run', async () => {
    const { headers, site } = await anAdmin({ lyceum })
    const csv = people(1_100)
    for (let run = 0; run < 2; run++)
      assert.deepEqual(countsOf(await bring(headers, csv, { dry_run: 'true' })), [600, 0, 500])
    assert.equal((await quotaOf(headers, site.tenant_id)).json().used_today, 0)
    assert.deepEqual(countsOf(await bring(headers, csv)), [600, 0, 500])
    assert.equal((await quotaOf(headers, site.tenant_id)).json().used_today, 600)
  })

  test('is set by operators and seen by ADMINs of the tenant', async () => {
    const admin = await anAdmin({ lyceum })
    const [stranger, member, operator] = [
      await anAdmin({ lyceum }),
      await aColleague(admin, lyceum),
      await anOperator(lyceum),
    ]
    const { tenant_id } = admin.site
    const { people_per_day, used_today, resets_at } = (await quotaOf(admin.headers, tenant_id)).json()
    assert.deepEqual([people_per_day, used_today], [600, 0])
    const hours = (Date.parse(resets_at) - Date.now()) / 3_600_000
    assert.ok(hours > -0.1 && hours <= 24, resets_at)
    assert.equal((await quotaOf(stranger.headers, tenant_id)).statusCode, 404)
    assert.equal((await quotaOf(member.headers, tenant_id)).statusCode, 403)
    assert.equal((await quotaOf({}, tenant_id)).statusCode, 401)
    assert.equal((await setQuota({}, tenant_id, null)).statusCode, 401)
    for (const [{ headers }, code] of [
      [admin, 'operator_required'],
      [stranger, 'operator_required'],
      [member, 'admin_required'],
    ] as const) {
      const refused = await setQuota(headers, tenant_id, null)
      assert.deepEqual([refused.statusCode, refused.json().code], [403, code])
    }
    assert.equal((await setQuota(operator.headers, admin.user_id, 5)).statusCode, 404)
    for (const wrong of [-1, 1.5, 'many', undefined])
      assert.ok([400, 422].includes((await setQuota(operator.headers, tenant_id, wrong)).statusCode))

    assert.equal((await setQuota(operator.headers, tenant_id, 2)).json().people_per_day, 2)
    assert.deepEqual(countsOf(await bring(admin.headers, people(3))), [2, 0, 1])
    await liftImportQuota(admin.site, lyceum)
    assert.equal((await quotaOf(admin.headers, tenant_id)).json().people_per_day, null)
    assert.deepEqual(countsOf(await bring(admin.headers, people(700))), [700, 0, 0])
  })

  test('exempts the first tenant and tenants operators founded', async () => {
    const operator = await anOperator(lyceum)
    const home = await homeSite(lyceum)
    assert.equal((await quotaOf(operator.headers, home.tenant_id)).json().people_per_day, null)
    const job = await bring(operator.headers, people(650), { site_code: 'learning' })
    assert.deepEqual(countsOf(job), [650, 0, 0])
    const { site } = await anAdmin({ lyceum })
    await db.pool`
      update sso.tenants set created_by = ${operator.user_id} where tenant_id = ${site.tenant_id}`
    assert.equal((await quotaOf(operator.headers, site.tenant_id)).json().people_per_day, null)
  })

  test('applies to a sandbox by the tenant, counted separately', async () => {
    const admin = await anAdmin({ lyceum })
    const { headers } = await signIn(admin, { lyceum })
    const made = await sso.inject({
      method: 'POST',
      url: '/api/v1/sites',
      headers,
      payload: { name: `Twin ${unique()}`, environment: 'sandbox' },
    })
    const { site_code, tenant_id } = made.json()
    assert.equal((await quotaOf(headers, tenant_id)).json().people_per_day, 600)
    assert.deepEqual(countsOf(await bring(headers, people(601), { site_code })), [600, 0, 1])
    assert.deepEqual(countsOf(await bring(admin.headers, people(600))), [600, 0, 0])
  })
})

describe('an importer occupies the processor with hashes', () => {
  test('of half a second or a thousand schemes', async () => {
    const { headers, site } = await anAdmin({ lyceum })
    const tag = unique()
    const [quick, own] = [await hashBcrypt('battery staple 7', { cost: 4 }), `quick-${tag}@example.com`]
    const slow = [`$2b$13$${'C'.repeat(53)}`, `$2b$14$${'C'.repeat(53)}`, `$2b$31$${'C'.repeat(53)}`]
    const kinds = Array.from({ length: 60 }, (_, i) => `$pbkdf2-sha256$${i + 1}$c2FsdA$${'A'.repeat(43)}`)
    const lines = [
      `${own},${quick}`,
      ...[...slow, ...kinds].map((hash, i) => `h${i}-${tag}@example.com,"${hash}"`),
    ]
    const job = await bring(headers, `email,password_hash\n${lines.join('\n')}\n`)
    assert.deepEqual(countsOf(job), [64, 0, 0])
    assert.equal(job['status'], 'completed')
    // Two of the twenty kinds are bcrypt hashes that could be tried, and one is bcrypt that could not.
    const [warning] = job.warnings
    assert.deepEqual([warning?.code, warning?.rows], ['password_reset_required', 3 + 60 - 16])
    assert.deepEqual(
      job.warning_rows.slice(0, 3).map(({ row, line, field, code }) => [row, line, field, code]),
      [
        [2, 3, 'password_hash', 'password_reset_required'],
        [3, 4, 'password_hash', 'password_reset_required'],
        [4, 5, 'password_hash', 'password_reset_required'],
      ],
    )
    const kept = await db.pool<{ email: string }[]>`
      select email from sso.users where registration_site_id = ${site.site_id} and password_hash is not null`
    assert.equal(kept.length, 17)
    assert.ok(kept.some(({ email }) => email === own))
    const errors = await sso.inject({ url: `/api/v1/bulk/jobs/${String(job['job_id'])}/errors.csv`, headers })
    assert.equal(errors.body, 'row,line,field,code,message\r\n')
    const again = await bring(headers, `email,password_hash\n${lines.join('\n')}\n`)
    assert.deepEqual([countsOf(again), again.warnings], [[0, 64, 0], []])
  })

  test('refused hashes leave people the usual reset link', async () => {
    const { headers, site } = await anAdmin({ lyceum })
    const email = `slow-${unique()}@example.com`
    await bring(headers, `email,password_hash\n${email},$2b$20$${'C'.repeat(53)}\n`)
    const post = (path: string, payload: object) =>
      sso.inject({ method: 'POST', url: `/api/v1/auth${path}`, headers: site.headers, payload })
    assert.equal((await post('/login', { email, password: 'C' })).statusCode, 401)
    assert.equal((await post('/password/forgot', { email })).statusCode, 202)
    const [mail] = await db.pool`select kind from sso.messages where recipient = ${email}`
    assert.equal(mail?.['kind'], 'password_reset')
  })
})

test('a learner without ADMIN role learns no quotas', async () => {
  const [anna, home] = [await aUser({ lyceum }), await homeSite(lyceum)]
  assert.equal((await quotaOf(anna.headers, home.tenant_id)).statusCode, 404)
})
