import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aCollection, anItem, call } from '#testing/collections.ts'
import { bringIn } from '#testing/imports.ts'
import { aUser, type Person } from '#testing/people.ts'

/** What has no type, or another one, in the files that spreadsheet programs write. */
const TEXTS = [
  '1890',
  '007',
  '1.50',
  '1E5',
  '-4',
  'TRUE',
  'false',
  '#N/A',
  '#DIV/0!',
  '=1+1',
  '+44 20',
  '-1 note',
  '@home',
  "'quoted",
  'a;=b',
  '12345678901234567',
  '#KEEP',
  '',
  'one\ntwo',
  'say "hi", ok',
  '👩‍🎨 שלום',
]
const OTHERS = [1890, -0.5, 1e-7, 0.1 + 0.2, 123_456_789_012_345, 12_345_678_901_234_568, true, false]

type Item = { id: string; name: string; description: string | null; metadata: object; version: number }
const itemsIn = async (person: Person, id: string) =>
  (await call('GET', `/api/collections/${id}/items?per_page=100&sort=name`, person)).json().items as Item[]

async function aBoxOfAll(person: Person): Promise<string> {
  const box = await aCollection(person)
  for (const word of TEXTS)
    await anItem(person, box, {
      name: `is ${word.replaceAll('\n', ' ')}`,
      description: word,
      metadata: { word, list: [word, `;${word}`, 'and'] },
    })
  for (const size of OTHERS) await anItem(person, box, { name: `is ${size}`, metadata: { size, word: 'w' } })
  await anItem(person, box, { name: '=1+1' })
  return box
}

async function assertUnchanged(person: Person, box: string, file: Buffer | object, options: object) {
  const before = await itemsIn(person, box)
  const { counts, errors } = await bringIn(person, file as never, { options } as never)
  assert.deepEqual(errors, [])
  assert.deepEqual(await itemsIn(person, box), before)
  assert.deepEqual([counts.items.created, counts.items.updated], [0, 0])
}

describe('a round trip', () => {
  for (const query of ['', '?format=csv&sheet=items'])
    for (const options of [{}, { on_blank: 'clear', links: 'replace' }])
      test(`of an export${query} with ${JSON.stringify(options)} changes nothing`, async () => {
        const person = await aUser()
        const box = await aBoxOfAll(person)
        const { rawPayload } = await call('GET', `/api/collections/${box}/export${query}`, person)
        await assertUnchanged(person, box, rawPayload, options)
      })

  test('through a spreadsheet program, which keeps 15 digits and the mark before a formula, changes nothing', async () => {
    const person = await aUser()
    const box = await aCollection(person)
    const stored: [object, unknown][] = [
      [{ size: 12_345_678_901_234_568 }, 12_345_678_901_234_600],
      [{ size: 0.1 + 0.2 }, 0.3],
      [{ size: '=1+1' }, "'=1+1"],
    ]
    const rows: unknown[][] = []
    for (const [place, [metadata, cell]] of stored.entries()) {
      const id = await anItem(person, box, { name: `=is ${place}`, description: '-', metadata })
      rows.push([id, `'=is ${place}`, "'-", cell])
    }
    const book = { Items: [['item_id', 'name', 'description', 'meta.size'], ...rows] }
    await assertUnchanged(person, box, book, { parent_id: box })
  })

  test('keeps the stored text beside a change of another field', async () => {
    const person = await aUser()
    const box = await aCollection(person)
    const id = await anItem(person, box, { name: 'Vase', metadata: { year: '1890', room: 'hall' } })
    const csv = Buffer.from(`item_id,name,meta.year,meta.room\n${id},Vase,1890,attic\n`)
    const { counts } = await bringIn(person, csv, { options: { parent_id: box } })
    assert.equal(counts.items.updated, 1)
    assert.deepEqual((await itemsIn(person, box))[0]?.metadata, { year: '1890', room: 'attic' })
  })
})

describe('a number of more than 15 digits in metadata', () => {
  test('is refused as a spreadsheet program writes it into a .csv, and leaves the stored text', async () => {
    const person = await aUser()
    const box = await aCollection(person)
    const metadata = { isbn: '9781234567890123' }
    const id = await anItem(person, box, { name: 'Book', metadata })
    const csv = Buffer.from(`item_id,name,meta.isbn\n${id},Book,9.78123456789012E+015\n`)
    const { errors } = await bringIn(person, csv, { options: { parent_id: box } })
    assert.deepEqual(
      errors.map(({ code }: { code: string }) => code),
      ['precision_lost'],
    )
    assert.deepEqual((await itemsIn(person, box))[0]?.metadata, metadata)
  })

  for (const sheet of ['Items', 'Collections'])
    test(`is refused in sheet ${sheet}, because its last digits were lost`, async () => {
      const person = await aUser()
      const box = await aCollection(person)
      const key = sheet === 'Items' ? 'item_key' : 'collection_key'
      const book = {
        [sheet]: [
          [key, 'name', 'meta.isbn'],
          ['a', 'Lost', 9_781_234_567_890_120],
          ['b', 'Whole', '9781234567890123'],
          ['c', 'Short', 978_123_456_789_012],
        ],
      }
      const { counts, errors } = await bringIn(person, book, { options: { parent_id: box } })
      assert.deepEqual(
        errors.map(({ row, code, header }: Record<string, unknown>) => [row, code, header]),
        [[2, 'precision_lost', 'meta.isbn']],
      )
      assert.equal(counts[sheet.toLowerCase()].created, 2)
    })
})
