import { Resolver } from 'node:dns/promises'
import { Type } from 'typebox'
import type { Lane } from '#foundation/database/database.ts'
import { conflict } from '#foundation/errors.ts'
import type { openOutbound } from '#foundation/outbound/outbound.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { sitesOfAdmin } from '../../core/access/access.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { outboundPolicies } from '../../events/webhooks/policy.ts'
import { lockSite, siteRefused } from '../../core/access/managed-site.ts'

/** The records a site can publish to prove its domain; one of the two is enough. */
export const DomainProof = Type.Object({
  domain: Type.String(),
  verified: Type.Boolean(),
  txt_name: Type.String(),
  txt_value: Type.String(),
  file_url: Type.String(),
  file_content: Type.String(),
})
export const VerifyBody = Type.Object({ method: OneOf(['dns', 'file'], { default: 'dns' }) })

/** The TXT records of a name, each joined into one string. */
export type ResolveTxt = (name: string) => Promise<string[]>
/** Replaced in tests: DNS resolution, and the port of the tested web server. */
export type DomainEdges = {
  outbound: ReturnType<typeof openOutbound>
  resolveTxt?: ResolveTxt
  port?: number
}

type Claimed = { site_id: string; domain: string; environment: 'sandbox' | 'production'; verified: boolean }

/** The records an ADMIN has to publish. 403, 404. */
export async function readDomainProof({ database, keys }: SsoParts, caller: Caller, site_id: string) {
  return proofOf(keys, await requireClaim(database.fast, caller, site_id))
}

/**
 * Checks the proof and marks the domain as verified until it changes. 403, 404, 409 domain_unverified while the proof
 * is missing.
 */
export async function verifySiteDomain(
  parts: SsoParts,
  { outbound, resolveTxt = askNameServers, port }: DomainEdges,
  caller: Caller,
  { site_id, method }: { site_id: string; method: 'dns' | 'file' },
  from: Origin,
) {
  const claim = await requireClaim(parts.database.fast, caller, site_id)
  const proof = proofOf(parts.keys, claim)
  if (claim.verified) return proof
  const isThere =
    method === 'dns'
      ? (await resolveTxt(proof.txt_name).catch((): string[] => [])).includes(proof.txt_value)
      : (await readFile(parts, { outbound, port }, claim, proof.file_url)) === proof.file_content
  if (!isThere)
    throw conflict(
      'domain_unverified',
      method === 'dns'
        ? `The TXT record ${proof.txt_name} does not hold ${proof.txt_value} yet`
        : `${proof.file_url} does not hold ${proof.file_content} yet`,
    )
  return parts.database.transaction(async (tx) => {
    const { environment } = await lockSite(tx, caller, site_id)
    const [verified] = await tx`
      update sso.sites set domain_verified_at = clock_timestamp(), version = version + 1, updated_at = clock_timestamp()
       where site_id = ${site_id} and domain = ${claim.domain} and domain_verified_at is null
      returning site_id`
    if (verified)
      await recordAct(
        tx,
        {
          action: 'site.domain_verified',
          environment,
          site_id,
          actor_user_id: caller.user_id,
          subject_user_id: null,
          details: { domain: claim.domain, method },
        },
        from,
      )
    return proofOf(parts.keys, await requireClaim(tx, caller, site_id))
  })
}

async function requireClaim(sql: Lane, caller: Caller, site_id: string): Promise<Claimed> {
  const [claim] = await sql<Claimed[]>`
    select i.site_id, i.domain, i.environment, i.domain_verified_at is not null as verified from sso.sites i
     where i.site_id = ${site_id} and i.deleted_at is null and i.site_id in (${sitesOfAdmin(sql, caller)})`
  return claim ?? siteRefused(sql, caller, site_id)
}

/** Bound to site and domain, so that a proof cannot be reused for another. */
function proofOf(keys: SsoParts['keys'], { site_id, domain, verified }: Claimed) {
  const value = `lyceum-site=${keys.derive(`domain of a site/${site_id}/${domain}`).toString('base64url')}`
  return {
    domain,
    verified,
    txt_name: `_lyceum.${domain}`,
    txt_value: value,
    file_url: `https://${domain}/.well-known/lyceum-site.txt`,
    file_content: value,
  }
}

async function readFile(
  parts: SsoParts,
  { outbound, port }: Pick<DomainEdges, 'outbound'> & { port: number | undefined },
  { site_id, environment }: Claimed,
  file_url: string,
): Promise<string | undefined> {
  const address = new URL(file_url)
  if (port !== undefined) address.port = String(port)
  const url = address.href
  const policy = outboundPolicies(parts)(environment)
  const reply = await outbound.send({
    url,
    method: 'GET',
    headers: {},
    policy,
    partition: site_id,
    maxBodyBytes: 1_024,
  })
  return reply.ok && reply.status === 200 && reply.isComplete ? reply.body.toString('utf8').trim() : undefined
}

/** Queries the configured name servers, without a cache. */
async function askNameServers(name: string): Promise<string[]> {
  const records = await new Resolver({ timeout: 1_500, tries: 2 }).resolveTxt(name)
  return records.map((parts) => parts.join(''))
}
