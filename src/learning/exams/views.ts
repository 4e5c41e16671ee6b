import { createHmac } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { OneOf, Time, Uuid } from '#foundation/http/schemas.ts'
import type { KeyedQuestion } from './keys.ts'
import { kindOf, QUESTION_TYPES, type QuestionType, SHOWN, STORED } from './kinds.ts'
import type { Orders } from './kinds/kind.ts'
import { REGRADES, SCORINGS } from './question.ts'
import type { Content } from './question-content.ts'

const Common = {
  id: Uuid,
  test_id: Uuid,
  type: OneOf([...QUESTION_TYPES]),
  prompt: Type.String(),
  points: Type.Number(),
  position: Type.Integer(),
}

/** A question as a learner sees it. An allow-list: a field that is not named here is never sent. */
export const StudentQuestion = Type.Object({
  ...Common,
  ...SHOWN,
})
export type StudentQuestion = Static<typeof StudentQuestion>

/** A question as editors see it: the common fields and those of its kind. */
export const AuthorQuestion = Type.Object({
  ...Common,
  scoring: OneOf([...SCORINGS]),
  explanation: Type.String(),
  version: Type.Integer(),
  ...STORED,
  created_at: Time,
  updated_at: Time,
})
export type AuthorQuestion = Static<typeof AuthorQuestion>

/** The effect of a change on attempts: how many are regraded, and whether that is done. */
export const RegradeReport = Type.Object({
  mode: OneOf([...REGRADES]),
  attempts: Type.Integer(),
  done: Type.Boolean(),
})
export type RegradeReport = Static<typeof RegradeReport>
export const ChangedQuestion = Type.Object({ ...AuthorQuestion.properties, regrade: RegradeReport })

/** A question with its current version, as the database keeps it. */
export type QuestionRow = Content & {
  id: string
  test_id: string
  type: QuestionType
  position: number
  version: number
  created_at: string
  updated_at: string
}

export const authorView = ({ body, ...question }: QuestionRow): AuthorQuestion => ({ ...question, ...body })

/** `seed` determines the orders; it is the id of an attempt, for example. */
export type Shuffling = {
  secret: Buffer
  seed: string
  test_id: string
  shuffle_questions: boolean
  shuffle_options: boolean
}

/**
 * The questions in the order of an attempt. HMAC draws the orders, so a reload shows the same order and nobody can
 * work out the order they were written in.
 */
export function studentViews(key: readonly KeyedQuestion[], shuffling: Shuffling): StudentQuestion[] {
  const drawn = key
    .filter(({ is_deleted }) => !is_deleted)
    .map((question) => ({ question, draw: drawOf(shuffling, question.question_id) }))
  const ordered = shuffling.shuffle_questions
    ? drawn.toSorted((a, b) => Buffer.compare(a.draw, b.draw))
    : drawn
  return ordered.map(({ question, draw }) => studentView(question, draw, shuffling))
}

function studentView(
  question: KeyedQuestion,
  draw: Buffer,
  { test_id, shuffle_options }: Shuffling,
): StudentQuestion {
  const { question_id, prompt, position, key } = question
  const common = { id: question_id, test_id, type: key.type, prompt, points: key.points, position }
  const orders: Orders = {
    shuffle_options,
    shuffled: (values) => shuffled(values, draw),
    outOfOrder: (values) => outOfOrder(values, draw),
  }
  return { ...common, ...kindOf(key.type).show(key, orders) }
}

const drawOf = ({ secret, seed }: Shuffling, question_id: string) =>
  createHmac('sha256', secret).update(`${seed}/${question_id}`).digest()

/** Fisher-Yates shuffle by the digits of one large number: 256 bits are enough for all orders of 40 items. */
function shuffled<T>(values: readonly T[], draw: Buffer): T[] {
  let digits = BigInt(`0x${draw.toString('hex')}`)
  const left = [...values]
  const order: T[] = []
  while (left.length > 0) {
    const place = Number(digits % BigInt(left.length))
    digits /= BigInt(left.length)
    order.push(...left.splice(place, 1))
  }
  return order
}

/** Never returns the right order, which would be the answer, but rotates it by one place. */
function outOfOrder<T>(values: readonly T[], draw: Buffer): T[] {
  const order = shuffled(values, draw)
  if (order.some((value, place) => value !== values[place])) return order
  return [...order.slice(1), ...order.slice(0, 1)]
}
