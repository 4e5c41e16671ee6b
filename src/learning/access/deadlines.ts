import type { Lane } from '#foundation/database/database.ts'

type Sql = ReturnType<Lane>
/** A value, or SQL that yields it. */
type Value = string | Sql

/** SQL for the end of what one person was granted at this work; null if nothing was. */
const granted = (
  sql: Lane,
  { tenant_id, work_id, user_id }: { tenant_id: Value; work_id: Value; user_id: Value },
) => sql`
  (select d.until from learning.deadlines d
    where d.tenant_id = ${tenant_id} and d.work_id = ${work_id} and d.user_id = ${user_id})`

/** SQL for a deadline as it is for one person: the later of everybody's and their own; null while there is none. */
const later = (sql: Lane, everybodys: Sql, own: ReturnType<typeof granted>) => sql`
  case when ${everybodys} is not null then greatest(${everybodys}, ${own}) end`

const atHomework = (sql: Lane, user_id: Value, h: Sql = sql`h`) =>
  granted(sql, { tenant_id: sql`${h}.tenant_id`, work_id: sql`${h}.id`, user_id })
const atTest = (sql: Lane, user_id: Value) =>
  granted(sql, { tenant_id: sql`t.tenant_id`, work_id: sql`t.id`, user_id })

/** SQL for when the homework `h` is due for this person. */
export const dueFor = (sql: Lane, user_id: Value, h: Sql = sql`h`) =>
  later(sql, sql`${h}.due_at`, atHomework(sql, user_id, h))
/** SQL for when the homework `h` takes no more from this person; a granted deadline opens it for that long. */
export const lockFor = (sql: Lane, user_id: Value) => later(sql, sql`h.lock_at`, atHomework(sql, user_id))
/** SQL for when the test `t` closes for this person. */
export const closeFor = (sql: Lane, user_id: Value) => later(sql, sql`t.closes_at`, atTest(sql, user_id))

/** SQL: this person has longer for the homework `h` than the others. */
export const isLongerAtHomework = (sql: Lane, user_id: Value) =>
  sql`coalesce(${atHomework(sql, user_id)} > h.due_at, false)`
/** The same for the test `t`. */
export const isLongerAtTest = (sql: Lane, user_id: Value) =>
  sql`coalesce(${atTest(sql, user_id)} > t.closes_at, false)`
