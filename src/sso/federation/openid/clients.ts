import { type Static, Type } from 'typebox'
import { type Lane, one, type Tx } from '#foundation/database/database.ts'
import { notFound, unprocessable } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import { CLIENT_SCOPES } from '#foundation/security/powers.ts'
import { Nullable, OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { refuseStale } from '../../core/stale.ts'
import { type LockedSite, lockSite, siteRefused } from '../../core/access/managed-site.ts'
import { requirePerson, sitesOfAdmin } from '../../core/access/access.ts'
import { checkAddress } from '../../partners/sites/fields.ts'
import { requireManaged } from '../../events/webhooks/access.ts'
import type { VetUrl } from '../../events/webhooks/endpoints.ts'

/** An ADMIN, and the origin of the request. */
type By = { caller: Caller; from: Origin }

const Address = Type.String({ minLength: 1, maxLength: 2_048 })

export type ClientBody = Static<typeof ClientBody>
export const ClientBody = Type.Object({
  redirect_uris: Type.Array(Address, { maxItems: 20 }),
  post_logout_redirect_uris: Type.Array(Address, { maxItems: 20, default: [] }),
  backchannel_logout_uri: Type.Optional(Nullable(Address)),
  /** The scopes of the site's own back end without a person (client_credentials). */
  scopes: Type.Array(OneOf([...CLIENT_SCOPES]), {
    uniqueItems: true,
    maxItems: CLIENT_SCOPES.length,
    default: [],
  }),
  /** A client with a secret may go without PKCE, as the certification tests of the OpenID Foundation do. */
  requires_pkce: Type.Boolean({ default: true }),
})

export type OpenIdClient = Static<typeof OpenIdClient>
export const OpenIdClient = Type.Object({
  site_id: Uuid,
  client_id: Type.String(),
  issuer: Type.String(),
  redirect_uris: Type.Array(Type.String()),
  post_logout_redirect_uris: Type.Array(Type.String()),
  backchannel_logout_uri: Nullable(Type.String()),
  scopes: Type.Array(Type.String()),
  requires_pkce: Type.Boolean(),
  version: Type.Integer(),
  created_at: Time,
  updated_at: Time,
})
/** The only response that contains the secret. */
export const NewOpenIdClient = Type.Object({ ...OpenIdClient.properties, client_secret: Type.String() })

type Row = Omit<OpenIdClient, 'issuer'> & { environment: 'sandbox' | 'production' }

/** The OpenID client of a site, for its ADMIN. 403, 404 if the site has none. */
export async function readClient(
  { database, tokens }: SsoParts,
  caller: Caller,
  site_id: string,
): Promise<OpenIdClient> {
  const { fast } = database
  const [row] = await fast<Row[]>`
    select ${columns(fast)}
      from sso.openid_clients c join sso.sites i using (site_id)
     where c.site_id = ${site_id} and i.site_id in (${sitesOfAdmin(fast, caller)})`
  if (row) return shown(tokens, row)
  const [managed] = await fast`
    select from sso.sites i where i.site_id = ${site_id} and i.site_id in (${sitesOfAdmin(fast, caller)})`
  if (managed) throw notFound('OpenID client')
  return siteRefused(fast, caller, site_id)
}

/**
 * Creates the site's client or replaces its settings; `client_secret` is present only if it was created now. 403, 404,
 * 422 for an address the environment does not allow, 409 version_conflict for another version than If-Match.
 */
export async function putClient(
  { parts, vetUrl, if_match }: { parts: SsoParts; vetUrl: VetUrl; if_match?: string | undefined },
  by: By,
  site_id: string,
  {
    redirect_uris,
    post_logout_redirect_uris,
    backchannel_logout_uri = null,
    scopes,
    requires_pkce,
  }: ClientBody,
) {
  const { caller } = by
  requirePerson(caller)
  if (redirect_uris.length === 0 && scopes.length === 0)
    throw unprocessable('redirect_uris', 'required', 'or scopes must be given')
  // We call this address, unlike the others, so it is vetted like a webhook, before anything is locked.
  if (backchannel_logout_uri !== null) {
    const { environment } = await requireManaged(parts.database.fast, caller, { site_id })
    await vetUrl(backchannel_logout_uri, environment, 'backchannel_logout_uri')
  }
  return parts.database.transaction(async (tx) => {
    const site = await lockSite(tx, caller, site_id)
    for (const [field, addresses] of Object.entries({ redirect_uris, post_logout_redirect_uris }))
      for (const address of addresses) checkAddress(field, address, site.environment, parts.config)
    if (new Set(redirect_uris).size < redirect_uris.length)
      throw unprocessable('redirect_uris', 'repeated', 'must name each address once')
    const [had] = await clientOf(tx, site_id)
    refuseStale(had?.version ?? 0, { if_match })
    const client_secret = newSecret()
    const [{ is_new } = { is_new: false }] = await tx<{ is_new: boolean }[]>`
      insert into sso.openid_clients as c (site_id, secret_hash, redirect_uris, post_logout_redirect_uris, backchannel_logout_uri,
                                           scopes, requires_pkce, client_session)
      values (${site_id}, ${sha256(client_secret)}, ${redirect_uris}, ${post_logout_redirect_uris}, ${backchannel_logout_uri},
              ${scopes.toSorted()}, ${requires_pkce}, ${newId()})
      on conflict (site_id) do update
         set redirect_uris = excluded.redirect_uris, post_logout_redirect_uris = excluded.post_logout_redirect_uris,
             backchannel_logout_uri = excluded.backchannel_logout_uri, scopes = excluded.scopes,
             requires_pkce = excluded.requires_pkce,
             client_session = case when c.scopes = excluded.scopes then c.client_session else excluded.client_session end,
             version = c.version + 1,
             updated_at = clock_timestamp()
      returning version = 1 as is_new`
    await note(tx, is_new ? 'created' : 'changed', site, by)
    const client = shown(parts.tokens, one(await clientOf(tx, site_id)))
    return { is_new, client: is_new ? { ...client, client_secret } : client }
  })
}

/** Issues a new secret. The old one and the back end's tokens issued with it stop working now. 403, 404. */
export async function renewSecret(parts: SsoParts, by: By, site_id: string) {
  requirePerson(by.caller)
  return parts.database.transaction(async (tx) => {
    const site = await lockSite(tx, by.caller, site_id)
    const client_secret = newSecret()
    const changed = await tx`
      update sso.openid_clients
         set secret_hash = ${sha256(client_secret)}, client_session = ${newId()}, version = version + 1, updated_at = clock_timestamp()
       where site_id = ${site_id}`
    if (changed.count === 0) throw notFound('OpenID client')
    await note(tx, 'secret_renewed', site, by)
    return { ...shown(parts.tokens, one(await clientOf(tx, site_id))), client_secret }
  })
}

/** Deletes the site's client; its sessions continue until they end. 403, 404. */
export async function deleteClient(parts: SsoParts, by: By, site_id: string) {
  requirePerson(by.caller)
  await parts.database.transaction(async (tx) => {
    const site = await lockSite(tx, by.caller, site_id)
    const deleted = await tx`delete from sso.openid_clients where site_id = ${site_id}`
    if (deleted.count === 0) throw notFound('OpenID client')
    await note(tx, 'deleted', site, by)
  })
}

const newSecret = () => randomToken('oidc_')

const columns = (sql: Lane) => sql`
  c.site_id, i.site_code as client_id, i.environment, c.redirect_uris, c.post_logout_redirect_uris,
  c.backchannel_logout_uri, c.scopes, c.requires_pkce, c.version, c.created_at, c.updated_at`

const clientOf = (tx: Tx, site_id: string) => tx<Row[]>`
  select ${columns(tx)} from sso.openid_clients c join sso.sites i using (site_id) where c.site_id = ${site_id}`

const shown = (tokens: SsoParts['tokens'], { environment, ...row }: Row): OpenIdClient => ({
  ...row,
  issuer: tokens.issuer(environment),
})

type Acted = 'created' | 'changed' | 'secret_renewed' | 'deleted'

const note = (tx: Tx, acted: Acted, { environment, site_id }: LockedSite, { caller, from }: By) => {
  const who = { actor_user_id: caller.user_id, subject_user_id: null }
  return recordAct(tx, { action: `openid_client.${acted}`, environment, site_id, ...who }, from)
}
