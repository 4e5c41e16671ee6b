import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import XLSX from '@e965/xlsx'
import { aCollection, anItem, call, join } from '#testing/collections.ts'
import { aUser, anAdmin, nobody } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { newId } from '#foundation/ids.ts'
import { readWorkbook } from '../workbook/read-workbook.ts'
import { precheck, type Row } from '../workbook/reader.ts'

await world()

const get = (who: Parameters<typeof call>[2], query = '') => call('GET', `/api/bulk/template${query}`, who)

async function sheetsOf(bytes: Buffer) {
  const { sheets } = await precheck(bytes)
  const rows: Record<string, Row[]> = {}
  await readWorkbook(
    bytes,
    sheets.map(({ name }) => name),
    { onRows: (sheet, some) => void (rows[sheet] ??= []).push(...some) },
  )
  return { names: sheets.map(({ name }) => name), rows }
}
const textsOf = (rows: Row[] | undefined, row: number) =>
  rows?.find((one) => one.row === row)?.cells.map(({ text }) => text)

describe('GET /api/bulk/template', () => {
  test('answers 401 without a token, 422 for unknown parameters', async () => {
    assert.equal((await get(await nobody())).statusCode, 401)
    assert.equal((await get(await aUser(), '?sheet=items')).statusCode, 422)
    assert.equal((await get(await aUser(), '?parent_id=7')).statusCode, 422)
  })

  test('holds two sheets with three example rows and the rules', async () => {
    const reply = await get(await aUser())
    assert.equal(reply.statusCode, 200, reply.body)
    assert.equal(
      reply.headers['content-type'],
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    )
    assert.equal(
      reply.headers['content-disposition'],
      `attachment; filename="collections-template.xlsx"; filename*=UTF-8''collections-template.xlsx`,
    )
    assert.equal(reply.headers['cache-control'], 'private, no-store')
    assert.equal(reply.headers['x-content-type-options'], 'nosniff')
    const { names, rows } = await sheetsOf(reply.rawPayload)
    assert.deepEqual(names, ['Collections', 'Items', 'Read me'])
    assert.deepEqual(textsOf(rows['Collections'], 1), [
      'collection_key',
      'parent_key',
      'name*',
      'description',
      'type',
      'inherit_members',
      'meta.place',
    ])
    assert.deepEqual(textsOf(rows['Items'], 1), [
      'item_key',
      'collection_keys*',
      'name*',
      'description',
      'meta.year',
      'meta.tags[]',
    ])
    for (const sheet of ['Collections', 'Items']) {
      const examples = rows[sheet]?.slice(1) ?? []
      assert.equal(examples.length, 3)
      assert.ok(examples.every(({ cells }) => cells[0]?.text.startsWith('EXAMPLE-')))
    }
    assert.ok(rows['Read me']?.some(({ cells }) => cells[0]?.text === 'template_version=1'))
  })

  test('formats text cells, lists and header within 200 KB', async () => {
    const { rawPayload } = await get(await aUser())
    assert.ok(rawPayload.length < 200_000, `${rawPayload.length} bytes`)
    const book = XLSX.read(rawPayload, { cellNF: true, cellStyles: true, sheetStubs: true, bookFiles: true })
    const items = book.Sheets['Items'] ?? assert.fail()
    for (const place of ['A2', 'B17', 'C5001', 'D5001']) assert.equal(items[place]?.z, '@', place)
    assert.equal(items['A5002'], undefined)
    assert.equal(items['E3']?.z ?? 'General', 'General')
    const files = (book as unknown as { files: Record<string, { content: Uint8Array }> }).files
    const xml = Buffer.from(files['xl/worksheets/sheet1.xml']?.content ?? []).toString()
    assert.match(xml, /<dataValidation [^>]*sqref="E2:E5001"[^>]*><formula1>"general,folder,/)
    assert.match(xml, /<dataValidation [^>]*sqref="F2:F5001"[^>]*><formula1>"TRUE,FALSE"/)
    assert.match(xml, /<pane [^>]*ySplit="1"[^>]*state="frozen"/)
  })

  test('includes metadata columns in use that the caller sees', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const museum = await aCollection(anna)
    const depot = await aCollection(anna, { parent_id: museum, inherit_members: false })
    await anItem(anna, museum, { metadata: { year: 1871, tags: ['sea'], medium: 'oil' } })
    await anItem(anna, depot, { metadata: { secret: 'x' } })
    await join(anna, museum, ben, 'viewer')
    const headers = async (who: typeof anna) => {
      const reply = await get(who, `?parent_id=${museum}`)
      assert.equal(reply.statusCode, 200, reply.body)
      return textsOf((await sheetsOf(reply.rawPayload)).rows['Items'], 1)
        ?.slice(4)
        .toSorted()
    }
    assert.deepEqual(await headers(anna), ['meta.medium', 'meta.secret', 'meta.tags[]', 'meta.year'])
    assert.deepEqual(await headers(ben), ['meta.medium', 'meta.tags[]', 'meta.year'])
  })

  test('answers one 404 for unknown, foreign and invisible collections', async () => {
    const [anna, ben, stranger] = [await aUser(), await aUser(), await anAdmin()]
    const museum = await aCollection(anna)
    for (const [who, id] of [
      [ben, museum],
      [stranger, museum],
      [anna, newId()],
    ] as const) {
      const reply = await get(who, `?parent_id=${id}`)
      assert.deepEqual([reply.statusCode, reply.json().code], [404, 'parent_not_found'])
    }
  })
})
