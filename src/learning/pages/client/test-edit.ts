import { texts } from '#foundation/web/client/language.ts'
import type { Channel, Page, Test } from '../api-types.ts'
import { get, refusal } from './api.ts'
import { authorQuestions } from './author-questions.ts'
import { setTitle, setTrail } from './heading.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { lazily } from './lazily.ts'
import { openPage } from './page.ts'
import { trailOf } from './parts.ts'
import { questionList } from './question-list.ts'
import { testSettings } from './test-settings.ts'
import { QUESTION_TEXTS } from './question-texts.ts'

const t = texts(QUESTION_TEXTS)

openPage(async ({ query, required }) => {
  const [id, episode_id] = [required('id'), required('episode')]
  const channel_id = query.get('channel')
  const [tests, questions, channel] = await Promise.all([
    get<Page<Test>>(`/api/episodes/${episode_id}/tests?test_id=${id}`),
    authorQuestions(id),
    channel_id ? get<Channel>(`/api/channels/${encodeURIComponent(channel_id)}`).catch(() => null) : null,
  ])
  const [exam] = tests.items
  if (!exam) throw refusal(404, t('no_test'))
  // Only a test that somebody took has results.
  const results = exam.stats?.learner_count
    ? (await lazily(import('./test-results.ts'))).resultsOf(exam, questions)
    : null
  setTitle(exam.title)
  setTrail(...trailOf(channel, episode_id))
  const settings = html`<div></div>`
  settings.append(testSettings(exam, questions.length))
  return html`<div class="editor">
    <div class="editor-main">${questionList(exam, questions)} ${results}</div>
    <aside class="editor-side" aria-label=${t('settings')}>
      ${settings}
      <a class="button second wide" href="/test?id=${id}&episode=${episode_id}"
        >${icon('play')}${t('as_learner')}</a
      >
    </aside>
  </div>`
})
