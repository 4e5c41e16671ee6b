import { one, type Tx } from '#foundation/database/database.ts'
import { badRequest } from '#foundation/errors.ts'
import type { Viewer } from '../access/access.ts'
import { joinToLearn } from '../access/join.ts'
import { mayLearn } from '../access/open.ts'
import { attachedId, MAX_UNSENT, type StoredFile } from '../files/file.ts'
import { type FileStore, judged, type Received, save } from '../files/keep.ts'
import { openHomework } from './open.ts'
import type { Attachment } from './submission.ts'

/**
 * Keeps an attachment that is not handed in yet; like handing in, it enrolls. 404, 403 not joinable or locked, 400 for an
 * archived channel, for homework that takes no files, and for too many files that wait.
 */
export async function keepAttachment(
  store: FileStore,
  viewer: Viewer,
  homework_id: string,
  file: Received,
): Promise<StoredFile> {
  const facts = await judged('attachment', file)
  return store.db.transaction(async (tx) => {
    const episode = await openHomework(tx, viewer, homework_id)
    const { channel_id } = episode
    // The enrollment is locked from here on, so this learner's uploads are counted one by one.
    await joinToLearn(tx, viewer, channel_id)
    mayLearn(episode)
    await requireTaken(tx, viewer, channel_id, homework_id)
    const place = { channel_id, homework_id, purpose: 'attachment' as const }
    return save(tx, store, viewer, { place, facts, path: file.path })
  })
}

/**
 * Hands uploaded files in with a submission; what they are called and hold is said by the stored file, not by the
 * sender. Addresses elsewhere stay as they are. 400 for a file that this person did not upload to this homework.
 */
export async function attachFiles(
  tx: Tx,
  { tenant_id, user_id }: Viewer,
  { homework_id, submission_id }: { homework_id: string; submission_id: string },
  attachments: readonly Attachment[],
): Promise<Attachment[]> {
  const ids = attachments.flatMap(({ url }) => attachedId(url) ?? [])
  if (ids.length === 0) return [...attachments]
  const files = await tx<{ id: string; name: string; mime_type: string; size_bytes: number }[]>`
    update learning.files set submission_id = coalesce(submission_id, ${submission_id})
     where tenant_id = ${tenant_id} and user_id = ${user_id} and homework_id = ${homework_id} and id = any(${ids})
    returning id, name, mime_type, size_bytes::float8`
  const known = new Map(files.map((file) => [file.id, file]))
  return attachments.map((attachment) => {
    const id = attachedId(attachment.url)
    if (id === undefined) return attachment
    const file = known.get(id)
    if (!file) throw badRequest('unknown_file', 'An attachment is not among the files you uploaded here')
    const { name, mime_type, size_bytes } = file
    return { url: attachment.url, name, mime_type, size_bytes }
  })
}

async function requireTaken(tx: Tx, { tenant_id, user_id }: Viewer, channel_id: string, homework_id: string) {
  const { takes, unsent } = one(
    await tx<{ takes: boolean; unsent: number }[]>`
      select 'file' = any(h.submission_types) as takes,
             (select count(*)::int from learning.files f
               where f.tenant_id = h.tenant_id and f.channel_id = ${channel_id} and f.user_id = ${user_id}
                 and f.homework_id is not null and f.submission_id is null) as unsent
        from learning.homework h where h.tenant_id = ${tenant_id} and h.id = ${homework_id}`,
  )
  if (!takes) throw badRequest('kind_not_allowed', 'This homework does not take a submission of kind file')
  if (unsent >= MAX_UNSENT)
    throw badRequest('too_many_files', `At most ${MAX_UNSENT} files may wait to be handed in`)
}
