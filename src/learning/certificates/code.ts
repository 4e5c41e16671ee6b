import { createHmac, timingSafeEqual } from 'node:crypto'
import type { MasterKeys } from '#foundation/security/secrets.ts'

/** What a code names. The channel leads to the tenant, which nobody who checks a certificate knows. */
export type Named = { channel_id: string; certificate_id: string }

const ID = 16
const MAC = 16
/** 48 bytes are 64 characters without a rest, so each code is written in one way only. */
const CODE = /^[\w-]{64}$/

/**
 * Codes of certificates: both ids and a signature of 128 bits under a key that only this installation has. A code that was
 * made up is refused before the database is asked.
 */
export function createCodes(keys: Pick<MasterKeys, 'derive'>) {
  const key = keys.derive('certificates')
  const signatureOf = (ids: Buffer) => createHmac('sha256', key).update(ids).digest().subarray(0, MAC)
  return {
    write({ channel_id, certificate_id }: Named): string {
      const ids = Buffer.concat([bytesOf(channel_id), bytesOf(certificate_id)])
      return Buffer.concat([ids, signatureOf(ids)]).toString('base64url')
    },
    /** Undefined for a code that we did not write. */
    read(code: string): Named | undefined {
      if (!CODE.test(code)) return undefined
      const bytes = Buffer.from(code, 'base64url')
      const ids = bytes.subarray(0, 2 * ID)
      if (!timingSafeEqual(bytes.subarray(2 * ID), signatureOf(ids))) return undefined
      return { channel_id: uuidOf(ids.subarray(0, ID)), certificate_id: uuidOf(ids.subarray(ID)) }
    },
  }
}

const bytesOf = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex')
const uuidOf = (bytes: Buffer) =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
