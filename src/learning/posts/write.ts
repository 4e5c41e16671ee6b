import { one, type Tx } from '#foundation/database/database.ts'
import { badRequest, forbidden, notFound, tooMany, unprocessable } from '#foundation/errors.ts'
import { newId } from '#foundation/ids.ts'
import type { Viewer } from '../access/access.ts'
import { oneAtATime } from '../access/one-at-a-time.ts'
import { mayLearn, type OpenEpisode, openEpisode, requireEditor } from '../access/open.ts'
import { notify } from '../notifications/notify.ts'
import { text } from '../values.ts'
import { findPost, type PostParts, postColumns, type PostRow, showPost } from './list.ts'
import { MAX_ANSWERS, MAX_QUESTIONS, type NewPost, type PostChange, POSTS_PER_HOUR } from './post.ts'

/**
 * Asks, or answers a question of the same episode. A repeated `client_id` gets its post again (`isNew` false). 404, 403
 * and 400 as for other work in the episode, 400 when there are too many, 429 after POSTS_PER_HOUR.
 */
export async function createPost(parts: PostParts, viewer: Viewer, episode_id: string, body: NewPost) {
  const written = cleanText(body.text)
  const { tenant_id, user_id } = viewer
  const client_id = body.client_id ?? null
  const { isNew, row, episode } = await parts.db.transaction(async (tx) => {
    const opened = await openEpisode(tx, viewer, episode_id)
    mayLearn(opened)
    await oneAtATime(tx, viewer, 'posts')
    const before = await sentBefore(tx, viewer, client_id)
    if (before) return { isNew: false, row: before, episode: opened }
    await refuseHaste(tx, viewer)
    await refuseCrowd(tx, viewer, opened, body.question_id ?? null)
    const at_ms = typeof body.at_seconds === 'number' ? Math.round(body.at_seconds * 1_000) : null
    const rows = await tx<PostRow[]>`
      insert into learning.posts as p (tenant_id, id, episode_id, question_id, user_id, as_editor, text, at_ms, client_id)
      values (${tenant_id}, ${newId()}, ${episode_id}, ${body.question_id ?? null}, ${user_id}, ${opened.is_editor},
              ${written}, ${at_ms}, ${client_id})
      returning ${postColumns(tx)}`
    await tellAsker(tx, viewer, opened, body.question_id ?? null)
    return { isNew: true, row: one(rows), episode: opened }
  })
  return { isNew, post: await showPost(parts, viewer, episode, row) }
}

/** The author changes the text, an editor of the channel hides and shows. 404, 403 for anybody else. */
export async function updatePost(parts: PostParts, viewer: Viewer, post_id: string, body: PostChange) {
  const { text: sent, hidden } = body
  if (sent === undefined && hidden === undefined)
    throw badRequest('nothing_to_change', 'The body has no field that can be changed')
  const written = sent === undefined ? null : cleanText(sent)
  const { post, episode } = await findPost(parts.db.pool, viewer, post_id)
  if (written !== null && post.user_id !== viewer.user_id) throw notYours()
  if (hidden !== undefined) requireEditor(episode)
  const [row] = await parts.db.pool<PostRow[]>`
    update learning.posts p
       set text = coalesce(${written}, p.text),
           edited_at = case when ${written} <> p.text then clock_timestamp() else p.edited_at end,
           hidden_at = case when ${hidden ?? null}::boolean then coalesce(p.hidden_at, clock_timestamp())
                            when ${hidden ?? null}::boolean is null then p.hidden_at end,
           hidden_by = case when ${hidden ?? null}::boolean then ${viewer.user_id}
                            when ${hidden ?? null}::boolean is null then p.hidden_by end
     where p.tenant_id = ${viewer.tenant_id} and p.id = ${post_id} and p.deleted_at is null
    returning ${postColumns(parts.db.pool)}`
  if (!row) throw notFound()
  return showPost(parts, viewer, episode, row)
}

