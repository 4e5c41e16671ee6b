import type { Tx } from '#foundation/database/database.ts'
import { sitesOfAdmin } from '../../core/access/access.ts'
import { profileColumns, REGISTERED_FIELDS } from '../../core/profile.ts'
import { isHeld } from '../../people/person/insert.ts'
import { wasErased } from './erased.ts'
import type { Import } from './imports.ts'
import type { Fault, Person } from './person.ts'

/** A good record with the keys it is found by and the id of its account: a new one, or that of the member it is about. */
export type Candidate = Person & { row: number; user_id: string; email_fold: string }

/** A staged record, and what is known of its e-mail address and names. With faults there is no person. */
export type StagedRow = Candidate & {
  line: number
  faults: Fault[] | null
  /** Whose e-mail address it is. */
  known_id: string | null
  /** Theirs was erased since the upload, or moved lately by somebody who may still come back to it. */
  is_kept: boolean
  is_exclusive: boolean
  is_username_taken: boolean
  is_external_id_taken: boolean
}

/**
 * The next records, and what is known of them. Exclusive is a member of the site and of no site that the uploader does not
 * administer: as `rightsOver`, for many at once. Where members are to be changed they are locked first, which joining a site
 * waits for as well.
 */
export async function readBatch(
  tx: Tx,
  { job_id, site_id, environment, on_conflict, acting }: Import,
  { after, limit }: { after: number; limit: number },
): Promise<StagedRow[]> {
  const isNext = tx`k.job_id = ${job_id} and k.row > ${after} and k.row <= ${after + limit}`
  if (on_conflict === 'update')
    await tx`
      select from sso.users u
       where u.environment = ${environment} and u.status <> 'deleted'
         and u.email_fold = any(array(select k.email_fold from sso.bulk_rows k where ${isNext}))
       order by u.user_id for no key update`
  return tx<StagedRow[]>`
    with known as materialized (
      select k.*, u.user_id as known_id,
             ${wasErased(tx, job_id, tx`k.email_fold`)}
               or u.user_id is null and ${isHeld(tx, environment, tx`k.email_fold`)} as is_kept
        from sso.bulk_rows k
        left join sso.users u
          on u.environment = ${environment} and u.email_fold = k.email_fold and u.status <> 'deleted'
       where ${isNext}),
    own as materialized (${sitesOfAdmin(tx, acting)}),
    theirs as (
      select m.user_id, bool_or(m.site_id = ${site_id}) as is_member,
             bool_and(m.site_id in (select site_id from own)) as is_own_only
        from sso.memberships m join sso.sites i using (site_id)
       where m.user_id = any(array(select known_id from known where known_id is not null)) and i.deleted_at is null
         and ${on_conflict} = 'update'
       group by m.user_id)
    select k.row, k.line, k.faults, k.user_id, k.email, k.email_fold, k.email_verified,
           ${profileColumns(tx, 'k', REGISTERED_FIELDS)}, k.external_id, k.role, k.password_hash, k.must_reset_password, k.known_id, k.is_kept,
           coalesce(t.is_member and t.is_own_only, false) as is_exclusive,
           exists (select from sso.users o
                    where o.environment = ${environment} and o.username_fold = k.username_fold and o.status <> 'deleted'
                      and o.user_id is distinct from k.known_id) as is_username_taken,
           exists (select from sso.memberships o
                    where o.site_id = ${site_id} and o.external_id = k.external_id
                      and o.user_id is distinct from k.known_id) as is_external_id_taken
      from known k left join theirs t on t.user_id = k.known_id
     order by k.row`
}

/** What becomes of each record: it is wrong, new, a member to be changed, passed over, or in conflict with what there is. */
export function sortOut({ on_conflict }: Pick<Import, 'on_conflict'>, rows: readonly StagedRow[]) {
  const faults = new Map<number, Fault[]>()
  const creations: Candidate[] = []
  const updates: Candidate[] = []
  let skipped = 0
  for (const row of rows) {
    const { known_id, is_kept, is_exclusive, is_username_taken, is_external_id_taken } = row
    // What a file says of an address that is kept free counts as if it were somebody's still.
    const is_known = known_id !== null || is_kept
    const refuse = (...all: Fault[]) => faults.set(row.row, all)
    if (row.faults) refuse(...row.faults)
    else if (is_known && on_conflict === 'skip') skipped++
    else if (is_known && on_conflict === 'error') refuse({ field: 'email', code: 'email_taken' })
    else if (is_kept || (is_known && !is_exclusive)) refuse({ field: 'email', code: 'user_shared' })
    else if (is_username_taken || is_external_id_taken)
      refuse(
        ...(is_username_taken ? [{ field: 'username', code: 'username_taken' } as const] : []),
        ...(is_external_id_taken ? [{ field: 'external_id', code: 'external_id_taken' } as const] : []),
      )
    else if (known_id === null) creations.push(row)
    else updates.push({ ...row, user_id: known_id })
  }
  return { faults, creations, updates, skipped }
}
