import { randomUUID } from 'node:crypto'
import { type Database, type Lane, one } from '#foundation/database/database.ts'
import { badRequest, forbidden, notFound } from '#foundation/errors.ts'
import type { Identity } from '#foundation/security/session-gate.ts'
import { editorOf, isEnrolled, isVisible, type Viewer } from '../access/access.ts'
import { readEnrollment } from '../enrollments/list.ts'
import type { CertificateRow } from './certificate.ts'

export type Issuer = Pick<Identity, 'profiles' | 'issuerOf'>

const columns = (sql: Lane) => sql`certificate_id, person_name, channel_id, channel_title, issuer, issued_at`

/**
 * The caller's certificate of a channel; made when there is none and the channel is passed. One that was made stays as
 * it is, whatever changes later. 404 for a channel that is not seen, 403 for who does not learn there, 400 before it is
 * passed and for a profile without a name.
 */
export async function issueCertificate(
  db: Database,
  identity: Issuer,
  viewer: Viewer,
  channel_id: string,
): Promise<{ isNew: boolean; certificate: CertificateRow }> {
  const { tenant_id, user_id } = viewer
  const [known] = await db.fast<CertificateRow[]>`
    select ${columns(db.fast)} from learning.certificates
     where tenant_id = ${tenant_id} and user_id = ${user_id} and channel_id = ${channel_id}`
  if (known) return { isNew: false, certificate: known }
  await requirePassed(db.fast, viewer, channel_id)
  const [[profile], issuer] = await Promise.all([
    identity.profiles(tenant_id, [user_id]),
    identity.issuerOf(tenant_id),
  ])
  const person_name = profile?.display_name?.trim()
  if (!person_name) throw badRequest('no_name', 'Your profile has no name for the certificate')
  const [row] = await db.pool<(CertificateRow & { is_new: boolean })[]>`
    insert into learning.certificates as k (
      tenant_id, user_id, channel_id, certificate_id, person_name, channel_title, issuer)
    select tenant_id, ${user_id}, id, ${randomUUID()}, ${person_name}, title, ${issuer} from learning.channels
     where tenant_id = ${tenant_id} and id = ${channel_id} and deleted_at is null
    on conflict (tenant_id, user_id, channel_id) do update set issued_at = k.issued_at
    returning ${columns(db.pool)}, xmax = 0 as is_new`
  if (!row) throw notFound()
  return { isNew: row.is_new, certificate: row }
}

async function requirePassed(sql: Lane, viewer: Viewer, channel_id: string) {
  const { tenant_id, user_id } = viewer
  const [channel] = await sql<{ is_learner: boolean }[]>`
    select ${isEnrolled(sql, viewer)} and not ${viewer.is_admin} and not learning.is_editor(${tenant_id}, ${user_id}, c.id)
             as is_learner
      from learning.channels c, ${editorOf(sql, viewer)}
     where c.tenant_id = ${tenant_id} and c.id = ${channel_id} and ${isVisible(sql, viewer)}`
  if (!channel) throw notFound()
  if (!channel.is_learner)
    throw forbidden('not_a_learner', 'Only who learns in the channel can get its certificate')
  const { passed } = one([await readEnrollment(sql, viewer, channel_id)])
  if (!passed) throw badRequest('not_passed', 'The channel is not passed yet')
}
