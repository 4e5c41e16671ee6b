import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aSchool, patch } from '#testing/scim.ts'
import { world } from '#testing/world.ts'

const school = await aSchool(await world())

/** Processor time of this thread, in microseconds, for so many additions of the same twenty addresses. */
async function costOf(operations: number, user_id: string): Promise<number> {
  const value = Array.from({ length: 20 }, (_, at) => ({ value: `a${at}@${school.domain}`, type: `t${at}` }))
  const steps = Array.from({ length: operations }, () => ({ op: 'add', path: 'emails', value }))
  const costs: number[] = []
  for (let round = 0; round < 5; round++) {
    const before = process.threadCpuUsage()
    assert.equal((await school.call('PATCH', `/Users/${user_id}`, patch(...steps))).status, 200)
    const { user, system } = process.threadCpuUsage(before)
    costs.push(user + system)
  }
  return Math.min(...costs)
}

test('two hundred operations cost no more than twenty times ten of them', async () => {
  const made = await school.call('POST', '/Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: `long@${school.domain}`,
  })
  const [few, many] = [await costOf(10, made.body.id), await costOf(200, made.body.id)]
  assert.ok(many < 20 * few, `${few} and ${many} µs`)
})
