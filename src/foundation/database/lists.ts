import type postgres from 'postgres'
import { waitingRoom } from '../waiting-room.ts'
import type { Database, Lane } from './database.ts'

/** Connections for lists, and how many of them one person may use at once. */
export const LISTS = 6
const LISTS_OF_ONE = 3
const LISTS_WAIT_MS = 2_000

/** How a list reads: what `sql` makes is sent by `read`, in the person's turn or at once. */
export type Reader = {
  sql: Lane
  read: <T extends readonly postgres.MaybeRow[]>(statement: postgres.PendingQuery<T>) => Promise<T>
}
export const inTurn = ({ pool, lists }: Database, person: string): Reader => ({
  sql: pool,
  read: (statement) => lists(person, statement),
})
export const atOnce = (sql: Lane): Reader => ({ sql, read: async (statement) => await statement })

type Rows = readonly postgres.MaybeRow[]
/** The rows of a page and their number, each in the person's turn. */
export const bothOf = <A extends Rows, B extends Rows>(
  lists: Database['lists'],
  person: string,
  [rows, count]: readonly [postgres.PendingQuery<A>, postgres.PendingQuery<B>],
): Promise<[A, B]> => Promise.all([lists(person, rows), lists(person, count)])

type ReadFor = <T extends readonly postgres.MaybeRow[]>(
  statement: postgres.PendingQuery<T>,
  person: string,
) => Promise<T>

/** Lets statements in by person and in total. The next one of a person waits for the earlier ones, not for other people's. */
export function inTurns(read: ReadFor, patience: number): Database['lists'] {
  const wait_ms = LISTS_WAIT_MS * patience
  const all = waitingRoom(LISTS, wait_ms, 'Too many lists are being read')
  const people = new Map<string, ReturnType<typeof waitingRoom>>()
  return async <T extends readonly postgres.MaybeRow[]>(
    person: string,
    statement: postgres.PendingQuery<T>,
  ) => {
    const own =
      people.get(person) ?? waitingRoom(LISTS_OF_ONE, wait_ms, 'Your other lists are still being read')
    people.set(person, own)
    await own.enter()
    try {
      await all.enter()
      try {
        return await read(statement, person)
      } finally {
        all.leave()
      }
    } finally {
      own.leave()
      if (own.isEmpty()) people.delete(person)
    }
  }
}
