import { type Static, Type } from 'typebox'
import { type Database, one } from '#foundation/database/database.ts'
import { conflict, notFound } from '#foundation/errors.ts'
import { offsetOf, page, type PageQuery } from '#foundation/http/paging.ts'
import { Nullable, Time } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { lockSite } from '../../core/access/managed-site.ts'
import { hintOf, newSiteKey, storeSiteKey } from '../../core/access/site-keys.ts'
import { requireSite } from './sites.ts'

export type SiteKey = Static<typeof SiteKey>
/** A site key as listed for the ADMIN; `hint` is its last four characters. */
export const SiteKey = Type.Object({ hint: Type.String(), created_at: Time, last_used_at: Nullable(Time) })
/** The key itself is shown only here. */
export const NewSiteKey = Type.Object({ site_key: Type.String(), ...SiteKey.properties })

const MAX_KEYS = 2

/** The live keys of a site, oldest first. 404, 403. */
export async function listKeys(db: Database, caller: Caller, site_id: string, query: PageQuery) {
  await requireSite(db, caller, site_id)
  const [items, count] = await Promise.all([
    db.fast<SiteKey[]>`
      select hint, created_at, last_used_at from sso.site_keys
       where site_id = ${site_id} and revoked_at is null
       order by created_at, key_hash limit ${query.per_page} offset ${offsetOf(query)}`,
    db.fast<{ total: number }[]>`
      select count(*) as total from sso.site_keys where site_id = ${site_id} and revoked_at is null`,
  ])
  return page([...items], one(count).total, query)
}

/** Adds a second key, so that a partner can switch without downtime. 404, 403, 409 key_limit. */
export async function addKey({ database }: SsoParts, caller: Caller, site_id: string, from: Origin) {
  return database.transaction(async (tx) => {
    const { environment } = await lockSite(tx, caller, site_id)
    const live = await tx<{ hint: string }[]>`
      select hint from sso.site_keys where site_id = ${site_id} and revoked_at is null`
    if (live.length >= MAX_KEYS)
      throw conflict(
        'key_limit',
        `A site has at most ${MAX_KEYS} keys, delete the one that is no longer used`,
      )
    let site_key = newSiteKey(environment)
    while (live.some(({ hint }) => hint === hintOf(site_key))) site_key = newSiteKey(environment)
    const stored = await storeSiteKey(tx, site_id, site_key)
    await recordAct(
      tx,
      {
        action: 'site_key.created',
        environment,
        site_id,
        actor_user_id: caller.user_id,
        subject_user_id: null,
        details: { hint: stored.hint },
      },
      from,
    )
    return { site_key, ...stored }
  })
}

/** Revokes a key; it is refused as soon as this call has answered. 404, 403, 409 last_key. */
export async function deleteKey(
  { database }: SsoParts,
  caller: Caller,
  { site_id, hint }: { site_id: string; hint: string },
  from: Origin,
) {
  await database.transaction(async (tx) => {
    const { environment } = await lockSite(tx, caller, site_id)
    const live = await tx<{ hint: string }[]>`
      select hint from sso.site_keys where site_id = ${site_id} and revoked_at is null`
    if (!live.some((key) => key.hint === hint)) throw notFound()
    if (live.length === 1)
      throw conflict('last_key', 'The last key of a site cannot be deleted, make another one first')
    await tx`
      update sso.site_keys set revoked_at = clock_timestamp()
       where site_id = ${site_id} and hint = ${hint} and revoked_at is null`
    await recordAct(
      tx,
      {
        action: 'site_key.deleted',
        environment,
        site_id,
        actor_user_id: caller.user_id,
        subject_user_id: null,
        details: { hint },
      },
      from,
    )
  })
}
