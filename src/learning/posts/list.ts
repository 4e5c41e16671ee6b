import type { Lane } from '#foundation/database/database.ts'
import { inTurn } from '#foundation/database/lists.ts'
import { notFound } from '#foundation/errors.ts'
import { type CursorQuery, cutPage, startOf } from '#foundation/http/cursor-page.ts'
import { page } from '#foundation/http/paging.ts'
import type { Identity } from '#foundation/security/session-gate.ts'
import type { Store, Viewer } from '../access/access.ts'
import { type OpenEpisode, openEpisode, refuseLocked } from '../access/open.ts'
import { addressFor } from '../names.ts'
import { type Post, type Question, SHOWN_ANSWERS } from './post.ts'

/** What this feature depends on: the sso knows the names of people, this service does not. */
export type PostParts = Store & { identity: Pick<Identity, 'profiles'> }

export type PostRow = Omit<Post, 'author'> & { user_id: string; as_editor: boolean }
type QuestionRow = PostRow & { answer_count: number }

/** One page of the questions of an episode, the newest first, each with its first answers. 404, 403 locked. */
export async function listQuestions(
  parts: PostParts,
  viewer: Viewer,
  episode_id: string,
  query: CursorQuery,
) {
  const episode = await openUnlocked(parts.db.fast, viewer, episode_id)
  const { sql, read } = inTurn(parts.db, viewer.user_id)
  const { order, after, skip } = startOf('questions:-created_at', viewer, query, episode_id)
  const sees = isShown(sql, viewer, episode)
  const from = sql`
      from learning.posts p,
           lateral (select count(*)::int as count from learning.posts a
                     where a.tenant_id = p.tenant_id and a.question_id = p.id and a.deleted_at is null and ${sees(sql`a`)}) as answers
     where p.tenant_id = ${viewer.tenant_id} and p.episode_id = ${episode_id} and p.question_id is null
       and ${sees(sql`p`)} and (p.deleted_at is null or answers.count > 0)`
  const [found, count] = await Promise.all([
    read(sql<QuestionRow[]>`
      select ${postColumns(sql)}, answers.count as answer_count ${from}
         ${after ? sql`and (p.created_at, p.id) < (${after.key}::timestamptz, ${after.id}::uuid)` : sql``}
       order by p.created_at desc, p.id desc limit ${query.per_page + 1} offset ${skip}`),
    read(sql<{ total: number }[]>`select count(*)::int as total ${from}`),
  ])
  const { rows, next_cursor } = cutPage(found, query, order, placeOf)
  const answers = await read(sql<PostRow[]>`
    select p.* from unnest(${rows.map(({ id }) => id)}::uuid[]) as asked(id),
           lateral (
             select ${postColumns(sql)} from learning.posts p
              where p.tenant_id = ${viewer.tenant_id} and p.question_id = asked.id and p.deleted_at is null and ${sees(sql`p`)}
              order by p.created_at, p.id limit ${SHOWN_ANSWERS}) as p
     order by p.created_at, p.id`)
  const show = await shower(parts, viewer, episode, [...rows, ...answers])
  const items = rows.map(({ answer_count, ...row }): Question => ({
    ...show(row),
    answer_count,
    answers: answers.filter(({ question_id }) => question_id === row.id).map(show),
  }))
  return {
    ...page(items, count[0]?.total ?? 0, query),
    next_cursor,
    may_moderate: episode.is_editor,
    may_write: episode.is_joinable && episode.channel_status !== 'archived',
  }
}

/** One page of the answers to a question, the oldest first. */
export async function listAnswers(parts: PostParts, viewer: Viewer, question_id: string, query: CursorQuery) {
  const { post, episode } = await findPost(parts.db.fast, viewer, question_id)
  if (post.question_id !== null) throw notFound()
  const { sql, read } = inTurn(parts.db, viewer.user_id)
  const { order, after, skip } = startOf('answers:created_at', viewer, query, question_id)
  const from = sql`
      from learning.posts p
     where p.tenant_id = ${viewer.tenant_id} and p.question_id = ${question_id} and p.deleted_at is null
       and ${isShown(sql, viewer, episode)(sql`p`)}`
  const [found, count] = await Promise.all([
    read(sql<PostRow[]>`
      select ${postColumns(sql)} ${from}
         ${after ? sql`and (p.created_at, p.id) > (${after.key}::timestamptz, ${after.id}::uuid)` : sql``}
       order by p.created_at, p.id limit ${query.per_page + 1} offset ${skip}`),
    read(sql<{ total: number }[]>`select count(*)::int as total ${from}`),
  ])
  const { rows, next_cursor } = cutPage(found, query, order, placeOf)
  const show = await shower(parts, viewer, episode, rows)
  return { ...page(rows.map(show), count[0]?.total ?? 0, query), next_cursor }
}

/**
 * A post that the caller sees, in an episode that they may open; also a deleted question, whose answers stay. 404
 * otherwise, 403 locked.
 */
export async function findPost(sql: Lane, viewer: Viewer, post_id: string) {
  const [post] = await sql<PostRow[]>`
    select ${postColumns(sql)} from learning.posts p where p.tenant_id = ${viewer.tenant_id} and p.id = ${post_id}`
  if (!post) throw notFound()
  const episode = await openUnlocked(sql, viewer, post.episode_id)
  if (post.hidden && !episode.is_editor && post.user_id !== viewer.user_id) throw notFound()
  return { post, episode }
}

/** The post as the caller sees it. */
export async function showPost(
  parts: PostParts,
  viewer: Viewer,
  episode: OpenEpisode,
  row: PostRow,
): Promise<Post> {
  return (await shower(parts, viewer, episode, [row]))(row)
}

async function openUnlocked(sql: Lane, viewer: Viewer, episode_id: string): Promise<OpenEpisode> {
  const episode = await openEpisode(sql, viewer, episode_id)
  refuseLocked(episode)
  return episode
}

/** What a teacher hid is shown to editors and to its author only. */
const isShown =
  (sql: Lane, { user_id }: Viewer, { is_editor }: OpenEpisode) =>
  (post: ReturnType<Lane>) =>
    sql`(${is_editor} or ${post}.hidden_at is null or ${post}.user_id = ${user_id})`

export const postColumns = (sql: Lane) => sql`
  p.id, p.episode_id, p.question_id, p.user_id, p.as_editor, p.text, p.at_ms / 1000.0::float8 as at_seconds,
  p.hidden_at is not null as hidden, p.deleted_at is not null as deleted, p.created_at, p.edited_at`

const placeOf = ({ id, created_at }: PostRow) => ({ id, key: created_at })

/** Learners never learn the addresses of one another. */
async function shower(
  { identity }: PostParts,
  viewer: Viewer,
  { is_editor }: OpenEpisode,
  rows: readonly PostRow[],
) {
  const ids = [...new Set(rows.filter(({ deleted }) => !deleted).map(({ user_id }) => user_id))]
  const profiles = ids.length === 0 ? [] : await identity.profiles(viewer.tenant_id, ids)
  const people = new Map(profiles.map((profile) => [profile.user_id, profile]))
  return ({ user_id, as_editor, ...row }: PostRow): Post => {
    const person = row.deleted ? undefined : people.get(user_id)
    return {
      ...row,
      author: {
        name: person?.display_name ?? null,
        email: is_editor ? addressFor(viewer, person) : null,
        is_teacher: as_editor && !row.deleted,
        is_you: user_id === viewer.user_id,
      },
    }
  }
}
