import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { call } from '#testing/collections.ts'
import { eventually } from '#testing/eventually.ts'
import { bookOf, bringIn, ended, upload } from '#testing/imports.ts'
import { aColleague, anAdmin, aSite, aUser, nobody } from '#testing/people.ts'
import { buildWorld, world } from '#testing/world.ts'
import { readLayout } from './layout.ts'

const lyceum = await world()
lyceum.startCollectionsJobs()

const items = (name = 'Vase') =>
  bookOf({
    Items: [
      ['item_key', 'collection_keys', 'name'],
      ['A', 'none', name],
    ],
  })
const roots = (...names: string[]) =>
  bookOf({ Collections: [['collection_key', 'name'], ...names.map((name) => [name, name])] })

/** A service that runs no jobs by itself, so queued jobs stay queued. */
const idle = await buildWorld()

test('an upload is answered with its job and leaves no file', async () => {
  const there = () => readdirSync(tmpdir()).filter((name) => name.startsWith('lyceum-upload-'))
  const before = new Set(there())
  const anna = await aUser()
  const reply = await upload(anna, roots('one'), { name: 'C:\\lists\\my list.xlsx' })
  assert.equal(reply.statusCode, 202, reply.body)
  const { job_id, state, status_url } = reply.json()
  assert.equal(state, 'queued')
  assert.equal(status_url, `/api/bulk/jobs/${job_id}`)
  assert.equal(reply.headers['location'], status_url)
  const job = await ended(anna, job_id)
  assert.equal(job.state, 'completed')
  assert.equal(job.file.name, 'my list.xlsx')
  assert.deepEqual(job.progress, { phase: 'done', rows_read: 1, rows_total: 1, percent: 100 })
  assert.deepEqual(job.counts.collections, { created: 1, updated: 0, unchanged: 0, failed: 0 })
  assert.equal(Date.parse(job.expires_at) - Date.parse(job.finished_at), 30 * 86_400_000)
  const [left] = await lyceum.db.pool`
    select (select count(*) from collections.job_files where job_id = ${job_id}) as files,
           (select count(*) from collections.job_chunks where job_id = ${job_id}) as chunks`
  assert.deepEqual({ ...left }, { files: 0, chunks: 0 })
  // Other uploads may run at the same time; theirs end too.
  const seen = there().filter((name) => !before.has(name))
  await eventually(there, (left) => !left.some((name) => seen.includes(name)))
})

test('an upload with a bad workbook, sheet or option is refused', async () => {
  const anna = await aUser()
  const cases: [Buffer | undefined, Record<string, string>, number, string][] = [
    [Buffer.from('GIF89a\x01\x00'), {}, 415, 'not_xlsx'],
    [Buffer.from('title;key\nVase;1\n'), {}, 422, 'missing_header'],
    [Buffer.from('name;item_key\nVase;1\n'), {}, 422, 'missing_header'],
    [Buffer.from('name;M\xfcnze\nVase;1\n', 'latin1'), {}, 422, 'invalid_encoding'],
    [Buffer.from('name;"key\nVase;1\n'), {}, 422, 'malformed_csv'],
    [Buffer.from('\n\n'), {}, 422, 'header_not_found'],
    [undefined, {}, 422, 'file_required'],
    [items(), { colour: 'red' }, 422, 'unknown_field'],
    [items(), { mode: 'some' }, 422, 'invalid_value'],
    [items(), { dry_run: 'yes' }, 422, 'invalid_value'],
    [items(), { parent_id: 'root' }, 422, 'invalid_value'],
    [items(), { parent_id: anna.user_id }, 404, 'parent_not_found'],
    [bookOf({ Things: [['name'], ['Vase']] }), {}, 422, 'missing_sheets'],
    [
      bookOf({
        Items: [
          ['item_key', 'collection_keys'],
          ['A', 'b'],
        ],
      }),
      {},
      422,
      'missing_header',
    ],
    [
      bookOf({
        Items: [
          ['item_key', 'name'],
          ['A', 'b'],
        ],
      }),
      {},
      422,
      'missing_header',
    ],
    [
      bookOf({
        Items: [
          ['name', 'Name *', 'collection_keys'],
          ['A', 'b', 'c'],
        ],
      }),
      {},
      422,
      'duplicate_header',
    ],
    [
      bookOf({
        Items: [
          ['name', 'collection_keys', 'colour'],
          ['A', 'b', 'c'],
        ],
      }),
      { strict: 'true' },
      422,
      'unknown_header',
    ],
    [bookOf({ Items: [] }), {}, 422, 'header_not_found'],
    [bookOf({ Items: [['name'], ['Vase']], ['x'.repeat(32)]: [['name']] }), {}, 422, 'sheet_name_too_long'],
    [
      bookOf({
        Items: [
          ['name', 'collection_keys', 'x'.repeat(256)],
          ['A', 'b', 'c'],
        ],
      }),
      {},
      422,
      'header_too_long',
    ],
  ]
  for (const [file, options, status, code] of cases) {
    const reply = await upload(anna, file, { options })
    assert.equal(reply.statusCode, status, `${code}: ${reply.body}`)
    const { code: told, errors } = reply.json()
    assert.equal(told === 'validation' ? errors?.[0]?.code : told, code, reply.body)
  }
  assert.equal((await call('GET', '/api/bulk/jobs', anna)).json().total, 0)
})

