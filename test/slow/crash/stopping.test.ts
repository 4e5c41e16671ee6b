import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Signal } from '#foundation/processes/exit.ts'
import { bookOf, formOf } from '#testing/books.ts'
import { eventually } from '#testing/eventually.ts'
import { adminHeaders, newDataDir, type Product, removeDataDir } from '#testing/product.ts'
import { holdSignIn, isPortFree, startByNpm, type StartedByNpm } from '#testing/started-by-npm.ts'
import type { FirstRun } from '#testing/world.ts'

type Running = Awaited<ReturnType<StartedByNpm['ready']>>

async function leavesNothing(started: StartedByNpm, addresses: Running | undefined) {
  await started.ended
  // npm does not wait for a program that it was told to end.
  await eventually(started.leftBehind, (found) => found.length === 0)
  assert.match(started.log(), /"msg":"stopping"/)
  assert.match(started.log(), /"msg":"stopped"/)
  for (const address of Object.values(addresses ?? {}).filter((one) => typeof one === 'string'))
    assert.ok(await isPortFree(address), address)
}

describe('npm start', () => {
  const dataDir = newDataDir()
  after(() => removeDataDir(dataDir))
  const firstRun = () => JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as FirstRun

  test('stops in order when a signal comes during the first start', async () => {
    for (const isBegun of [
      (log: string) => log.includes('using the embedded PostgreSQL'),
      () => existsSync(join(dataDir, 'postgres/data/postmaster.pid')),
    ]) {
      const started = startByNpm(dataDir)
      await eventually(started.log, isBegun)
      started.signal('group', 'SIGINT')
      await leavesNothing(started, undefined)
    }
  })

  const ways: [string, (started: StartedByNpm) => void][] = [
    ['SIGTERM to the program', (started) => started.signal('program', 'SIGTERM')],
    ['SIGINT to npm', (started) => started.signal('npm', 'SIGINT')],
    ['SIGTERM to npm', (started) => started.signal('npm', 'SIGTERM')],
    ['SIGTERM to the group', (started) => started.signal('group', 'SIGTERM')],
    ['a closed terminal', (started) => started.signal('group', 'SIGHUP')],
    [
      'SIGINT to npm and the program',
      (started) => {
        started.signal('npm', 'SIGINT')
        started.signal('program', 'SIGINT')
      },
    ],
    [
      'Ctrl-C twice in a row',
      (started) => {
        started.signal('group', 'SIGINT')
        started.signal('group', 'SIGINT')
      },
    ],
  ]
  for (const [what, send] of ways)
    test(`stops in order after ${what}`, async () => {
      const started = startByNpm(dataDir)
      const addresses = await started.ready()
      send(started)
      await leavesNothing(started, addresses)
      assert.doesNotMatch(started.log(), /stopping at once/)
    })

  test('stops its workers in order after Ctrl-C', async () => {
    const started = startByNpm(dataDir, { WORKERS: '2' })
    const addresses = await started.ready()
    started.signal('group', 'SIGINT')
    await leavesNothing(started, addresses)
    assert.doesNotMatch(started.log(), /stopping at once|will be replaced/)
  })

  for (const WORKERS of ['1', '2'])
    test(`exits at once after a later Ctrl-C, and its database stops as well (WORKERS=${WORKERS})`, async () => {
      const started = startByNpm(dataDir, { WORKERS })
      const { sso } = await started.ready()
      const held = await holdSignIn(sso, firstRun().sites['learning']?.site_key ?? '')
      try {
        // Again and again: which of them comes two seconds after the first does not matter.
        await eventually(() => {
          if (started.leftBehind().length === 0) return true
          started.signal('group', 'SIGINT')
          return false
        })
        await started.ended
        assert.match(started.log(), /"msg":"stopping at once"/)
        assert.deepEqual(started.leftBehind(), [])
      } finally {
        held.drop()
      }
    })

  test('stops in order while a workbook is imported, and finishes it after the next start', async () => {
    const ROWS = 3_000
    const file = bookOf({
      Collections: [
        ['collection_key', 'name'],
        ['root', 'Root'],
      ],
      Items: [
        ['item_key', 'collection_keys', 'name'],
        ...Array.from({ length: ROWS }, (_, number) => [`i${number}`, 'root', `Item ${number}`]),
      ],
    })
    const { payload, headers } = formOf(file, { mode: 'partial' })
    const first = startByNpm(dataDir)
    const at = await first.ready()
    const as = (await adminHeaders({ ...at, firstRun: firstRun() } as Product)) as { authorization: string }
    const sent = await fetch(`${at.collections}/api/bulk/upload`, {
      method: 'POST',
      headers: { ...headers, ...as },
      body: new Uint8Array(payload),
    })
    const { job_id } = (await sent.json()) as { job_id: string }
    assert.equal(sent.status, 202)
    type Job = { state: string; counts: { items: { created: number } } }
    const look = async (running: Running, who: object) => {
      const reply = await fetch(`${running.collections}/api/bulk/jobs/${job_id}`, { headers: { ...who } })
      return (await reply.json()) as Job
    }
    await eventually(
      () => look(at, as),
      ({ state }) => state !== 'queued',
    )
    first.signal('group', 'SIGINT')
    await leavesNothing(first, at)
    const again = startByNpm(dataDir)
    const next = await again.ready()
    const who = await adminHeaders({ ...next, firstRun: firstRun() } as Product)
    const job = await eventually(
      () => look(next, who),
      ({ state }) => state === 'completed',
    )
    assert.equal(job.counts.items.created, ROWS)
    again.signal('group', 'SIGINT')
    await leavesNothing(again, next)
  })
})

describe('a command that starts the embedded database', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const satisfies Signal[])
    test(`leaves no server behind after ${signal}`, async () => {
      const dataDir = newDataDir()
      const started = startByNpm(dataDir, {}, ['--', 'migrate'])
      await eventually(() => existsSync(join(dataDir, 'postgres/data/postmaster.pid')))
      started.signal('group', signal)
      await started.ended
      await eventually(started.leftBehind, (found) => found.length === 0)
      removeDataDir(dataDir)
    })
})
