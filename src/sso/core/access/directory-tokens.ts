import { type Database } from '#foundation/database/database.ts'
import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'

const PREFIX = 'lyceum_scim_'
const FORM = /^lyceum_scim_[A-Za-z0-9_-]{43}$/

declare module 'fastify' {
  interface FastifyRequest {
    /** The directory that called, on routes with auth `connection`. */
    directory: Directory | undefined
  }
}

/** The customer's directory behind an enterprise connection, which calls with a SCIM token. */
export type Directory = { connection_id: string; token_id: string; site: Site }

/** 256 random bits, with a prefix that lets secret scanners recognise a leaked token. */
export const newDirectoryToken = () => randomToken(PREFIX)

export type FoundDirectory = Directory & { is_pending: boolean; is_disabled: boolean; plan: string }

/**
 * The connection of a live token, by one point read; undefined for any other text. last_used_at is written at most once
 * a minute and outside the request.
 */
export async function findDirectory(db: Database, token: string): Promise<FoundDirectory | undefined> {
  if (!FORM.test(token)) return undefined
  type Row = Site & Omit<FoundDirectory, 'site'> & { is_use_noted: boolean }
  const [found] = await db.fast<Row[]>`
    select i.site_id, i.site_code, i.tenant_id, i.environment, i.is_first_party, i.trust_client_ip, i.plan,
           i.status = 'pending' as is_pending, c.status = 'disabled' as is_disabled, c.connection_id, t.token_id,
           coalesce(t.last_used_at > clock_timestamp() - interval '1 minute', false) as is_use_noted
      from sso.scim_tokens t join sso.connections c using (connection_id) join sso.sites i using (site_id)
     where t.token_hash = ${sha256(token)} and i.deleted_at is null
       and coalesce(t.expires_at > statement_timestamp(), true)`
  if (!found) return undefined
  const { is_use_noted, is_pending, is_disabled, plan, connection_id, token_id, ...site } = found
  if (!is_use_noted) noteUse(db, connection_id, token_id)
  return { connection_id, token_id, site, is_pending, is_disabled, plan }
}

/** Tokens whose last_used_at is being written; concurrent calls with the same token skip the update. */
const noting = new Set<string>()

function noteUse(db: Database, connection_id: string, token_id: string) {
  if (noting.has(token_id)) return
  noting.add(token_id)
  db.pool`
    update sso.scim_tokens set last_used_at = clock_timestamp()
     where token_id = ${token_id} and connection_id = ${connection_id}`
    .catch((error: unknown) => db.noteFailure(error))
    .finally(() => noting.delete(token_id))
}
