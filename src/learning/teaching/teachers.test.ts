import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aSchool, call, must } from '#testing/exams.ts'
import { anAdmin, nobody, type Person } from '#testing/people.ts'
import { assertExactly } from '#testing/strict-schema.ts'
import { world } from '#testing/world.ts'
import { Teachers } from './teachers.ts'

const { db } = await world()
const urlOf = (channel_id: string, q?: string) =>
  `/api/channels/${channel_id}/teachers${q === undefined ? '' : `?q=${encodeURIComponent(q)}`}`
const named = ({ user_id }: Person, name: string) =>
  db.pool`update sso.users set display_name = ${name} where user_id = ${user_id}`
const idsOf = (people: { user_id: string }[]) => people.map(({ user_id }) => user_id)

/** A channel with a learner of this name, one of the same name who is nowhere, and one who teaches with the author. */
async function aStaff() {
  const school = await aSchool({ channel: { status: 'published' } })
  const { author, learner, channel_id } = school
  const [stranger, peer] = [await school.another(), await school.another()]
  await must(201, 'POST', '/api/enroll', learner, { channel_id })
  await must(201, 'POST', '/api/channels', peer, { title: 'Theirs', instructor_ids: [author.user_id] })
  await Promise.all([
    named(author, 'Author'),
    named(learner, 'דנה Zoë Peña'),
    named(stranger, 'Zoe Pena'),
    named(peer, 'Peer Gynt'),
  ])
  const find = async (q: string, who: Person = author) =>
    idsOf((await must(200, 'GET', urlOf(channel_id, q), who)).found)
  return { ...school, stranger, peer, find }
}

describe('GET /api/channels/:id/teachers', () => {
  test('names the owner first, then those who teach with them', async () => {
    const { author, peer, channel_id } = await aStaff()
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, {
      instructor_ids: [peer.user_id, 'from another system'],
    })
    const body = await must(200, 'GET', urlOf(channel_id), peer)
    assertExactly(Teachers, body)
    assert.deepEqual(
      body.items.map(({ display_name, is_owner }: Record<string, unknown>) => [display_name, is_owner]),
      [
        ['Author', true],
        ['Peer Gynt', false],
        [null, false],
      ],
    )
    assert.deepEqual([body.may_change, body.found], [false, []])
  })

  test('finds people of one’s channels by a part of their name, in any spelling', async () => {
    const { learner, peer, find, author, admin } = await aStaff()
    for (const q of ['zoe', 'PEÑA z', 'דנה', learner.email.slice(0, 12)])
      assert.ok((await find(q)).includes(learner.user_id), q)
    assert.deepEqual(await find('zoe'), [learner.user_id])
    assert.deepEqual(await find('gynt'), [peer.user_id])
    assert.deepEqual(await find('author'), [], 'who teaches there already')
    assert.deepEqual(await find('zoe', admin), [learner.user_id])
    for (const q of ['', '   ', '%', '_']) assert.deepEqual(await find(q), [], q)
    assert.deepEqual((await must(200, 'GET', '/api/channels?mine=1', author)).total, 2)
  })

  test('finds everybody else by a whole address only, and never those of another tenant', async () => {
    const { stranger, find } = await aStaff()
    assert.deepEqual(await find(stranger.email), [stranger.user_id])
    assert.deepEqual(await find(stranger.email.slice(0, -1)), [])
    const foreign = await anAdmin()
    await named(foreign, 'Zoe from elsewhere')
    assert.deepEqual(await find(foreign.email), [])
    assert.deepEqual(await find('elsewhere'), [])
  })

  test('leaves out who is suspended', async () => {
    const { learner, find } = await aStaff()
    await db.pool`update sso.users set status = 'suspended' where user_id = ${learner.user_id}`
    assert.deepEqual(await find('zoe'), [])
  })

  test('is for those who teach there, and finds for who may change it', async () => {
    const { author, peer, learner, stranger, channel_id, find } = await aStaff()
    const statusOf = async (who: { headers: Record<string, string> }, id = channel_id) =>
      (await call('GET', urlOf(id, 'zoe'), who)).status
    assert.equal(await statusOf(await nobody()), 401)
    for (const who of [learner, stranger, peer]) assert.equal(await statusOf(who), 403)
    assert.equal(await statusOf(await anAdmin()), 404)
    assert.equal(await statusOf(author, crypto.randomUUID()), 404)
    assert.equal((await call('GET', urlOf(channel_id, 'x'.repeat(201)), author)).status, 422)
    await must(200, 'PUT', `/api/channels/${channel_id}`, author, { instructor_ids: [peer.user_id] })
    assert.deepEqual(await find('zoe', peer), [])
  })
})
