import { type Static, Type } from 'typebox'
import { bothOf } from '#foundation/database/lists.ts'
import { notFound } from '#foundation/errors.ts'
import { offsetOf, PageOf, PageQuery } from '#foundation/http/paging.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { Viewer } from '../access/access.ts'
import type { Learning } from '../learning.ts'
import { lockTest, openTestToEdit } from './access.ts'
import { contentOf } from './question-content.ts'
import { insertQuestions } from './questions.ts'
import { AuthorQuestion, authorView, type QuestionRow } from './views.ts'

export const BankQuery = Type.Object({
  ...PageQuery.properties,
  q: Type.String({ maxLength: 200, default: '' }),
})
export type BankQuery = Static<typeof BankQuery>

/** Questions of the other tests of a channel, each with where it is asked. */
export const BankPage = PageOf(
  Type.Object({ ...AuthorQuestion.properties, test_title: Type.String(), episode_title: Type.String() }),
)
export type BankPage = Static<typeof BankPage>
type BankQuestion = BankPage['items'][number]

export const BankChoice = Type.Object({ question_ids: Type.Array(Uuid, { minItems: 1, maxItems: 100 }) })
export const Copied = Type.Object({ items: Type.Array(AuthorQuestion) })

/** One page of them, in the order of the episodes; `q` narrows it to a part of the question. 404, then 403 to learners. */
export async function readBank({ db }: Learning, viewer: Viewer, test_id: string, query: BankQuery) {
  const { tenant_id, user_id } = viewer
  const { episode } = await openTestToEdit(db.fast, viewer, test_id)
  const { pool: sql } = db
  const from = sql`
    from learning.episodes e
    join learning.tests t on t.tenant_id = e.tenant_id and t.episode_id = e.id and t.deleted_at is null
    join learning.questions q on q.tenant_id = t.tenant_id and q.test_id = t.id and q.deleted_at is null
    join learning.question_versions v on v.tenant_id = q.tenant_id and v.question_id = q.id and v.version = q.version
   where e.tenant_id = ${tenant_id} and e.channel_id = ${episode.channel_id} and e.deleted_at is null
     and t.id <> ${test_id} and strpos(foundation.fold(v.prompt), foundation.fold(${query.q.trim()})) > 0`
  const [rows, [counted]] = await bothOf(db.lists, user_id, [
    sql<(QuestionRow & Pick<BankQuestion, 'test_title' | 'episode_title'>)[]>`
      select q.id, q.test_id, q.type, v.prompt, v.points::float8, q.position, v.scoring, v.explanation, q.version, v.body,
             q.created_at, q.updated_at, t.title as test_title, e.title as episode_title ${from}
       order by e.position, e.id, t.created_at, t.id, q.position, q.id limit ${query.per_page} offset ${offsetOf(query)}`,
    sql<{ total: number }[]>`select count(*)::int as total ${from}`,
  ])
  const items = rows.map(({ test_title, episode_title, ...row }) => ({
    ...authorView(row),
    test_title,
    episode_title,
  }))
  return { items, total: counted?.total ?? 0 }
}

/**
 * Copies questions of the channel to the end of the test, in the order sent; a change of one leaves the other. All or
 * none: 404 for one that is not there, 403 to learners, 400 for more than a test holds.
 */
export async function copyFromBank(
  { db }: Learning,
  viewer: Viewer,
  test_id: string,
  sent: readonly string[],
): Promise<AuthorQuestion[]> {
  const { tenant_id } = viewer
  const ids = [...new Set(sent.map((id) => id.toLowerCase()))]
  return db.transaction(async (tx) => {
    const test = await lockTest(tx, viewer, test_id)
    const rows = await tx<QuestionRow[]>`
      select q.id, q.type, v.prompt, v.points::float8, v.scoring, v.explanation, v.body
        from learning.episodes here
        join learning.episodes e on e.tenant_id = here.tenant_id and e.channel_id = here.channel_id and e.deleted_at is null
        join learning.tests t on t.tenant_id = e.tenant_id and t.episode_id = e.id and t.deleted_at is null
        join learning.questions q on q.tenant_id = t.tenant_id and q.test_id = t.id and q.deleted_at is null
        join learning.question_versions v
          on v.tenant_id = q.tenant_id and v.question_id = q.id and v.version = q.version
       where here.tenant_id = ${tenant_id} and here.id = ${test.episode_id} and q.id = any(${ids})`
    if (rows.length < ids.length) throw notFound()
    const chosen = rows.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
    return insertQuestions(
      tx,
      viewer,
      test,
      chosen.map((row) => ({ type: row.type, content: contentOf(row) })),
    )
  })
}
