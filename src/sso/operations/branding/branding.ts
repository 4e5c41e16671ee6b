import { type Static, Type } from 'typebox'
import { type Database, type Lane, one } from '#foundation/database/database.ts'
import { unprocessable } from '#foundation/errors.ts'
import { Nullable } from '#foundation/http/schemas.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { requireOperator, requireOperatorNow } from '../../core/access/operator.ts'
import { recordAct } from '../../core/audit/audit.ts'
import { LYCEUM } from '../../core/pages/branding.ts'
import { contrastOn, LEAST_CONTRAST, schemesOf } from '../../core/pages/contrast.ts'
import type { Origin } from '../../core/parts.ts'
import { refuseStale } from '../../core/stale.ts'

type BrandingBody = Static<typeof BrandingBody>
export const BrandingBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 60 }),
  /** An https address. Visitors' browsers load it from there. */
  logo_url: Nullable(Type.String({ maxLength: 2_048 })),
  color: Nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
})
export type BrandingAnswer = Static<typeof BrandingAnswer>
export const BrandingAnswer = Type.Object({ ...BrandingBody.properties, version: Type.Integer() })

/** `version` 0: nobody set it. 403 for non-operators. */
export async function readBranding({ fast }: Database, caller: Caller): Promise<BrandingAnswer> {
  requireOperator(caller)
  const [row] = await rowsIn(fast)
  return row ?? { ...LYCEUM, version: 0 }
}

/** 403 for non-operators, 409 version_conflict, 422 contrast_too_low and for addresses that are no https address. */
export async function setBranding(
  { transaction }: Pick<Database, 'transaction'>,
  caller: Caller,
  body: BrandingBody,
  given: { if_match?: string | undefined; from: Origin },
): Promise<BrandingAnswer> {
  requireOperator(caller)
  const { name, logo_url, color } = checked(body)
  return transaction(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext('sso.branding'))`
    await requireOperatorNow(tx, caller)
    const [had] = await rowsIn(tx)
    refuseStale(had?.version ?? 0, given)
    await tx`
      insert into sso.branding as b (name, logo_url, color) values (${name}, ${logo_url}, ${color})
      on conflict (is_only) do update
         set name = excluded.name, logo_url = excluded.logo_url, color = excluded.color,
             version = b.version + 1, updated_at = clock_timestamp()`
    const { environment, site_id, user_id: actor_user_id } = caller
    const by = { environment, site_id, actor_user_id, subject_user_id: null }
    const details = { name, ...(logo_url !== null && { logo_url }), ...(color !== null && { color }) }
    await recordAct(tx, { action: 'branding.changed', ...by, details }, given.from)
    return one(await rowsIn(tx))
  })
}

const rowsIn = (sql: Lane) => sql<BrandingAnswer[]>`select name, logo_url, color, version from sso.branding`

function checked({ name, logo_url, color }: BrandingBody): BrandingBody {
  if (name.trim() === '') throw unprocessable('name', 'required', 'must not be blank')
  // The host becomes part of a Content-Security-Policy.
  if (logo_url !== null && !/^https:\/\/[a-z0-9.-]+(?::\d+)?\/[^\s"'<>\\]*$/i.test(logo_url))
    throw unprocessable('logo_url', 'https_address', 'must be an https address of a picture')
  const kept = color?.toLowerCase() ?? null
  if (kept !== null && contrastOn(kept) < LEAST_CONTRAST) {
    const has = contrastOn(kept).toFixed(1)
    throw unprocessable('color', 'contrast_too_low', `has a contrast of ${has} on light pages; 4.5 is needed`)
  }
  return { name: name.trim(), logo_url, color: kept }
}

/** The colours of both schemes, as a style sheet over hosted.css. */
export function styleOf(color: string): string {
  const { light, dark } = schemesOf(color)
  const rule = ({ accent, strong, ink }: typeof light) =>
    `:root{--accent:${accent};--accent-strong:${strong};--on-accent:${ink}}`
  return `${rule(light)}@media (prefers-color-scheme:dark){${rule(dark)}}`
}
