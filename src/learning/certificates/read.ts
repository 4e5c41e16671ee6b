import type { Lane } from '#foundation/database/database.ts'
import { tenantOf } from '../device-feed/versions.ts'
import type { CertificateRow } from './certificate.ts'
import type { Named } from './code.ts'

/** Also of a channel that is deleted since. Undefined once its person is erased. */
export async function readCertificate(
  sql: Lane,
  { channel_id, certificate_id }: Named,
): Promise<CertificateRow | undefined> {
  const [row] = await sql<CertificateRow[]>`
    select k.certificate_id, k.person_name, k.channel_id, k.channel_title, k.issuer, k.issued_at
      from learning.certificates k
     where k.tenant_id = ${tenantOf(sql, channel_id)} and k.channel_id = ${channel_id}
       and k.certificate_id = ${certificate_id}`
  return row
}
