import type { Identity, Profile } from '#foundation/security/session-gate.ts'
import type { Viewer } from './access/access.ts'

export type Names = Pick<Identity, 'profiles' | 'personNamed'>
/** People per question to the sso. */
const AT_ONCE = 100

/** The profiles of people of the tenant by id. Erased people and those of other tenants are left out. */
export async function profilesById(
  { profiles }: Pick<Names, 'profiles'>,
  tenant_id: string,
  user_ids: readonly string[],
): Promise<Map<string, Profile>> {
  const ids = [...new Set(user_ids)]
  const asked: Promise<Profile[]>[] = []
  for (let at = 0; at < ids.length; at += AT_ONCE)
    asked.push(profiles(tenant_id, ids.slice(at, at + AT_ONCE)))
  return new Map((await Promise.all(asked)).flat().map((profile) => [profile.user_id, profile]))
}

/** The address of a person, for the viewer. One's own only to a token whose scope has it. */
export const addressFor = ({ user_id, email }: Viewer, profile: Profile | undefined): string | null =>
  (profile?.user_id === user_id ? email : profile?.email) || null

/** Adds the display name of each; null for whoever has none. */
export async function withNames<Row extends { user_id: string }>(
  names: Names,
  tenant_id: string,
  rows: readonly Row[],
): Promise<(Row & { display_name: string | null })[]> {
  const profiles = await profilesById(
    names,
    tenant_id,
    rows.map(({ user_id }) => user_id),
  )
  return rows.map((row) => ({ ...row, display_name: profiles.get(row.user_id)?.display_name ?? null }))
}
