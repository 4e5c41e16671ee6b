import { type Static, Type } from 'typebox'
import { one } from '#foundation/database/database.ts'
import { offsetOf, PageOf, PageQuery } from '#foundation/http/paging.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import type { Viewer } from '../access/access.ts'
import type { ExamParts } from './parts.ts'
import { notAnEditor, openTest } from './access.ts'
import { NullableAttempt } from './exam.ts'
import { openAttempt } from './list.ts'
import { readPaper } from './opening.ts'
import { liveQuestions } from './question-rows.ts'
import { AuthorQuestion, authorView, type QuestionRow, StudentQuestion } from './views.ts'

export const QuestionQuery = Type.Object({
  ...PageQuery.properties,
  view: Type.Optional(OneOf(['student', 'author'])),
})
export type QuestionQuery = Static<typeof QuestionQuery>

export const AuthorPage = Type.Object({ ...PageOf(AuthorQuestion).properties, attempt: NullableAttempt })
export const StudentPage = Type.Object({ ...PageOf(StudentQuestion).properties, attempt: NullableAttempt })

/**
 * One page of questions: for editors as written, for learners as in their attempt. Without `view`, the owner,
 * instructors and ADMINs get the author's view. 404, then 403 for the author's view to others, and the errors of
 * readPaper().
 */
export async function listQuestions(
  learning: ExamParts,
  viewer: Viewer,
  test_id: string,
  query: QuestionQuery,
  may_open: boolean,
) {
  const { db } = learning
  const opened = await openTest(db.fast, viewer, test_id)
  if (query.view === 'author' && !opened.episode.is_editor) throw notAnEditor()
  const view = query.view ?? (opened.test.is_staff ? 'author' : 'student')
  if (view === 'author')
    return { view, ...(await authorPage(learning, viewer, test_id, query)), attempt: null }
  const { questions, attempt } = await readPaper(learning, viewer, opened, may_open)
  const items = questions.slice(offsetOf(query), offsetOf(query) + query.per_page)
  return { view, items, total: questions.length, attempt: attempt && openAttempt(attempt) }
}

async function authorPage({ db }: ExamParts, { tenant_id }: Viewer, test_id: string, query: QuestionQuery) {
  const [rows, counted] = await Promise.all([
    db.fast<QuestionRow[]>`
      ${liveQuestions(db.fast, tenant_id, test_id)}
       order by q.position, q.id limit ${query.per_page} offset ${offsetOf(query)}`,
    db.fast<{ total: number }[]>`
      select count(*)::int as total from learning.questions
       where tenant_id = ${tenant_id} and test_id = ${test_id} and deleted_at is null`,
  ])
  return { items: rows.map(authorView), total: one(counted).total }
}