test('an upload may have long headers and long unread texts', async () => {
  const anna = await aUser()
  const book = bookOf({
    Items: [
      ['item_key', 'collection_keys', 'name', 'x'.repeat(255)],
      ['A', 'none', 'Vase', 'y'],
    ],
    Notes: [['z'.repeat(2_000)]],
  })
  const reply = await upload(anna, book)
  assert.equal(reply.statusCode, 202, reply.body)
})

test('metadata headers are keys or lists, with optional spaces', () => {
  const headers = [
    ' Meta. place of  origin [ ] ',
    'meta.YEAR *',
    'meta.a.b[]',
    'meta.[]',
    'meta. a\nb',
    'meta.',
    'meta.]',
    'meta.a[b]',
  ]
  const { layout, warnings } = readLayout(
    { sheet: 'Items', role: 'items' },
    { row: 1, cells: ['name', ...headers].map((text, at) => ({ column: at + 1, text })) },
    { strict: false, has_default_target: true },
  )
  const { 1: name, ...columns } = layout.columns
  assert.equal(name?.header, 'name')
  assert.deepEqual(columns, {
    2: { letter: 'B', header: 'meta.place_of_origin[]', meta: 'place_of_origin', isList: true },
    3: { letter: 'C', header: 'meta.year', meta: 'year', isList: false },
    4: { letter: 'D', header: 'meta.a.b[]', meta: 'a.b', isList: true },
  })
  assert.deepEqual(
    warnings.map(({ column }) => column),
    ['E', 'F', 'G', 'H', 'I'],
  )
})

test('refuses uploads without a token or with another body type', async () => {
  const { headers } = await nobody()
  assert.equal((await upload({ headers }, items())).statusCode, 401)
  assert.equal((await call('POST', '/api/bulk/upload', await aUser(), { file: 'x' })).statusCode, 415)
})

test('only the sender and site admins of the tenant see a job', async () => {
  const admin = await anAdmin()
  const [anna, ben, stranger] = [await aColleague(admin), await aColleague(admin), (await aSite()).owner]
  const { job_id } = await bringIn(anna, items())
  const paths = [
    `/api/bulk/jobs/${job_id}`,
    `/api/bulk/jobs/${job_id}/errors`,
    `/api/bulk/jobs/${job_id}/errors?format=xlsx`,
  ]
  for (const path of paths) {
    for (const somebody of [anna, admin])
      assert.equal((await call('GET', path, somebody)).statusCode, 200, path)
    const unknown = await call('GET', path.replace(job_id, anna.user_id), ben)
    for (const somebody of [ben, stranger]) {
      const reply = await call('GET', path, somebody)
      assert.equal(reply.statusCode, 404, path)
      assert.equal(reply.json().detail, unknown.json().detail)
    }
    assert.equal((await call('GET', path, await nobody())).statusCode, 401)
  }
  for (const somebody of [ben, stranger])
    assert.equal((await call('POST', `/api/bulk/jobs/${job_id}/cancel`, somebody)).statusCode, 404)
  assert.equal((await call('GET', '/api/bulk/jobs', ben)).json().total, 0)
  assert.equal((await call('GET', '/api/bulk/jobs', admin)).json().total, 0)
  assert.equal((await call('GET', '/api/bulk/jobs?scope=all', admin)).json().total, 1)
  assert.equal((await call('GET', '/api/bulk/jobs?scope=all', ben)).statusCode, 403)
})

test('the job list filters, sorts and refuses unknown parameters', async () => {
  const anna = await aUser()
  const first = await bringIn(anna, roots('one'), { options: { dry_run: 'true' } })
  const second = await bringIn(anna, roots('one'))
  const listed = async (query: string) =>
    (await call('GET', `/api/bulk/jobs?${query}`, anna))
      .json()
      .items.map((job: { job_id: string }) => job.job_id)
  assert.deepEqual(await listed(''), [second.job_id, first.job_id])
  assert.deepEqual(await listed('sort=created_at'), [first.job_id, second.job_id])
  assert.deepEqual(await listed('dry_run=true'), [first.job_id])
  assert.deepEqual(await listed('state=failed,cancelled'), [])
  assert.deepEqual(await listed('filter[state][ne]=failed&per_page=1'), [second.job_id])
  const {
    items: [job],
  } = (await call('GET', '/api/bulk/jobs?fields=state&per_page=1', anna)).json()
  assert.deepEqual(job, { job_id: second.job_id, state: 'completed' })
  for (const query of ['state=lost', 'q=x', 'sort=state', 'colour=red', 'page=0', 'fields=colour'])
    assert.equal((await call('GET', `/api/bulk/jobs?${query}`, anna)).statusCode, 422, query)
})

