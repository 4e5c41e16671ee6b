import type { Tx } from '#foundation/database/database.ts'
import { sitesOfAdmin } from '../../core/access/access.ts'
import { isOfOwnDomain } from '../../people/person/email-claims.ts'
import { isHeld } from '../../people/person/insert.ts'
import { wasErased } from './erased.ts'
import type { Import } from './imports.ts'
import type { Fault, Person } from './person.ts'

/**
 * A valid record with the account id: new, or of the existing member. The rest of the person stays in the staged row,
 * because most of it goes from table to table and is never read here.
 */
export type Candidate = Pick<Person, 'email' | 'email_verified' | 'must_reset_password'> & {
  row: number
  user_id: string
  email_fold: string
}

/**
 * A staged record with what the database knows of its e-mail address and names. A record with errors has no person.
 */
export type StagedRow = Candidate & {
  line: number
  faults: Fault[] | null
  /** The id of the person with this e-mail address. */
  known_id: string | null
  /**
   * The address belonged to a person erased since the upload, or its previous owner can still undo an e-mail change.
   */
  is_kept: boolean
  /** One of the uploader's people, or of a proven domain of the tenant, so that the answer tells nothing new. */
  is_own: boolean
  is_exclusive: boolean
  is_username_taken: boolean
  is_external_id_taken: boolean
}

/**
 * Reads the next records with their database state. Exclusive: a member of the site and of no site the uploader does
 * not administer, like `rightsOver`, but for many people at once. Members to be changed are locked first; joining a
 * site takes the same lock.
 */
export async function readBatch(
  tx: Tx,
  { job_id, site_id, tenant_id, environment, on_conflict, acting }: Import,
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
             bool_or(m.site_id in (select site_id from own)) as is_own,
             bool_and(m.site_id in (select site_id from own)) as is_own_only
        from sso.memberships m join sso.sites i using (site_id)
       where m.user_id = any(array(select known_id from known where known_id is not null)) and i.deleted_at is null
       group by m.user_id)
    select k.row, k.line, k.faults, k.user_id, k.email, k.email_fold, k.email_verified, k.must_reset_password,
           k.known_id, k.is_kept,
           coalesce(t.is_own, false) or ${isOfOwnDomain(tx, tenant_id, tx`k.email_fold`)} as is_own,
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

/** Whether there is an account. A reserved address is treated as if it still had an owner. */
const isKnown = ({ known_id, is_kept }: StagedRow) => known_id !== null || is_kept

/** The rows whose answer tells of an account that the uploader may not know of. */
export const tellingRows = (rows: readonly StagedRow[]) =>
  rows.flatMap((row) => (!row.faults && isKnown(row) && !row.is_own ? [row.row] : []))

/**
 * Sorts records: invalid, new, a member to update, skipped, or in conflict with existing data. After the last row that
 * may be answered, known and new people are refused alike.
 */
export function sortOut(
  { on_conflict }: Pick<Import, 'on_conflict'>,
  rows: readonly StagedRow[],
  last_answered: number,
) {
  const faults = new Map<number, Fault[]>()
  const creations: Candidate[] = []
  const updates: Candidate[] = []
  let skipped = 0
  for (const row of rows) {
    const { known_id, is_kept, is_exclusive, is_username_taken, is_external_id_taken } = row
    const is_known = isKnown(row)
    const refuse = (...all: Fault[]) => faults.set(row.row, all)
    if (row.faults) refuse(...row.faults)
    else if (!row.is_own && row.row > last_answered) refuse({ field: null, code: 'known_limit' })
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
