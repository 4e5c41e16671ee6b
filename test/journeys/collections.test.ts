import assert from 'node:assert/strict'
import { test } from 'node:test'
import { somebody } from '#testing/campus.ts'
import { call } from '#testing/product.ts'
import { sharedProduct } from '#testing/shared-product.ts'

test('a curator keeps items in a collection that nobody else sees', async () => {
  const product = await sharedProduct()
  const curator = await somebody(product, 'cleo-collects@example.org')
  const other = await somebody(product, 'otto-looks@example.org')
  const at = (path: string, { headers } = curator, body?: unknown, method?: string) =>
    call(`${product.collections}/api/${path}`, {
      headers,
      ...(body !== undefined && { body }),
      ...(method !== undefined && { method }),
    })

  const made = await at('collections', curator, { name: 'Engines' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const collection = `collections/${String(made.body['id'])}`
  const item = await at(`${collection}/items`, curator, { name: 'Difference Engine No. 2' })
  assert.equal(item.status, 201, JSON.stringify(item.body))
  const one = `items/${String(item.body['id'])}`
  const { body: list } = await at(`${collection}/items`)
  assert.deepEqual(
    [list['total'], (list.items as { name: string }[])[0]?.name],
    [1, 'Difference Engine No. 2'],
  )

  for (const path of [collection, `${collection}/items`, one])
    assert.equal((await at(path, other)).status, 404, path)
  assert.equal((await at('collections', other)).body['total'], 0)
  assert.equal((await at(collection, curator, undefined, 'DELETE')).status, 204)
  assert.equal((await at(collection)).status, 404)
})
