import { isDeepStrictEqual } from 'node:util'
import type { Static } from 'typebox'
import { type Database, type Lane, one, type Tx } from '#foundation/database/database.ts'
import { conflict, notFound, unprocessable } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { offsetOf, page, type PageQuery } from '#foundation/http/paging.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { type Act, recordAct } from '../../core/audit/audit.ts'
import { refuseStale } from '../../core/stale.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { lockPlanned, requirePlanned } from './access.ts'
import { addressesOf } from './addresses.ts'
import { insertEncryptionKey, newEncryptionKey } from './encryption-keys.ts'
import {
  checkSource,
  type Connection,
  type ConnectionBody,
  type ConnectionChange,
  metadataFault,
} from './fields.ts'
import { queueMappingChange } from './mapping-change.ts'
import type { Provider } from './provider.ts'
import type { ProviderCalls } from './provider-calls.ts'

const MAX_CONNECTIONS = 20

/** An ADMIN, and the origin of the request. */
export type By = { caller: Caller; from: Origin }
export type Ids = { site_id: string; connection_id: string }
type Calls = { parts: SsoParts; calls: ProviderCalls }

type Row = Omit<
  Static<typeof Connection>,
  'start_url' | 'redirect_uri' | 'backchannel_logout_uri' | 'sp_entity_id' | 'acs_url' | 'slo_url'
>

const columns = (sql: Lane) => sql`
  c.connection_id, c.site_id, c.type, c.name, c.status, c.issuer, c.client_id,
  c.client_secret_enc is not null as has_client_secret, c.metadata_url, c.metadata_xml is not null as has_metadata_xml,
  c.attribute_mapping, c.role_attribute, c.role_mapping, c.required_signature, c.version, c.created_at, c.updated_at,
  coalesce((
    select jsonb_agg(jsonb_build_object(
             'key_id', k.key_id, 'certificate', k.certificate, 'created_at', foundation.iso(k.created_at),
             'ends_at', foundation.iso(k.ends_at)) order by k.created_at desc, k.key_id)
      from sso.connection_keys k
     where k.connection_id = c.connection_id
       and coalesce(k.ends_at > statement_timestamp(), true)), '[]') as encryption_keys,
  coalesce((
    select jsonb_agg(jsonb_build_object(
             'domain', d.domain, 'txt_name', '_lyceum-challenge.' || d.domain,
             'txt_value', 'lyceum-verification=' || d.challenge, 'verified_at', foundation.iso(d.verified_at),
             'verified_by', d.verified_by) order by d.domain)
      from sso.connection_domains d where d.connection_id = c.connection_id), '[]') as domains`

/** A connection with the addresses of its protocol. `address` is the public address of the sso. */
export function shown(row: Row, address: string): Connection {
  const { start_url, redirect_uri, backchannel_logout_uri, ...saml } = addressesOf(address, row.connection_id)
  const { required_signature: _signature, encryption_keys: _keys, ...both } = row
  return row.type === 'oidc'
    ? { ...both, start_url, redirect_uri, backchannel_logout_uri }
    : { ...row, start_url, ...saml }
}

const sealSecret = (keys: MasterKeys, connection_id: string, secret: string | null | undefined) =>
  secret === null || secret === undefined ? null : keys.seal(Buffer.from(secret), connection_id)

