import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { newDataDir, type Product, removeDataDir, startProduct } from '#testing/product.ts'

const GUIDE = join(import.meta.dirname, '../../../docs/integrating.md')

describe('the five minutes of docs/integrating.md', () => {
  const dataDir = newDataDir()
  let product: Product
  before(async () => void (product = await startProduct(dataDir, {}, { isFirst: true })))
  after(async () => {
    await product.end()
    removeDataDir(dataDir)
  })

  test('go as they are written', async () => {
    const guide = readFileSync(GUIDE, 'utf8')
    const script = guide.split('## In five minutes')[1]?.split('```sh')[1]?.split('```')[0] ?? ''
    assert.match(script, /auth\/register/)
    const here = script
      .replaceAll('http://127.0.0.1:8064', product.sso)
      .replaceAll('data/first-run.json', join(dataDir, 'first-run.json'))
      .replaceAll('node -p', `'${process.execPath}' -p`)
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', here])
    assert.match(stdout, /"email":"ada@example\.org"/)
    assert.match(stdout, /"display_name":"Ada"/)
    assert.equal(stdout.trimEnd().split('\n').at(-1)?.replace(/^.*\}/, ''), 'token_revoked')
  })
})
