import type { Homework, Page, Test } from '../api-types.ts'
import { get } from './api.ts'
import type { LessonDraft } from './editor-draft.ts'
import { homeworkList } from './editor-homework.ts'
import { testList } from './editor-tests.ts'
import { publishedHomework, publishedTests } from './editor-work.ts'

export type Works = Awaited<ReturnType<typeof openWorks>>

/** Reads the homework and tests of a lesson and makes their lists. */
export async function openWorks(place: { channel_id: string; episode_id: string }, draft: LessonDraft) {
  const lists = { homework: homeworkList(place, draft), tests: testList(place, draft) }
  const path = `/api/episodes/${place.episode_id}`
  async function read() {
    const [homework, tests] = await Promise.all([
      get<Page<Homework>>(`${path}/homework?per_page=100`),
      get<Page<Test>>(`${path}/tests?per_page=100`),
    ])
    draft.add({ ...publishedHomework(homework.items), ...publishedTests(tests.items) })
    lists.homework.set(homework.items)
    lists.tests.set(tests.items)
  }
  await read()
  return {
    ...lists,
    read,
    show() {
      lists.homework.show()
      lists.tests.show()
    },
  }
}
