import assert from 'node:assert/strict'
import { newId } from '#foundation/ids.ts'
import { Secret, TOTP } from 'otpauth'
import type { Person } from './people.ts'
import { type World, world } from './world.ts'

export type Totp = {
  factor_id: string
  secret: string
  /** The code of this moment; `offset` counts steps of 30 s from it. */
  code(offset?: number): string
}

const codeOf = (secret: string, offset: number) =>
  new TOTP({ secret, digits: 6, period: 30 }).generate({ timestamp: Date.now() + offset * 30_000 })

/** An authenticator app for the person, made and activated through the API; no step of it is spent yet. */
export async function addTotp({ headers, user_id }: Person, lyceum?: World): Promise<Totp> {
  const { sso } = lyceum ?? (await world())
  const begun = await sso.inject({
    method: 'POST',
    url: '/api/v1/mfa/factors',
    headers,
    payload: { type: 'totp', name: 'Phone' },
  })
  assert.equal(begun.statusCode, 201, begun.body)
  const { factor_id, secret } = begun.json()
  const totp = { factor_id, secret, code: (offset = 0) => codeOf(secret, offset) }
  const activated = await sso.inject({
    method: 'POST',
    url: `/api/v1/mfa/factors/${factor_id}/activate`,
    headers,
    payload: { code: totp.code() },
  })
  assert.equal(activated.statusCode, 200, activated.body)
  await freshStep(user_id, lyceum)
  return totp
}

/** The same of somebody who has no token of the network itself, and so could not enrol it: as it stands in the database. */
export async function giveTotp({ user_id }: Pick<Person, 'user_id'>, lyceum?: World): Promise<Totp> {
  const { db, parts } = lyceum ?? (await world())
  const [factor_id, seed] = [newId(), new Secret({ size: 20 })]
  const secret_enc = parts.keys.seal(Buffer.from(seed.bytes), `totp/${factor_id}`)
  await db.pool`
    insert into sso.mfa_factors (factor_id, user_id, type, secret_enc, activated_at)
    values (${factor_id}, ${user_id}, 'totp', ${secret_enc}, clock_timestamp())`
  return { factor_id, secret: seed.base32, code: (offset = 0) => codeOf(seed.base32, offset) }
}

/** As if no code had been used lately, so that a test need not wait half a minute for the next one. */
export async function freshStep(user_id: string, lyceum?: World): Promise<void> {
  const { db } = lyceum ?? (await world())
  await db.pool`update sso.mfa_factors set last_used_step = null where user_id = ${user_id}`
}

/** Signs in as far as the second factor is asked for. */
export async function challenge(
  { email, password }: Pick<Person, 'email' | 'password'>,
  headers: Record<string, string>,
  lyceum?: World,
): Promise<{ mfa_token: string; mfa_methods: string[] }> {
  const { sso } = lyceum ?? (await world())
  const reply = await sso.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    headers,
    payload: { email, password },
  })
  assert.equal(reply.statusCode, 200, reply.body)
  const asked = reply.json()
  assert.equal(asked.mfa_required, true)
  return asked
}

/** The code of the newest mail to the person, read from the outbox as the program that sends it would. */
export async function mailedCode(user_id: string, lyceum?: World): Promise<string> {
  const { db, parts } = lyceum ?? (await world())
  const [message] = await db.pool<{ message_id: string; body_enc: Buffer }[]>`
    select message_id, body_enc from sso.messages
     where user_id = ${user_id} and kind = 'mfa_code' order by created_at desc, message_id desc limit 1`
  assert.ok(message, 'no code was mailed')
  const body = parts.keys.open(message.body_enc, `message/${message.message_id}`).toString()
  const [code] = /\b\d{6}\b/.exec(JSON.parse(body).text) ?? []
  assert.ok(code)
  return code
}
