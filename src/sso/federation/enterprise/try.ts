import { X509Certificate } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { ApiError, notFound } from '#foundation/errors.ts'
import { Nullable } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import type { SsoParts } from '../../core/parts.ts'
import { type Ids, readConnection } from './connections.ts'
import { discover } from './oidc.ts'
import { findProvider, oidcOf, type Provider, samlOf } from './provider.ts'
import type { Line, ProviderCalls } from './provider-calls.ts'

export type Trial = Static<typeof Trial>
/** `problem` is a sentence for the ADMIN who sets up the connection; null if all is well. */
export const Trial = Type.Object({
  is_ok: Type.Boolean(),
  problem: Nullable(Type.String()),
  issuer: Nullable(Type.String()),
  sign_in_url: Nullable(Type.String()),
  /** When the first signing certificate of a SAML provider expires. */
  certificates_end_at: Nullable(Type.String()),
})

const NOTHING = { issuer: null, sign_in_url: null, certificates_end_at: null }

/** Reads the provider's metadata from its source, not from the cache. 403, 404, 502 idp_unreachable. */
export async function tryConnection(
  parts: SsoParts,
  calls: ProviderCalls,
  caller: Caller,
  ids: Ids,
): Promise<Trial> {
  await readConnection(parts.database.fast, caller, ids)
  const provider = await findProvider(parts.database, ids.connection_id)
  if (!provider) throw notFound()
  const line = calls.to(provider, { fromMemory: false })
  try {
    return await line.talk(() =>
      provider.type === 'oidc' ? tryOidc(parts, line, provider) : trySaml(line, provider),
    )
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    const cause = error.cause instanceof Error ? error.cause.message : error.detail
    return { is_ok: false, problem: cause.slice(0, 300), ...NOTHING }
  }
}

async function tryOidc({ keys }: SsoParts, line: Line, provider: Provider): Promise<Trial> {
  const { issuer, authorization_endpoint, token_endpoint, jwks_uri } = (
    await discover(line, oidcOf(keys, provider))
  ).serverMetadata()
  if (authorization_endpoint === undefined || token_endpoint === undefined || jwks_uri === undefined)
    throw new Error('the discovery names no authorization, token or key address')
  const answer = await line.fetch(jwks_uri, { method: 'GET', headers: { accept: 'application/json' } })
  const { keys: published } = (await answer.json()) as { keys?: unknown }
  if (!Array.isArray(published) || published.length === 0) throw new Error('the provider publishes no keys')
  return {
    is_ok: true,
    problem: null,
    issuer,
    sign_in_url: authorization_endpoint,
    certificates_end_at: null,
  }
}

async function trySaml(line: Line, provider: Provider): Promise<Trial> {
  const { entity_id: issuer, sign_in_url, certificates } = await samlOf(line, provider)
  const ends = certificates.map((pem) => Date.parse(new X509Certificate(pem).validTo))
  const certificates_end_at = new Date(Math.min(...ends)).toISOString()
  return { is_ok: true, problem: null, issuer, sign_in_url, certificates_end_at }
}
