import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { runCommand } from '#testing/command.ts'
import { aUser, type Headers, type Person } from '#testing/people.ts'
import { buildWorld, world, type World } from '#testing/world.ts'
import { changesOf, toChannel } from './channel-mapping.ts'

const folder = mkdtempSync(join(tmpdir(), 'lyceum-import-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
function fileOf(...lines: (object | string)[]): string {
  const path = join(folder, `${++files}.jsonl`)
  writeFileSync(
    path,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  )
  return path
}

/** Runs the verb in a process of its own, against the apps of a world on ports of their own. */
async function importer(lyceum: World, person: Person | undefined, ...args: string[]) {
  const [url, sso] = await Promise.all([lyceum.learning, lyceum.sso].map(addressOf))
  const account = person ? ['--email', person.email, '--password', person.password] : []
  const all = [...args, '--url', url ?? '', '--sso', sso ?? '', ...account]
  const { stderr, ...ended } = await runCommand(['import-channels', ...all], { DATA_DIR: lyceum.dataDir })
  // Whatever takes longer than a second says how far it is, so that depends on the machine.
  return { ...ended, stderr: stderr.replaceAll(/^\d+ of \d+, [\d.]+ a second\n/gm, '') }
}

const addressOf = async (app: World['learning']): Promise<string> => {
  const address = app.server.address()
  return address !== null && typeof address === 'object'
    ? `http://127.0.0.1:${address.port}`
    : app.listen({ host: '127.0.0.1', port: 0 })
}

const portOf = async (app: World['learning']) => new URL(await addressOf(app)).port

const channelsOf = async (lyceum: World, { headers }: { headers: Headers }) =>
  (await lyceum.learning.inject({ url: '/api/channels?mine=1&per_page=100', headers })).json()

const talk = {
  title: 'Beating the bugs',
  description: null,
  speakers: ['Ada', 'Eve'],
  recorded: '2017-05-13T11:10:00+03:00',
  duration_seconds: null,
  thumbnail_url: null,
  language: 'heb',
  videos: [
    { type: 'youtube', url: 'https://www.youtube.com/watch?v=x' },
    { type: 'webm', url: 'http://example.org/a%20b.webm' },
    { type: 'mp4', url: 'http://example.org/a%20b.mp4' },
  ],
}
const line = {
  title: 'שלום',
  description: 'x'.repeat(4_753),
  language: 'eng',
  source_url: 'https://example.org/1',
  episodes: [talk],
}

describe('import-channels', () => {
  test('finds the running program by its own settings', async () => {
    const lyceum = await world()
    const anna = await aUser()
    const args = ['import-channels', fileOf(line), '--email', anna.email, '--password', anna.password]
    const ports = { SSO_PORT: await portOf(lyceum.sso), LEARNING_PORT: await portOf(lyceum.learning) }
    for (const host of [{}, { HOST: '127.0.0.1' }]) {
      const { code, stderr } = await runCommand(args, { DATA_DIR: lyceum.dataDir, ...ports, ...host })
      assert.deepEqual([code, stderr], [0, ''])
    }
    assert.equal((await channelsOf(lyceum, anna)).total, 1)
    const { code, stderr } = await runCommand(args, {
      DATA_DIR: lyceum.dataDir,
      ...ports,
      LEARNING_PORT: '1',
    })
    assert.equal(code, 1)
    assert.match(stderr, /http:\/\/127\.0\.0\.1:1 does not answer/)
  })

  test('imports channels, and updates them with --update without duplicates', async () => {
    const lyceum = await world()
    const anna = await aUser()
    const file = fileOf(line, '', { ...line, title: 'Second', source_url: null, episodes: [] })
    const first = await importer(lyceum, anna, file)
    assert.deepEqual([first.code, first.stderr], [0, ''])
    assert.match(first.stdout, /^2 created, 0 updated, 0 unchanged, 0 failed; 1 episodes in [\d.]+ s\n$/)
    const { items } = await channelsOf(lyceum, anna)
    const { id } = items[1]
    const read = async () =>
      (await lyceum.learning.inject({ url: `/api/channels/${id}`, headers: anna.headers })).json()
    const channel = await read()
    assert.deepEqual(
      [channel.title, channel.description, channel.language, channel.external_id],
      [line.title, line.description, 'en', line.source_url],
    )
    const [episode] = channel.episodes
    assert.deepEqual(
      [
        episode.authors,
        episode.recorded_on,
        episode.language,
        episode.duration_seconds,
        episode.video.url,
        episode.video.kind,
      ],
      [['Ada', 'Eve'], '2017-05-13', 'he', null, 'http://example.org/a%20b.mp4', 'file'],
    )
    const again = await importer(lyceum, anna, fileOf(line), '--update')
    assert.match(again.stdout, /^0 created, 0 updated, 1 unchanged, 0 failed/)
    assert.deepEqual(await read(), channel)
    const changed = fileOf({
      ...line,
      title: 'Changed',
      episodes: [
        { ...talk, title: 'New first', videos: [] },
        { ...talk, duration_seconds: 60 },
      ],
    })
    assert.match((await importer(lyceum, anna, changed)).stdout, /^0 created, 0 updated, 1 unchanged/)
    assert.deepEqual(await read(), channel)
    assert.match(
      (await importer(lyceum, anna, changed, '--update')).stdout,
      /^0 created, 1 updated, 0 unchanged/,
    )
    const after_update = await read()
    assert.deepEqual([after_update.title, after_update.version], ['Changed', 2])
    assert.deepEqual(
      after_update.episodes.map((e: { title: string }) => e.title),
      ['New first', 'Beating the bugs'],
    )
    assert.deepEqual(
      [after_update.episodes[1].id, after_update.episodes[1].duration_seconds],
      [episode.id, 60],
    )
  })

  test('reports every faulty line with its reason and exits 1', async () => {
    const lyceum = await world()
    const anna = await aUser()
    const many = Array.from({ length: 501 }, () => talk)
    const file = fileOf(
      '{"title":',
      '[]',
      { title: 'No', episodes: many },
      { ...line, title: 'x'.repeat(201) },
      { ...line, title: 'Good' },
    )
    const { code, stdout, stderr } = await importer(lyceum, anna, file)
    assert.equal(code, 1)
    assert.match(stdout, /^1 created, 0 updated, 0 unchanged, 4 failed/)
    const said = stderr.split('\n').filter((each) => each.startsWith('line '))
    assert.equal(said.length, 4)
    assert.match(said[0] ?? '', /^line 1: .*JSON/)
    assert.equal(said[1], 'line 2: has no title')
    assert.equal(said[2], 'line 3: has 501 episodes; a channel holds at most 500')
    assert.match(said[3] ?? '', /^line 4: 422 title: /)
  })

  test('signs in as the first admin by default', async () => {
    const lyceum = await buildWorld()
    const { code, stderr } = await importer(lyceum, undefined, fileOf(line))
    assert.deepEqual([code, stderr], [0, ''])
  })

  test('waits out a rate limit and continues', async () => {
    const lyceum = await buildWorld({ env: { RATE_LIMIT_DEFAULT: '60' } })
    const lines = Array.from({ length: 62 }, (_, index) => ({ title: `Channel ${index}` }))
    // The 61st request within a minute is let in once the last five seconds were calm.
    const { code, stdout } = await importer(lyceum, undefined, fileOf(...lines))
    assert.equal(code, 0)
    assert.match(stdout, /^62 created, 0 updated, 0 unchanged, 0 failed/)
  })

  test('renews an expired token during the import', async () => {
    const lyceum = await buildWorld()
    const anna = await aUser({ lyceum })
    const lines = Array.from({ length: 60 }, (_, index) => ({ title: `Channel ${index}` }))
    const running = importer(lyceum, anna, fileOf(...lines))
    for (let tries = 0; (await channelsOf(lyceum, anna)).total === 0 && tries < 1_000; tries++);
    await lyceum.sso.inject({
      method: 'POST',
      url: '/api/v1/auth/logout',
      headers: { ...anna.headers, 'x-sso-site-key': lyceum.firstRun.sites['learning']?.site_key ?? '' },
      payload: { everywhere: true },
    })
    const { code, stdout, stderr } = await running
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^60 created/)
  })

  test('says in one sentence what to fix', async () => {
    const lyceum = await world()
    const anna = await aUser()
    const cases: [string[], RegExp][] = [
      [[], /^npm start -- import-channels FILE/],
      [['missing.jsonl'], /^missing\.jsonl is not there\n$/],
      [[fileOf(line), '--unknown'], /unknown/],
      [[fileOf(line), '--password', 'wrong'], /^Signing in as .* failed: 401 /],
    ]
    for (const [args, sentence] of cases) {
      const person = args.includes('wrong') ? { ...anna, password: 'wrong' } : anna
      const { code, stderr } = await importer(lyceum, person, ...args)
      assert.equal(code, 1)
      assert.match(stderr, sentence)
      assert.doesNotMatch(stderr, / {4}at /)
    }
  })
})

describe('what a line becomes', () => {
  test('prefers files to players, and mp4 among files', () => {
    const [episode] = toChannel(JSON.stringify(line)).episodes
    assert.deepEqual(episode?.video, {
      url: 'http://example.org/a%20b.mp4',
      kind: 'file',
      duration_seconds: null,
      sources: [{ url: 'http://example.org/a%20b.webm' }],
    })
    const embed = { ...line, episodes: [{ ...talk, videos: talk.videos.slice(0, 1) }] }
    assert.equal(toChannel(JSON.stringify(embed)).episodes[0]?.video?.kind, 'embed')
    assert.equal(
      toChannel(JSON.stringify({ ...line, episodes: [{ ...talk, videos: [] }] })).episodes[0]?.video,
      undefined,
    )
  })

  test('an equal channel in another spelling is unchanged', () => {
    const wanted = toChannel(JSON.stringify({ ...line, title: ' Cafe\u0301 ' }))
    const known = {
      ...wanted,
      id: 'c',
      version: 1,
      title: 'Café',
      language: 'en',
      episodes: wanted.episodes.map((episode) => ({
        ...episode,
        id: 'e',
        language: 'he',
        video: { ...episode.video, url: episode.video?.url ?? '', kind: 'file', duration_seconds: null },
      })),
    }
    assert.equal(changesOf(known, wanted), undefined)
    assert.ok(changesOf({ ...known, description: 'other' }, wanted))
  })
})
