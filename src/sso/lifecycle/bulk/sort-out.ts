import type { Tx } from '#foundation/database.ts'
import { sitesOfAdmin } from '../../core/access/access.ts'
import { isHeld } from '../../people/person/insert.ts'
import { wasErased } from './erased.ts'
import type { Fault } from './person.ts'
import type { Candidate, Import } from './task.ts'
import type { Update } from './update.ts'

type Known = {
  row: number
  /** Whose e-mail address it is. */
  known_id: string | null
  /** Theirs was erased since the upload, or moved lately by somebody who may still come back to it. */
  is_kept: boolean
  is_exclusive: boolean
  is_username_taken: boolean
  is_external_id_taken: boolean
}

/**
 * What is known of the e-mail addresses and names of a batch. Exclusive is a member of the site and of no site that the
 * uploader does not administer: as `rightsOver`, for many at once.
 * Where members are to be changed they are locked first, which joining a site waits for as well.
 */
export async function findKnown(tx: Tx, task: Import, candidates: readonly Candidate[]): Promise<Known[]> {
  const { job_id, site_id, environment, on_conflict, acting } = task
  const keys = candidates.map(({ row, email_fold, username_fold, external_id }) => ({
    row,
    email_fold,
    username_fold,
    external_id,
  }))
  if (on_conflict === 'update')
    await tx`
      select from sso.users
       where environment = ${environment} and status <> 'deleted'
         and email_fold = any(${keys.map(({ email_fold }) => email_fold)})
       order by user_id for no key update`
  return tx<Known[]>`
    with known as materialized (
      select k.row, k.username_fold, k.external_id, u.user_id as known_id,
             ${wasErased(tx, job_id, tx`k.email_fold`)}
               or u.user_id is null and ${isHeld(tx, environment, tx`k.email_fold`)} as is_kept
        from json_to_recordset(${JSON.stringify(keys)}::text::json) as k (
             row int, email_fold text, username_fold text, external_id text)
        left join sso.users u
          on u.environment = ${environment} and u.email_fold = k.email_fold and u.status <> 'deleted'),
    own as materialized (${sitesOfAdmin(tx, acting)}),
    theirs as (
      select m.user_id, bool_or(m.site_id = ${site_id}) as is_member,
             bool_and(m.site_id in (select site_id from own)) as is_own_only
        from sso.memberships m join sso.sites i using (site_id)
       where m.user_id = any(array(select known_id from known where known_id is not null)) and i.deleted_at is null
         and ${on_conflict} = 'update'
       group by m.user_id)
    select k.row, k.known_id, k.is_kept,
           coalesce(t.is_member and t.is_own_only, false) as is_exclusive,
           exists (select from sso.users o
                    where o.environment = ${environment} and o.username_fold = k.username_fold and o.status <> 'deleted'
                      and o.user_id is distinct from k.known_id) as is_username_taken,
           exists (select from sso.memberships o
                    where o.site_id = ${site_id} and o.external_id = k.external_id
                      and o.user_id is distinct from k.known_id) as is_external_id_taken
      from known k left join theirs t on t.user_id = k.known_id`
}

/** What becomes of each good record: it is new, a member to be changed, passed over, or in conflict with what there is. */
export function sortOut({ on_conflict }: Import, candidates: readonly Candidate[], known: readonly Known[]) {
  const found = new Map(known.map((one) => [one.row, one]))
  const faults = new Map<number, Fault[]>()
  const creations: Candidate[] = []
  const updates: Update[] = []
  let skipped = 0
  for (const candidate of candidates) {
    const { row } = candidate
    const {
      known_id = null,
      is_kept,
      is_exclusive,
      is_username_taken,
      is_external_id_taken,
    } = found.get(row) ?? {}
    // What a file says of an address that is kept free counts as if it were somebody's still.
    const is_known = known_id !== null || is_kept
    if (is_known && on_conflict === 'skip') skipped++
    else if (is_known && on_conflict === 'error') faults.set(row, [{ field: 'email', code: 'email_taken' }])
    else if (is_kept || (is_known && !is_exclusive))
      faults.set(row, [{ field: 'email', code: 'user_shared' }])
    else if (is_username_taken || is_external_id_taken)
      faults.set(row, [
        ...(is_username_taken ? [{ field: 'username', code: 'username_taken' } as const] : []),
        ...(is_external_id_taken ? [{ field: 'external_id', code: 'external_id_taken' } as const] : []),
      ])
    else if (known_id === null) creations.push(candidate)
    else updates.push({ ...candidate, user_id: known_id })
  }
  return { faults, creations, updates, skipped }
}
