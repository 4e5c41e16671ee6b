import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { StartError } from '#foundation/start-error.ts'
import { readParts, textOf, writeParts } from '#foundation/backup/parts.ts'
import { FRAME, openBackup, sealFrames, toFile } from '#foundation/backup/sealed-file.ts'

const passphrase = 'correct horse battery staple'
const folder = mkdtempSync(join(tmpdir(), 'lyceum-parts-'))
after(() => rmSync(folder, { recursive: true }))
let names = 0
const aName = () => join(folder, `${names++}`)

const fileWith = (bytes: Buffer) => {
  const path = aName()
  writeFileSync(path, bytes)
  return path
}

async function made(write: (file: Awaited<ReturnType<typeof open>>) => Promise<void>): Promise<string> {
  const path = aName()
  const file = await open(path, 'wx', 0o600)
  await write(file)
  await file.close()
  return path
}

/** What the file holds. Rejects as a command would. */
async function contents(path: string, secret = passphrase): Promise<Record<string, string>> {
  const file = await openBackup(path)
  const found: Record<string, string> = {}
  try {
    await readParts(file, { path, passphrase: secret }, async (name, bytes) => {
      found[name] = await textOf(bytes, path)
    })
  } finally {
    await file.close()
  }
  return found
}

const refusal = (pattern: RegExp) => (error: unknown) =>
  error instanceof StartError && pattern.test(error.message)

describe('a backup file', () => {
  // Two frames of data that does not compress, one of data that does, and an empty part.
  const noise = randomBytes(600_000).toString('hex')
  const parts = { first: noise, second: 'a\nb\n'.repeat(1_000), third: '' }
  let whole: Buffer
  before(async () => {
    const path = await made(async (file) => {
      const to = await writeParts(toFile(file), passphrase)
      for (const [name, text] of Object.entries(parts)) {
        const { lines } = await to.add(name, [Buffer.from(text.slice(0, 7)), Buffer.from(text.slice(7))])
        assert.equal(lines, text.split('\n').length - 1)
      }
      await to.finish()
    })
    whole = readFileSync(path)
  })

  test('gives back what was written', async () => {
    assert.deepEqual(await contents(fileWith(whole)), parts)
    assert.ok(!whole.includes('first'), 'a name can be read without the passphrase')
  })

  test('is refused with one byte changed, wherever it is', async () => {
    const places = [0, 20, 40, 60, 80, 83, 84, whole.length - 1]
    while (places.length < 14) places.push(Math.floor(Math.random() * whole.length))
    for (const place of places) {
      const bytes = Buffer.from(whole)
      bytes[place] = (bytes[place] ?? 0) ^ (1 << Math.floor(Math.random() * 8))
      await assert.rejects(contents(fileWith(bytes)), refusal(/is damaged|is not a backup/), `byte ${place}`)
    }
  })

  test('is refused when its end is missing or something follows', async () => {
    for (const length of [0, 79, 80, 82, 100, whole.length - 1, whole.length - 85, whole.length >> 1])
      await assert.rejects(
        contents(fileWith(whole.subarray(0, length))),
        refusal(/is damaged|is not a backup/),
        `${length} bytes`,
      )
    await assert.rejects(contents(fileWith(Buffer.concat([whole, Buffer.of(0)]))), refusal(/is damaged/))
    await assert.rejects(
      contents(fileWith(Buffer.concat([whole, whole.subarray(80)]))),
      refusal(/is damaged/),
    )
  })

  test('is refused with another passphrase', async () => {
    await assert.rejects(contents(fileWith(whole), `${passphrase}.`), refusal(/is not the passphrase of/))
  })

  test('is refused with frames moved, left out or repeated', async () => {
    const frames: Buffer[] = []
    for (let at = 80; at < whole.length;) {
      const end = at + 4 + whole.readUInt32BE(at)
      frames.push(whole.subarray(at, end))
      at = end
    }
    const head = whole.subarray(0, 80)
    const [first = head, second = head] = frames
    for (const other of [
      [second, first, ...frames.slice(2)],
      frames.slice(1),
      [first, ...frames],
      frames.toSpliced(1, 1),
      frames.slice(0, -1),
    ])
      await assert.rejects(contents(fileWith(Buffer.concat([head, ...other]))), refusal(/is damaged/))
  })

  test('is refused when it is something else', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('PGDMP'), randomBytes(10_000), Buffer.alloc(1 << 20)])
      await assert.rejects(contents(fileWith(bytes)), refusal(/is not a backup of Lyceum/))
    await assert.rejects(contents(folder), refusal(/is not a file/))
    await assert.rejects(contents('/dev/zero'), refusal(/is not a file/))
    await assert.rejects(contents(join(folder, 'missing')), refusal(/cannot be read/))
  })

  test('reserves no memory for a length that it claims', async () => {
    for (const length of [0xffff_ffff, 0x7fff_ffff, FRAME + 18, 0, 16]) {
      const bytes = Buffer.from(whole.subarray(0, 2_000))
      bytes.writeUInt32BE(length, 80)
      await assert.rejects(contents(fileWith(bytes)), refusal(/is damaged/))
    }
  })

  test('does not unfold a bomb, even from a holder of the passphrase', async () => {
    const bomb = zstdCompressSync(Buffer.alloc(256 << 20))
    assert.ok(bomb.length < FRAME)
    const path = await made(async (file) => {
      const write = await sealFrames(toFile(file), passphrase)
      await write({ type: 1, payload: Buffer.from('first') })
      await write({ type: 2, payload: bomb })
    })
    const before = process.memoryUsage().rss
    await assert.rejects(contents(path), refusal(/is damaged/))
    assert.ok(process.memoryUsage().rss - before < 200 << 20)
  })
})
