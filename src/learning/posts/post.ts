import { type Static, Type } from 'typebox'
import { CursorPageOf, CursorQuery } from '#foundation/http/cursor-page.ts'
import { Nullable, Time, Uuid } from '#foundation/http/schemas.ts'
import { AtSeconds } from '../notes/note.ts'

/** What one person may write in an hour, in all channels of a tenant. */
export const POSTS_PER_HOUR = 30
/** Questions of an episode, and answers to one question. */
export const MAX_QUESTIONS = 2_000
export const MAX_ANSWERS = 500
/** Answers that come with their question; the others have a list of their own. */
export const SHOWN_ANSWERS = 5

const Text = Type.String({ minLength: 1, maxLength: 5_000 })

export const NewPost = Type.Object({
  text: Text,
  /** The question that this answers. */
  question_id: Type.Optional(Nullable(Uuid)),
  /** The second of the video that is meant. */
  at_seconds: Type.Optional(Nullable(AtSeconds)),
  client_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }))),
})
export type NewPost = Static<typeof NewPost>

export const PostChange = Type.Object({ text: Type.Optional(Text), hidden: Type.Optional(Type.Boolean()) })
export type PostChange = Static<typeof PostChange>

/**
 * A question or an answer, as the caller sees it. Its author has no `name` without one in the profile; `email` is for
 * editors. A deleted question stays while it has answers, without text.
 */
export const Post = Type.Object({
  id: Uuid,
  episode_id: Uuid,
  question_id: Nullable(Uuid),
  author: Type.Object({
    name: Nullable(Type.String()),
    email: Nullable(Type.String()),
    is_teacher: Type.Boolean(),
    is_you: Type.Boolean(),
  }),
  text: Type.String(),
  at_seconds: Nullable(Type.Number()),
  hidden: Type.Boolean(),
  deleted: Type.Boolean(),
  created_at: Time,
  edited_at: Nullable(Time),
})
export type Post = Static<typeof Post>

/** A question with its first answers. */
export const Question = Type.Object({
  ...Post.properties,
  answer_count: Type.Integer(),
  answers: Type.Array(Post),
})
export type Question = Static<typeof Question>

export const PostQuery = CursorQuery
export const QuestionPage = Type.Object({
  ...CursorPageOf(Question).properties,
  /** The caller may hide and remove what others wrote. */
  may_moderate: Type.Boolean(),
  /** The caller may ask and answer. */
  may_write: Type.Boolean(),
})
export const AnswerPage = CursorPageOf(Post)
export const DeletedPost = Type.Object({ id: Uuid, deleted: Type.Literal(true) })
