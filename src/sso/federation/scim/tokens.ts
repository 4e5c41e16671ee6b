import { type Static, Type } from 'typebox'
import { type Database, one } from '#foundation/database/database.ts'
import { conflict, notFound } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { Nullable, Time, Uuid } from '#foundation/http/schemas.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { newDirectoryToken } from '../../core/access/directory-tokens.ts'
import { lockPlanned } from '../enterprise/access.ts'
import { type By, type Ids, lockConnection, note, readConnection } from '../enterprise/connections.ts'

/** One in use, one for its successor, and some for tests. */
const MAX_TOKENS = 5

const ScimToken = Type.Object({
  token_id: Uuid,
  name: Type.String(),
  /** The last characters of the token. */
  hint: Type.String(),
  created_at: Time,
  expires_at: Nullable(Time),
  last_used_at: Nullable(Time),
})
type ScimToken = Static<typeof ScimToken>
export const ScimTokens = Type.Object({ scim_url: Type.String(), items: Type.Array(ScimToken) })
/** The token itself is shown this once. */
export const NewScimToken = Type.Object({
  ...ScimToken.properties,
  scim_url: Type.String(),
  token: Type.String(),
})

export type TokenBody = Static<typeof TokenBody>
export const TokenBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  /** Without it the token works until it is revoked. */
  expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_650 })),
})

/** The tokens of a connection, oldest first. 403, 404, 403 plan_required. */
export async function listTokens({ fast }: Database, caller: Caller, ids: Ids): Promise<ScimToken[]> {
  const { connection_id } = await readConnection(fast, caller, ids)
  const items = await fast<ScimToken[]>`
    select token_id, name, hint, created_at, expires_at, last_used_at from sso.scim_tokens
     where connection_id = ${connection_id} order by created_at, token_id`
  return [...items]
}

/** Makes a token. 403, 404, 403 plan_required, 409 scim_token_limit. */
export async function createToken(database: Database, by: By, ids: Ids, body: TokenBody) {
  const token = newDirectoryToken()
  const { connection_id } = ids
  return database.transaction(async (tx) => {
    const site = await lockPlanned(tx, by.caller, ids.site_id)
    await lockConnection(tx, ids)
    const counted = await tx<{ total: number }[]>`
      select count(*) as total from sso.scim_tokens where connection_id = ${connection_id}`
    if (one(counted).total >= MAX_TOKENS)
      throw conflict(
        'scim_token_limit',
        `A connection has at most ${MAX_TOKENS} SCIM tokens: revoke one first`,
      )
    const rows = await tx<ScimToken[]>`
      insert into sso.scim_tokens (token_id, connection_id, token_hash, name, hint, expires_at)
      values (${newId()}, ${connection_id}, ${sha256(token)}, ${body.name}, ${token.slice(-4)},
              clock_timestamp() + make_interval(days => ${body.expires_in_days ?? null}::int))
      returning token_id, name, hint, created_at, expires_at, last_used_at`
    const made = one(rows)
    const details = { connection_id, token_id: made.token_id }
    await note(tx, by, site, { action: 'connection.scim_token_created', details })
    return { ...made, token }
  })
}

/** Revokes a token at once. 403, 404, 403 plan_required. */
export async function revokeToken(
  database: Database,
  by: By,
  { token_id, ...ids }: Ids & { token_id: string },
): Promise<void> {
  const { connection_id } = ids
  await database.transaction(async (tx) => {
    const site = await lockPlanned(tx, by.caller, ids.site_id)
    await lockConnection(tx, ids)
    const [revoked] = await tx`
      delete from sso.scim_tokens where token_id = ${token_id} and connection_id = ${connection_id} returning token_id`
    if (!revoked) throw notFound()
    await note(tx, by, site, {
      action: 'connection.scim_token_revoked',
      details: { connection_id, token_id },
    })
  })
}
