import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { StartError } from '../start-error.ts'
import { normalized } from '../text.ts'

/*
 * A file of frames, each sealed under a key that is derived from a passphrase.
 *
 *   magic 16 | salt 16 | check of the passphrase 16 | SHA-256 of these 48 bytes
 *   length 4 | AES-256-GCM of (type 1, payload) | tag 16          any number of times
 *
 * The nonce of a frame is its number, so frames can be neither changed, nor moved, nor left out. The salt is new for each
 * file, so a key seals one file only.
 */
const MAGIC = Buffer.from('lyceum backup 1\n')
const SALT = 16
const CHECK = 16
const HEADER = MAGIC.length + SALT + CHECK + 32
const TAG = 16
/** The longest payload. No length in a file can make a reader reserve more. */
export const FRAME = 1 << 20
/** Fixed with the format: no file tells a reader how much to compute. 128 MiB and half a second. */
const SCRYPT = { N: 1 << 17, r: 8, p: 1, maxmem: 256 << 20 }

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

export type Frame = { type: number; payload: Buffer }
export type FrameWriter = (frame: Frame) => Promise<void>
/** The next frame; undefined at the end of the file. StartError: a frame is damaged. */
export type FrameReader = () => Promise<Frame | undefined>

export const damaged = (path: string) =>
  new StartError(`${path} is damaged or incomplete: use another backup`)

/** Takes bytes in order and resolves when it can take more. */
export type Sink = (bytes: Buffer) => Promise<void>

/** Writes the header first. */
export async function sealFrames(sink: Sink, passphrase: string): Promise<FrameWriter> {
  const salt = randomBytes(SALT)
  const { key, check } = await keysOf(passphrase, salt)
  const head = Buffer.concat([MAGIC, salt, check])
  await sink(Buffer.concat([head, sha256(head)]))
  let number = 0n
  return async ({ type, payload }) => {
    if (payload.length > FRAME) throw new Error('a frame is too long')
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++))
    const sealed = [
      cipher.update(Buffer.of(type)),
      cipher.update(payload),
      cipher.final(),
      cipher.getAuthTag(),
    ]
    const length = Buffer.alloc(4)
    length.writeUInt32BE(1 + payload.length + TAG)
    await sink(Buffer.concat([length, ...sealed]))
  }
}

/**
 * Reads frames from the beginning of the file, bounded by FRAME each. StartError: no backup, another passphrase, damaged.
 */
export async function openFrames(file: FileHandle, path: string, passphrase: string): Promise<FrameReader> {
  let at = 0
  /** Undefined at the very end; a StartError if the file ends within these bytes. */
  const take = async (length: number): Promise<Buffer | undefined> => {
    const bytes = Buffer.alloc(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await file.read(bytes, filled, length - filled, at + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    at += filled
    if (filled === 0 && length > 0) return undefined
    if (filled < length) throw damaged(path)
    return bytes
  }
  const key = await openHeader(await take(HEADER).catch(() => undefined), path, passphrase)
  let number = 0n
  return async () => {
    const length = (await take(4))?.readUInt32BE()
    if (length === undefined) return undefined
    if (length < 1 + TAG || length > 1 + FRAME + TAG) throw damaged(path)
    const sealed = await take(length)
    if (!sealed) throw damaged(path)
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number++), { authTagLength: TAG })
      decipher.setAuthTag(sealed.subarray(-TAG))
      const plain = Buffer.concat([decipher.update(sealed.subarray(0, -TAG)), decipher.final()])
      return { type: plain[0] ?? 0, payload: plain.subarray(1) }
    } catch {
      throw damaged(path)
    }
  }
}

/** Opens a file for readers, who read it twice: only a regular file is the same both times. */
export async function openBackup(path: string): Promise<FileHandle> {
  const file = await open(path, 'r').catch((error: Error) => {
    throw new StartError(`${path} cannot be read: ${error.message}`)
  })
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new StartError(`${path} is not a file`)
}

async function openHeader(header: Buffer | undefined, path: string, passphrase: string): Promise<Buffer> {
  if (!header?.subarray(0, MAGIC.length - 2).equals(MAGIC.subarray(0, -2)))
    throw new StartError(`${path} is not a backup of Lyceum`)
  const head = header.subarray(0, HEADER - 32)
  if (!sha256(head).equals(header.subarray(-32))) throw damaged(path)
  if (!head.subarray(0, MAGIC.length).equals(MAGIC))
    throw new StartError(`${path} was made by a newer version of Lyceum: use that version`)
  const { key, check } = await keysOf(passphrase, head.subarray(MAGIC.length, MAGIC.length + SALT))
  if (!timingSafeEqual(check, head.subarray(-CHECK)))
    throw new StartError(`BACKUP_PASSPHRASE is not the passphrase of ${path}`)
  return key
}

async function keysOf(passphrase: string, salt: Buffer): Promise<{ key: Buffer; check: Buffer }> {
  const secret = await derive(normalized(passphrase, 'NFC'), salt, 32, SCRYPT)
  const key = Buffer.from(hkdfSync('sha256', secret, salt, 'lyceum/backup', 32))
  const check = createHmac('sha256', secret).update('lyceum/backup check').digest().subarray(0, CHECK)
  return { key, check }
}

function nonceOf(number: bigint): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(number, 4)
  return nonce
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()

/** A full disk shows as a short write. */
export const toFile =
  (file: FileHandle): Sink =>
  async (bytes) => {
    for (let from = 0; from < bytes.length;) from += (await file.write(bytes, from)).bytesWritten
  }
