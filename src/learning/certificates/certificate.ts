import { type Static, Type } from 'typebox'
import { Time, Uuid } from '#foundation/http/schemas.ts'

/** What everybody reads who has the code. */
export const Certificate = Type.Object({
  code: Type.String(),
  person_name: Type.String(),
  channel_id: Uuid,
  channel_title: Type.String(),
  issuer: Type.String(),
  issued_at: Time,
  url: Type.String(),
  pdf_url: Type.String(),
})
export type Certificate = Static<typeof Certificate>

/** A stored certificate. */
export type CertificateRow = Pick<
  Certificate,
  'person_name' | 'channel_id' | 'channel_title' | 'issuer' | 'issued_at'
> & { certificate_id: string }