/** The author or an editor removes a post. Its text is gone for good; answers to a question stay. */
export async function deletePost({ db }: PostParts, viewer: Viewer, post_id: string) {
  const { post, episode } = await findPost(db.pool, viewer, post_id)
  if (post.user_id !== viewer.user_id && !episode.is_editor) throw notYours()
  const gone = await db.pool`
    update learning.posts set deleted_at = clock_timestamp(), text = ''
     where tenant_id = ${viewer.tenant_id} and id = ${post_id} and deleted_at is null returning id`
  if (gone.length === 0) throw notFound()
  return { id: post_id, deleted: true as const }
}

/** Whoever asked hears of an answer of somebody else. */
async function tellAsker(
  tx: Tx,
  { tenant_id, user_id }: Viewer,
  episode: OpenEpisode,
  question_id: string | null,
) {
  if (question_id === null) return
  const askers = await tx<{ user_id: string }[]>`
    select user_id from learning.posts where tenant_id = ${tenant_id} and id = ${question_id} and user_id <> ${user_id}`
  const { channel_id, episode_id } = episode
  const user_ids = askers.map((asker) => asker.user_id)
  if (user_ids.length > 0)
    await notify(tx, tenant_id, { kind: 'answer', channel_id, episode_id, target_id: question_id, user_ids })
}

const notYours = () => forbidden('not_yours', 'Only its author may change it')

function cleanText(sent: string): string {
  const cleaned = text(sent).trim()
  if (cleaned === '') throw unprocessable('text', 'blank', 'must not be blank')
  return cleaned
}

async function sentBefore(tx: Tx, { tenant_id, user_id }: Viewer, client_id: string | null) {
  if (client_id === null) return undefined
  const [row] = await tx<PostRow[]>`
    select ${postColumns(tx)} from learning.posts p
     where p.tenant_id = ${tenant_id} and p.user_id = ${user_id} and p.client_id = ${client_id}`
  return row
}

/** Deleted posts count: who deletes may not write on without end. */
async function refuseHaste(tx: Tx, { tenant_id, user_id }: Viewer) {
  const recent = one(
    await tx<{ count: number; wait: number }[]>`
      select count(*)::int as count,
             ceil(extract(epoch from min(created_at) + interval '1 hour' - clock_timestamp()))::int as wait
        from learning.posts
       where tenant_id = ${tenant_id} and user_id = ${user_id} and created_at > clock_timestamp() - interval '1 hour'`,
  )
  if (recent.count < POSTS_PER_HOUR) return
  const wait = Math.max(1, recent.wait)
  throw tooMany('rate_limited', `At most ${POSTS_PER_HOUR} posts in an hour, come back in ${wait} s`, wait)
}

/** 404 unless the question is one of this episode that the caller sees; 400 when there are too many beside it. */
async function refuseCrowd(tx: Tx, viewer: Viewer, episode: OpenEpisode, question_id: string | null) {
  const { tenant_id, user_id } = viewer
  if (question_id !== null) {
    const [question] = await tx`
      select 1 from learning.posts p
       where p.tenant_id = ${tenant_id} and p.id = ${question_id} and p.episode_id = ${episode.episode_id}
         and p.question_id is null and p.deleted_at is null
         and (${episode.is_editor} or p.hidden_at is null or p.user_id = ${user_id})`
    if (!question) throw notFound()
  }
  const beside = one(
    await tx<{ count: number }[]>`
      select count(*)::int as count from learning.posts
       where tenant_id = ${tenant_id} and deleted_at is null
         and ${question_id === null ? tx`episode_id = ${episode.episode_id} and question_id is null` : tx`question_id = ${question_id}`}`,
  )
  if (beside.count >= (question_id === null ? MAX_QUESTIONS : MAX_ANSWERS))
    throw badRequest(
      'too_many_posts',
      question_id === null ? 'The episode has too many questions' : 'The question has too many answers',
    )
}
