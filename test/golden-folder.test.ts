import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { copyGoldenFolder, RUN } from '#testing/golden-folder.ts'
import { newDataDir, removeDataDir } from '#testing/product.ts'

describe('the data folder that tests copy', () => {
  const before = process.env[RUN]
  const made: string[] = []
  const newRun = () => {
    const folder = mkdtempSync(join(tmpdir(), 'lyceum-run-'))
    made.push(folder)
    return (process.env[RUN] = folder)
  }
  const newCopy = () => {
    const folder = newDataDir()
    made.push(folder)
    return folder
  }
  after(() => {
    if (before === undefined) delete process.env[RUN]
    else process.env[RUN] = before
    for (const folder of made) removeDataDir(folder)
  })

  test('is made once for all who need it at once, and each gets a copy of his own with its modes', async () => {
    newRun()
    const copies = [newCopy(), newCopy(), newCopy()]
    let makes = 0
    const make = async (folder: string) => {
      makes++
      writeFileSync(join(folder, 'secret'), 'golden', { mode: 0o600 })
    }
    await Promise.all(copies.map((copy) => copyGoldenFolder(copy, make)))
    assert.equal(makes, 1)
    const [first = '', second = ''] = copies.map((copy) => join(copy, 'secret'))
    writeFileSync(first, 'changed')
    assert.equal(readFileSync(second, 'utf8'), 'golden')
    assert.equal(statSync(second).mode & 0o777, 0o600)
  })

  test('is made by the next one when its maker failed', async () => {
    const run = newRun()
    const copy = newCopy()
    const failing = copyGoldenFolder(copy, async () => assert.fail('no disk'))
    await assert.rejects(failing, /no disk/)
    assert.equal(existsSync(join(run, 'golden')), false)
    await copyGoldenFolder(copy, async (folder) => writeFileSync(join(folder, 'secret'), 'golden'))
    assert.equal(readFileSync(join(copy, 'secret'), 'utf8'), 'golden')
  })

  test('is not waited for when its maker was killed', async () => {
    const run = newRun()
    // No process has this number.
    writeFileSync(join(run, 'golden.lock'), `${2 ** 30}`)
    await assert.rejects(
      copyGoldenFolder(newCopy(), async () => {}),
      /ended while it made the golden data folder/,
    )
    rmSync(run, { recursive: true })
  })
})
