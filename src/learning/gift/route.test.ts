import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aUser } from '#testing/people.ts'
import { world } from '#testing/world.ts'
import { exportGift } from './export.ts'
import { importGift } from './import.ts'

const { learning } = await world()

const FILE = `
Which river runs through Paris? {~Rhine#It does not =Seine ~Rhône}

Parts of water? {~%50%H ~%50%O ~%-33.33333%Cl}

Even? {=2 =4 ~5}

Ice floats. {TRUE#It does####See Archimedes}

Two? {=two =%50%2 =tw*}

Near ten? {#=10:0.5 =%50%9..11}

Match. {=Oslo -> Norway =Riga -> Latvia = -> Peru}
`

test('imported questions can be posted unchanged and export as read', async () => {
  const { headers } = await aUser()
  const post = async (url: string, payload: object) => {
    const reply = await learning.inject({ method: 'POST', url, headers, payload })
    assert.equal(reply.statusCode, 201, reply.body)
    return reply.json()
  }
  const channel = await post('/api/channels', { title: 'C', episodes: [{ title: 'One' }] })
  const { id } = await post(`/api/episodes/${channel.episodes[0].id}/tests`, { title: 'T' })
  const questions = importGift(FILE).questions.map(({ question }) => question)
  assert.equal(questions.length, 7)
  const { items } = await post(`/api/episodes/tests/${id}/questions`, { questions })
  assert.deepEqual(
    items.map(({ type }: { type: string }) => type),
    questions.map(({ type }) => type),
  )
  const again = importGift(exportGift(items).gift).questions.map(({ question }) => question)
  // GIFT has no multiple choice without weights, so that question comes back with weights that score the same.
  const isPlain = ({ prompt }: { prompt: string }) => prompt === 'Even?'
  assert.deepEqual(
    again.filter((question) => !isPlain(question)),
    questions.filter((question) => !isPlain(question)),
  )
  assert.equal(again.filter(isPlain).length, 1)
})