/** Creates a connection of a site. 403, 404, 403 plan_required; 409 connection_limit; 422 for an invalid source. */
export async function createConnection(
  { parts: { database, keys }, calls }: Calls,
  by: By,
  site_id: string,
  body: ConnectionBody,
): Promise<Row> {
  const { caller } = by
  const { type, name, attribute_mapping = {}, role_attribute = null, role_mapping = [], ...source } = body
  const { required_signature = 'either' } = source
  const { environment } = await requirePlanned(database.fast, caller, site_id)
  checkSource({ type, environment, ...source }, await metadataFault(source.metadata_xml))
  const { issuer = null, client_id = null, client_secret, metadata_url = null, metadata_xml = null } = source
  await vetAddresses(calls, { issuer, metadata_url }, environment)
  const connection_id = newId()
  const key = type === 'saml' ? await newEncryptionKey(keys, connection_id) : undefined
  return database.transaction(async (tx) => {
    const site = await lockPlanned(tx, caller, site_id)
    await requireRoles(tx, site_id, role_mapping)
    const { total } = one(
      await tx<{ total: number }[]>`select count(*) as total from sso.connections where site_id = ${site_id}`,
    )
    if (total >= MAX_CONNECTIONS)
      throw conflict('connection_limit', `A site has at most ${MAX_CONNECTIONS} connections`)
    await tx`
      insert into sso.connections (connection_id, site_id, type, name, issuer, client_id, client_secret_enc, metadata_url,
                                   metadata_xml, attribute_mapping, role_attribute, role_mapping, required_signature)
      values (${connection_id}, ${site_id}, ${type}, ${name}, ${issuer}, ${client_id},
              ${sealSecret(keys, connection_id, client_secret)}, ${metadata_url}, ${metadata_xml},
              ${tx.json(attribute_mapping)}, ${role_attribute}, ${tx.json(role_mapping)}, ${required_signature})`
    if (key) await insertEncryptionKey(tx, connection_id, key)
    await note(tx, by, site, { action: 'connection.created', details: { connection_id } })
    return one(
      await tx<Row[]>`select ${columns(tx)} from sso.connections c where c.connection_id = ${connection_id}`,
    )
  })
}

/** The connections of a site, oldest first. 403, 404, 403 plan_required. */
export async function listConnections({ fast }: Database, caller: Caller, site_id: string, query: PageQuery) {
  await requirePlanned(fast, caller, site_id)
  const [items, count] = await Promise.all([
    fast<Row[]>`
      select ${columns(fast)} from sso.connections c where c.site_id = ${site_id}
       order by c.created_at, c.connection_id limit ${query.per_page} offset ${offsetOf(query)}`,
    fast<{ total: number }[]>`select count(*) as total from sso.connections where site_id = ${site_id}`,
  ])
  return page([...items], one(count).total, query)
}

/** One connection. 403, 404, 403 plan_required. */
export async function readConnection(
  sql: Lane,
  caller: Caller,
  { site_id, connection_id }: Ids,
): Promise<Row> {
  await requirePlanned(sql, caller, site_id)
  const [row] = await sql<Row[]>`
    select ${columns(sql)} from sso.connections c
     where c.connection_id = ${connection_id} and c.site_id = ${site_id}`
  if (!row) throw notFound()
  return row
}

/**
 * Changes a connection; absent fields stay. A secret belongs to its issuer, so a new issuer needs a new secret. 403,
 * 404, 409 version_conflict, 422.
 */