test('refuses an identical upload while its job is under way', async () => {
  const anna = await aUser({ lyceum: idle })
  const send = (file: Buffer, options = {}) => upload(anna, file, { options, lyceum: idle })
  const first = await send(roots('one'))
  assert.equal(first.statusCode, 202, first.body)
  const double = await send(roots('one'))
  assert.equal(double.statusCode, 409)
  assert.equal(double.json().code, 'duplicate_upload')
  assert.equal(double.headers['location'], first.json().status_url)
  assert.equal((await send(roots('one'), { dry_run: 'true' })).statusCode, 202)
  const third = await send(roots('two'))
  assert.equal(third.statusCode, 429)
  assert.ok(Number(third.headers['retry-after']) >= 1)
})

test('one of fifty identical concurrent uploads is accepted', async () => {
  const anna = await aUser({ lyceum: idle })
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => upload(anna, roots('one'), { lyceum: idle })),
  )
  const taken = replies.filter(({ statusCode }) => statusCode === 202)
  assert.equal(taken.length, 1)
  for (const reply of replies)
    if (reply !== taken[0]) {
      assert.equal(reply.statusCode, 409, reply.body)
      assert.equal(reply.headers['location'], taken[0]?.json().status_url)
    }
})

test('fifty uploads with one Idempotency-Key get one job or wait', async () => {
  const anna = await aUser({ lyceum: idle })
  const headers = { 'idempotency-key': 'once' }
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => upload(anna, roots('one'), { headers, lyceum: idle })),
  )
  const ids = new Set(
    replies.filter(({ statusCode }) => statusCode === 202).map((reply) => reply.json().job_id),
  )
  assert.equal(ids.size, 1)
  for (const reply of replies)
    if (reply.statusCode !== 202) assert.equal(reply.json().code, 'idempotency_in_progress')
  const [made] = await idle.db.pool<{ number: number }[]>`
    select count(*)::int as number from collections.jobs where user_id = ${anna.user_id}`
  assert.equal(made?.number, 1)
})

test('an Idempotency-Key replays its answer, and refuses a different file', async () => {
  const anna = await aUser()
  const headers = { 'idempotency-key': `upload ${anna.user_id}` }
  const first = await upload(anna, roots('one'), { headers })
  await ended(anna, first.json().job_id)
  const again = await upload(anna, roots('one'), { headers })
  assert.equal(again.statusCode, 202)
  assert.deepEqual(again.json(), first.json())
  assert.equal(again.headers['idempotency-replayed'], 'true')
  for (const [file, options] of [
    [roots('two'), {}],
    [roots('one'), { mode: 'atomic' }],
  ] as const) {
    const other = await upload(anna, file, { headers, options })
    assert.equal(other.statusCode, 422)
    assert.equal(other.json().code, 'idempotency_mismatch')
  }
})

test('refuses more than ten workbooks an hour', async () => {
  const anna = await aUser()
  await lyceum.db.pool`
    insert into collections.jobs (job_id, tenant_id, user_id, state, options, file_name, file_size, file_sha256)
    select gen_random_uuid(), ${anna.tenant_id}, ${anna.user_id}, 'completed', '{}', 'x', 1, number::text
      from generate_series(1, 10) as number`
  const { acceptUpload } = await import('./upload.ts')
  const options = {
    mode: 'partial',
    dry_run: false,
    match: 'key',
    on_blank: 'keep',
    links: 'add',
    create_missing: false,
    strict: false,
    parent_id: null,
  } as const
  const file = { path: '/nowhere', name: 'x', size: 1, sha256: 'x' }
  const actor = { user_id: anna.user_id, tenant_id: anna.tenant_id, is_site_admin: false }
  await assert.rejects(
    lyceum.db.transaction((tx) => acceptUpload(tx, actor, file, { ...options }, { isLimited: true })),
    { status: 429, code: 'rate_limited' },
  )
})

test('cancels a waiting job at once, and starts the next', async () => {
  const anna = await aUser({ lyceum: idle })
  const cancel = (job_id: string, headers = {}) =>
    idle.collections.inject({
      method: 'POST',
      url: `/api/bulk/jobs/${job_id}/cancel`,
      headers: { ...anna.headers, ...headers },
    })
  const [one, two] = [
    (await upload(anna, roots('a'), { lyceum: idle })).json(),
    (await upload(anna, roots('b'), { lyceum: idle })).json(),
  ]
  const key = { 'idempotency-key': 'cancel' }
  const cancelled = await cancel(one.job_id, key)
  assert.equal(cancelled.statusCode, 202, cancelled.body)
  assert.equal(cancelled.json().state, 'cancelled')
  const again = await cancel(one.job_id)
  assert.equal(again.statusCode, 409)
  assert.equal(again.json().code, 'job_finished')
  assert.equal((await cancel(one.job_id, key)).headers['idempotency-replayed'], 'true')
  idle.startCollectionsJobs()
  assert.equal((await ended(anna, two.job_id, idle)).state, 'completed')
  const made = await idle.db.pool`
    select name from collections.collections where created_by = ${anna.user_id} order by name`
  assert.deepEqual(
    made.map(({ name }) => name),
    ['b'],
  )
})
