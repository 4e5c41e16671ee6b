import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unique } from '#testing/enterprise.ts'
import { aSchool, type Body, type School } from '#testing/scim.ts'
import { world } from '#testing/world.ts'
import { ENTRA, OKTA, type Step } from './scim/sequences.ts'

const lyceum = await world()

for (const [name, steps] of [
  ['Entra ID', ENTRA],
  ['Okta', OKTA],
] as const)
  describe(`the conversation of ${name}`, async () => {
    const school = await aSchool(lyceum)
    const known: Record<string, string> = { domain: school.domain, once: unique() }
    for (const step of steps) test(step.says, () => take(school, step, known))
  })

async function take(school: School, step: Step, known: Record<string, string>) {
  const { method, path, body, authorization, status, holds = {}, keeps = {}, type } = filled(step, known)
  const more = {
    ...(authorization !== undefined && { authorization }),
    ...(type !== undefined && { 'content-type': type }),
  }
  const answer = await school.call(method, path, body, more)
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  if (status !== 204) assert.match(String(answer.headers['content-type']), /^application\/scim\+json/)
  assertHolds(answer.body, holds, 'answer')
  for (const [as, member] of Object.entries(keeps)) known[as] = String(answer.body[member])
}

/** Puts what is known in the place of `{name}`, also where a path has it in percent signs. */
function filled(step: Step, known: Record<string, string>): Step {
  const text = Object.entries(known).reduce(
    (all, [name, value]) =>
      all.replaceAll(`{${name}}`, value).replaceAll(`%7B${name}%7D`, encodeURIComponent(value)),
    JSON.stringify(step),
  )
  return JSON.parse(text) as Step
}

function assertHolds(actual: Body, wanted: Body, place: string): void {
  if (wanted === null) return assert.equal(actual, undefined, place)
  if (typeof wanted !== 'object') return assert.equal(actual, wanted, place)
  if (Array.isArray(wanted)) assert.equal(actual.length, wanted.length, place)
  for (const [name, one] of Object.entries(wanted)) assertHolds(actual?.[name], one, `${place}.${name}`)
}
