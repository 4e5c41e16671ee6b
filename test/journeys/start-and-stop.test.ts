import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { eventually } from '#testing/eventually.ts'
import { newDataDir, removeDataDir } from '#testing/product.ts'
import { holdSignIn, isPortFree, startByNpm } from '#testing/started-by-npm.ts'
import type { FirstRun } from '#testing/world.ts'

describe('npm start in a terminal', () => {
  const dataDir = newDataDir()
  after(() => removeDataDir(dataDir))

  test('Ctrl-C answers the request that is under way and leaves nothing behind', async () => {
    const started = startByNpm(dataDir)
    const { sso, learning, collections } = await started.ready()
    const { sites } = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as FirstRun
    const held = await holdSignIn(sso, sites['learning']?.site_key ?? '')
    // A terminal sends it to the whole group, and npm passes it on to the program that has it already.
    started.signal('group', 'SIGINT')
    await eventually(started.log, (log) => log.includes('"stopping"'))
    assert.equal(await held.finish(), 401)
    await started.ended
    assert.match(started.log(), /"msg":"stopped"/)
    assert.deepEqual(started.leftBehind(), [])
    for (const address of [sso, learning, collections]) assert.ok(await isPortFree(address), address)
  })
})
