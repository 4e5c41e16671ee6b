import type { AuthorPage, AuthorQuestion } from '../api-types.ts'
import { get } from './api.ts'

/** The page limit of the list. A test may have 500 questions. */
const PER_PAGE = 100

/** All questions of a test, as its authors see them. */
export async function authorQuestions(id: string): Promise<AuthorQuestion[]> {
  const found: AuthorQuestion[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const more = page > 1 ? `&page=${page}` : ''
    const answer = await get<AuthorPage>(
      `/api/episodes/tests/${id}/questions?view=author&per_page=${PER_PAGE}${more}`,
    )
    found.push(...answer.items)
    pages = answer.pages
  }
  return found
}
