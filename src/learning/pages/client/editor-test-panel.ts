import { texts } from '#foundation/web/client/language.ts'
import type { Test } from '../api-types.ts'
import { authorQuestions } from './author-questions.ts'
import { EDITOR_ACT_TEXTS } from './editor-act-texts.ts'
import { html } from './html.ts'
import { questionList } from './question-list.ts'
import { testSettings } from './test-settings.ts'

const t = texts(EDITOR_ACT_TEXTS)

/** The settings and questions of a test within its lesson, which publishes it. `changed` is told of each change. */
export async function testPanel(
  exam: Test,
  { channel_id, episode_id }: { channel_id: string; episode_id: string },
  changed: (exam: Test) => void,
): Promise<HTMLElement> {
  const questions = await authorQuestions(exam.id)
  let now = exam
  const tell = (next: Partial<Test>) => changed((now = { ...now, ...next }))
  const list = questionList(exam, questions, (all) =>
    tell({
      question_count: all.length,
      max_score: all.reduce((sum, one) => sum + Math.round(one.points * 100), 0) / 100,
    }),
  )
  // A lesson may show several.
  list.removeAttribute('id')
  return html`<div class="stack">
    <p class="hint">
      ${t('at_once')}
      <a href="/test/edit?id=${exam.id}&episode=${episode_id}&channel=${channel_id}">${t('own_page')}</a>
    </p>
    ${testSettings(exam, questions.length, (next) => tell({ title: next.title, status: next.status }))}
    ${list}
  </div>`
}
