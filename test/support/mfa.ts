import assert from 'node:assert/strict'
import { newId } from '#foundation/ids.ts'
import { Secret, TOTP } from 'otpauth'
import type { Person } from './people.ts'
import { type World, world } from './world.ts'

export type Totp = {
  factor_id: string
  secret: string
  /** The current code; `offset` counts 30 s steps from now. */
  code(offset?: number): string
}

const codeOf = (secret: string, offset: number) =>
  new TOTP({ secret, digits: 6, period: 30 }).generate({ timestamp: Date.now() + offset * 30_000 })

/** Creates and activates an authenticator app for the person through the API; none of its time steps is used yet. */
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

/** Writes a TOTP factor to the database: a person without a first-party token cannot enrol one through the API. */
export async function giveTotp({ user_id }: Pick<Person, 'user_id'>, lyceum?: World): Promise<Totp> {
  const { db, parts } = lyceum ?? (await world())
  const [factor_id, seed] = [newId(), new Secret({ size: 20 })]
  const secret_enc = parts.keys.seal(Buffer.from(seed.bytes), `totp/${factor_id}`)
  await db.pool`
    insert into sso.mfa_factors (factor_id, user_id, type, secret_enc, activated_at)
    values (${factor_id}, ${user_id}, 'totp', ${secret_enc}, clock_timestamp())`
  return { factor_id, secret: seed.base32, code: (offset = 0) => codeOf(seed.base32, offset) }
}

/** Clears the last used time step, so that a test need not wait 30 s for the next code. */
export async function freshStep(user_id: string, lyceum?: World): Promise<void> {
  const { db } = lyceum ?? (await world())
  await db.pool`update sso.mfa_factors set last_used_step = null where user_id = ${user_id}`
}

/** Signs in until the second factor is required. */
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

/** The code in the newest mail to the person, decrypted from the outbox as the product does. */
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
