import type { Lane, Tx } from '#foundation/database/database.ts'

/**
 * Records the erasure for waiting and running imports, in the erasure's transaction and before the row is blanked: a
 * file uploaded earlier must not recreate the person.
 */
export async function noteErased(tx: Tx, user_id: string): Promise<void> {
  await tx`
    insert into sso.bulk_erased (job_id, email_digest)
    select j.job_id, ${digest(tx, tx`j.job_id`, tx`u.email_fold`)}
      from sso.users u join sso.sites i on i.environment = u.environment
      join sso.bulk_jobs j on j.site_id = i.site_id and j.finished_at is null
     where u.user_id = ${user_id} and u.email_fold is not null
     order by j.job_id
        on conflict do nothing`
}

/** SQL condition: the person with this address was erased after the import was uploaded. */
export const wasErased = (sql: Lane, job_id: string, email_fold: ReturnType<Lane>) => sql`
  exists (select from sso.bulk_erased e
           where e.job_id = ${job_id} and e.email_digest = ${digest(sql, sql`${job_id}::uuid`, email_fold)})`

const digest = (sql: Lane, job_id: ReturnType<Lane>, email_fold: ReturnType<Lane>) => sql`
  sha256(convert_to(${job_id}::text || ${email_fold}, 'UTF8'))`
