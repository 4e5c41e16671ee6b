import type { Tx } from '#foundation/database/database.ts'
import { profileColumns, REGISTERED_FIELDS } from '../../core/profile.ts'
import { claimEmails, domainOf } from '../../people/person/email-claims.ts'
import { type Fact, recordFacts } from '../../events/facts/facts.ts'
import { roleAssigned, userCreated } from '../../events/facts/telling.ts'
import type { Import } from './imports.ts'
import type { Candidate } from './sort-out.ts'

/** People per fan-out job: a fan-out is one transaction, with an event for each site of the network. */
const TOLD_TOGETHER = 50

type Created = {
  user_id: string
  email: string
  email_verified: boolean
  display_name: string | null
  created_at: string
  role: string
  permissions: string[]
  assigned_by: string
  assigned_at: string
  is_asked: boolean
}

/**
 * Creates the accounts and memberships of a batch; it hashes, mails and bills nothing. A verified address is stored as
 * the tenant's claim, never as our own verification.
 */
export async function createPeople(tx: Tx, task: Import, people: readonly Candidate[]): Promise<void> {
  const { job_id, site_id, environment, acting } = task
  if (people.length === 0) return
  const isOne = tx`g.job_id = ${job_id} and g.row = any(${people.map(({ row }) => row)}::int[])`
  await tx`
    insert into sso.users (user_id, environment, email, email_fold, username_fold, password_hash, registration_site_id,
                           registration_source, ${profileColumns(tx, undefined, REGISTERED_FIELDS)})
    select user_id, ${environment}, email, email_fold, username_fold, password_hash, ${site_id}, 'bulk_import',
           ${profileColumns(tx, 'g', REGISTERED_FIELDS)}
      from sso.bulk_rows g where ${isOne} order by row`
  const claims = people.filter(({ email_verified }) => email_verified)
  await claimEmails(
    tx,
    task.tenant_id,
    claims.map(({ user_id, email, email_fold }) => ({ user_id, email_fold, domain: domainOf(email) })),
  )
  const join = tx`
      insert into sso.memberships (user_id, site_id, role, external_id, assigned_by)
      select g.user_id, r.site_id, r.role, g.external_id, ${acting.user_id}
        from sso.bulk_rows g
        join sso.roles r on r.site_id = ${site_id} and case when g.role is null then r.is_default else r.role = g.role end
       where ${isOne}
       order by g.row`
  // Nobody reads the members back unless their sites are told.
  if (!task.emit_events) return requireAll(people, (await join).count)
  const created = await tx<Created[]>`
    with joined as (
      ${join}
      returning user_id, role, user_created_at, assigned_by, assigned_at)
    select g.user_id, g.email, g.email_verified, g.display_name, j.user_created_at as created_at, j.role,
           j.assigned_by, j.assigned_at, r.permissions, g.role is not null as is_asked
      from sso.bulk_rows g join joined j using (user_id) join sso.roles r on r.site_id = ${site_id} and r.role = j.role
     where ${isOne}
     order by g.row`
  requireAll(people, created.length)
  await tell(tx, task, created)
}

function requireAll(people: readonly Candidate[], joined: number) {
  if (joined !== people.length) throw new Error('a role of the site is gone')
}

async function tell(tx: Tx, task: Import, created: readonly Created[]) {
  for (let from = 0; from < created.length; from += TOLD_TOGETHER)
    await recordFacts(
      tx,
      created.slice(from, from + TOLD_TOGETHER).flatMap((person): Fact[] => [
        userCreated(task, { ...person, registration_source: 'bulk_import' }),
        // Every account gets the default role, so only a role named in the file counts as role.assigned.
        ...(person.is_asked ? [roleAssigned(task, person)] : []),
      ]),
    )
}
