import { type Static, Type } from 'typebox'
import { OneOf, Time, Uuid } from '#foundation/http/schemas.ts'

export const CHANNEL_PURPOSES = ['picture', 'captions'] as const
export type Purpose = (typeof CHANNEL_PURPOSES)[number] | 'attachment'

const MB = 1_000_000
/** The largest file in bytes. Captions are rewritten in memory, so theirs is small. */
export const MAX_BYTES: Record<Purpose, number> = { picture: 10 * MB, captions: 2 * MB, attachment: 25 * MB }
/** The most files of a channel's own, and the most that one learner may upload there without handing them in. */
export const MAX_FILES = 5_000
export const MAX_UNSENT = 20

/** An uploaded file as its uploader sees it. `url` is a path of this service. */
export const StoredFile = Type.Object({
  id: Uuid,
  channel_id: Uuid,
  purpose: OneOf(['picture', 'captions', 'attachment']),
  name: Type.String(),
  mime_type: Type.String(),
  size_bytes: Type.Integer(),
  url: Type.String(),
  created_at: Time,
})
export type StoredFile = Static<typeof StoredFile>

const CHANNEL_PATH = '/files/'
const ATTACHMENT_PATH = '/api/files/'

/** Where a file is read. Pictures and captions name their channel, because the public may see them without a tenant. */
export const urlOf = ({ id, channel_id, purpose }: Pick<StoredFile, 'id' | 'channel_id' | 'purpose'>) =>
  purpose === 'attachment' ? `${ATTACHMENT_PATH}${id}` : `${CHANNEL_PATH}${channel_id}/${id}`

const ATTACHED = /^\/api\/files\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/

/** The id in the address of an attachment; undefined for every other address. */
export const attachedId = (url: string): string | undefined => ATTACHED.exec(url)?.[1]
