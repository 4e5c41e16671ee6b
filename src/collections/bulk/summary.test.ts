import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aCollection, call, join } from '#testing/collections.ts'
import { bringIn } from '#testing/imports.ts'
import { aUser } from '#testing/people.ts'

const TREE = {
  Collections: [
    ['collection_key', 'parent_key', 'name'],
    ['m', '', 'Museum'],
    ['p', 'm', 'Paintings'],
  ],
  Items: [
    ['item_key', 'name', 'collection_keys'],
    ['a', 'Dusk', 'p'],
  ],
}
const namesOf = (job: { collections: { name: string }[] }) => job.collections.map(({ name }) => name)

describe('the summary of an import', () => {
  for (const mode of ['partial', 'atomic'])
    test(`leads to the collections that it made (${mode})`, async () => {
      const job = await bringIn(await aUser(), TREE, { options: { mode } })
      assert.equal(job.state, 'completed', JSON.stringify(job))
      assert.deepEqual(namesOf(job), ['Museum', 'Paintings'])
    })

  test('leads to where the items went if the file names no collections', async () => {
    const anna = await aUser()
    const box = await aCollection(anna, { name: 'Box' })
    const job = await bringIn(anna, { Items: [['name'], ['Vase']] }, { options: { parent_id: box } })
    assert.deepEqual(job.collections, [{ id: box, name: 'Box' }])
  })

  test('leads nowhere after a dry run, and to nothing that the reader no longer sees', async () => {
    const [anna, ben] = [await aUser(), await aUser()]
    const tried = await bringIn(anna, TREE, { options: { dry_run: 'true' } })
    assert.deepEqual(tried.collections, [])
    const box = await aCollection(ben, { name: 'Of Ben' })
    await join(ben, box, anna, 'editor')
    const job = await bringIn(anna, { Items: [['name'], ['Vase']] }, { options: { parent_id: box } })
    assert.deepEqual(namesOf(job), ['Of Ben'])
    await call('DELETE', `/api/collections/${box}/members/${anna.user_id}`, ben)
    assert.deepEqual((await call('GET', `/api/bulk/jobs/${job.job_id}`, anna)).json().collections, [])
  })
})