export async function changeConnection(
  { parts: { database, keys }, calls }: Calls,
  by: By,
  ids: Ids,
  { version, if_match, ...change }: ConnectionChange & { if_match: string | undefined },
): Promise<Row> {
  const { caller } = by
  const { connection_id } = ids
  const { environment } = await requirePlanned(database.fast, caller, ids.site_id)
  await vetAddresses(calls, change, environment)
  const fault = await metadataFault(change.metadata_xml)
  return database.transaction(async (tx) => {
    const site = await lockPlanned(tx, caller, ids.site_id)
    const before = await lockConnection(tx, ids)
    refuseStale(before.version, { version, if_match })
    // A new source replaces the other kind.
    const swapped =
      change.metadata_xml !== undefined
        ? { metadata_url: null }
        : change.metadata_url !== undefined && { metadata_xml: null }
    const next = { ...before, ...swapped, ...change }
    checkSource({ ...next, environment, type: before.type }, fault)
    await requireRoles(tx, ids.site_id, change.role_mapping ?? [])
    const hasMoved = next.issuer !== before.issuer
    if (hasMoved && before.client_secret_enc && change.client_secret === undefined)
      throw unprocessable('client_secret', 'required', 'must be given anew with another issuer')
    const secret =
      change.client_secret === undefined
        ? before.client_secret_enc
        : sealSecret(keys, connection_id, change.client_secret)
    const rows = await tx<Row[]>`
      update sso.connections c
         set name = ${next.name}, status = ${next.status}, issuer = ${next.issuer}, client_id = ${next.client_id},
             client_secret_enc = ${secret}, metadata_url = ${next.metadata_url}, metadata_xml = ${next.metadata_xml},
             attribute_mapping = ${tx.json(next.attribute_mapping)}, role_attribute = ${next.role_attribute},
             role_mapping = ${tx.json(next.role_mapping)}, required_signature = ${next.required_signature},
             version = version + 1, updated_at = clock_timestamp()
       where c.connection_id = ${connection_id} and c.site_id = ${ids.site_id}
      returning ${columns(tx)}`
    if (change.role_mapping && !isDeepStrictEqual(change.role_mapping, before.role_mapping))
      await queueMappingChange(tx, { ...ids, before: before.role_mapping })
    const details = { connection_id, fields: Object.keys(change) }
    await note(tx, by, site, { action: 'connection.changed', details })
    return one(rows)
  })
}

/**
 * Deletes a connection with its identities. People and sessions stay; a person without another way in asks for a new
 * password. 403, 404.
 */
export async function deleteConnection({ database }: SsoParts, by: By, ids: Ids): Promise<void> {
  const { site_id, connection_id } = ids
  await database.transaction(async (tx) => {
    const site = await lockPlanned(tx, by.caller, site_id)
    await lockConnection(tx, ids)
    await tx`delete from sso.connections where connection_id = ${connection_id} and site_id = ${site_id}`
    await note(tx, by, site, { action: 'connection.deleted', details: { connection_id } })
  })
}

type Stored = Omit<Provider, keyof Ids | 'site_code' | 'environment' | 'plan'> & {
  name: string
  version: number
}

/** Locks a connection, in a transaction that holds the lock on the site. 404. */
export async function lockConnection(tx: Tx, { site_id, connection_id }: Ids): Promise<Stored> {
  const [stored] = await tx<Stored[]>`
    select type, name, status, issuer, client_id, client_secret_enc, metadata_url, metadata_xml, attribute_mapping,
           role_attribute, role_mapping, required_signature, version
      from sso.connections where connection_id = ${connection_id} and site_id = ${site_id} for update`
  if (!stored) throw notFound()
  return stored
}

type Addresses = { issuer?: string | null | undefined; metadata_url?: string | null | undefined }

async function vetAddresses(calls: ProviderCalls, given: Addresses, environment: 'sandbox' | 'production') {
  for (const field of ['issuer', 'metadata_url'] as const) {
    const url = given[field]
    if (url !== null && url !== undefined) await calls.vet(field, url, environment)
  }
}

async function requireRoles(tx: Tx, site_id: string, rules: readonly { role: string }[]): Promise<void> {
  const roles = [...new Set(rules.map(({ role }) => role))]
  const { known } = one(
    await tx<{ known: number }[]>`
      select count(*) as known from sso.roles where site_id = ${site_id} and role = any(${roles})`,
  )
  if (known < roles.length)
    throw unprocessable('role_mapping', 'unknown_role', 'must name roles of the site (GET /roles)')
}

type Noted = {
  action: Extract<Act['action'], `connection.${string}`>
  details: Record<string, string | string[]>
}

/** Writes to the audit log of the site. */
export const note = (
  tx: Tx,
  { caller, from }: By,
  { site_id, environment }: Pick<Act, 'site_id' | 'environment'>,
  noted: Noted,
) =>
  recordAct(
    tx,
    { ...noted, environment, site_id, actor_user_id: caller.user_id, subject_user_id: null },
    from,
  )
