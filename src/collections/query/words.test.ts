import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fold } from '#foundation/text.ts'
import { aCollection, anItem, call } from '#testing/collections.ts'
import { aUser } from '#testing/people.ts'
import { world } from '#testing/world.ts'

const { db } = await world()

test('a search finds words across scripts, case, accents and separators', async () => {
  const anna = await aUser()
  const box = await aCollection(anna)
  await anItem(anna, box, {
    name: 'Dish',
    description: 'see example.org/a_b-1.5',
    metadata: { note: 'first\nlast' },
  })
  await anItem(anna, box, { name: '日本の皿', metadata: { note: ['C:\\temp', '"Élan" vital'] } })
  await anItem(anna, box, { name: 'Long', description: `${'x'.repeat(2_500)} ${'é'.repeat(2_400)}` })
  const expected: [string, string[]][] = [
    ['org', ['Dish']],
    ['b 1', ['Dish']],
    ['5', ['Dish']],
    ['last', ['Dish']],
    ['nlast', []],
    ['note', []],
    ['本', ['日本の皿']],
    ['皿 日', ['日本の皿']],
    ['temp', ['日本の皿']],
    ['ELAN vit', ['日本の皿']],
    ['vit elan', []],
    ['x'.repeat(200), ['Long']],
    ['e'.repeat(200), ['Long']],
    ['...', []],
  ]
  for (const [q, names] of expected) {
    const reply = await call('GET', `/api/collections/${box}/items?q=${encodeURIComponent(q)}`, anna)
    assert.equal(reply.statusCode, 200, reply.body)
    assert.deepEqual(
      reply.json().items.map(({ name }: { name: string }) => name),
      names,
      q,
    )
  }
})

test('ASCII folds like everything else', async () => {
  const ascii = Array.from({ length: 127 }, (_, code) => String.fromCharCode(code + 1)).join('')
  for (const text of [ascii, `${ascii}é`, 'ÄÉ ＡＢ İI ẞß', 'ᲑბΣς']) {
    const [row] =
      await db.pool`select collections.folded(${text}) as folded, foundation.fold(${text}) as same`
    assert.deepEqual({ ...row }, { folded: fold(text), same: fold(text) })
  }
})
