import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aSchool, must } from '#testing/exams.ts'

test('learners who see a channel read who teaches it, by ids only', async () => {
  const { another, author, learner, channel_id } = await aSchool()
  const helper = await another()
  const url = `/api/channels/${channel_id}`
  await must(200, 'PUT', url, author, { instructor_ids: [helper.user_id] })
  const channel = await must(200, 'GET', url, learner)
  assert.deepEqual([channel.owner_id, channel.instructor_ids], [author.user_id, [helper.user_id]])
  assert.ok(!JSON.stringify(channel).includes('@'))
})
