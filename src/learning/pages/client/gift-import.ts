import { texts } from '#foundation/web/client/language.ts'
import { type Imported, importGift, type Skipped } from '../gift.ts'
import type { AuthorQuestion } from '../api-types.ts'
import { refusal, send } from './api.ts'
import { formDialog } from './form-dialog.ts'
import { field } from './form.ts'
import { fillWith, html } from './html.ts'
import { icon } from './icons.ts'
import { area } from './read.ts'
import { QUESTION_TEXTS } from './question-texts.ts'

const t = texts(QUESTION_TEXTS)

/** The most questions that one request takes. */
const AT_ONCE = 100
/** The size limit of a file. A file this long holds thousands of questions. */
const MAX_BYTES = 2_000_000

/**
 * Asks for GIFT as a file or text and previews what will and will not be imported. Sends nothing before confirmation.
 * Returns the new questions.
 */
export async function importDialog(test_id: string): Promise<AuthorQuestion[]> {
  const made: AuthorQuestion[] = []
  let wanted: Imported[] = []
  const preview = html`<div class="gift-preview" role="status"></div>`
  const text = area('', MAX_BYTES, 6)
  const file = html`<input type="file" accept=".gift,.txt,text/plain" />` as HTMLInputElement
  file.addEventListener('change', () => void readFile())
  text.addEventListener('input', () => show())

  async function readFile() {
    const [chosen] = file.files ?? []
    if (!chosen) return
    if (chosen.size > MAX_BYTES) {
      fillWith(preview, html`<p class="note is-bad">${t('too_long')}</p>`)
      return
    }
    text.value = await chosen.text()
    show()
  }

  function show() {
    const { questions, skipped } = importGift(text.value)
    wanted = questions
    fillWith(preview, text.value.trim() !== '' && whatWouldCome(questions, skipped))
  }

  await formDialog(
    t('import'),
    html`<div class="fields">
      <p class="hint">${t('gift_text')}</p>
      ${field({ name: 'file', label: t('file'), control: file })}
      ${field({ name: 'gift', label: t('or_text'), isOptional: true, control: text })} ${preview}
    </div>`,
    t('do_import'),
    async () => {
      if (wanted.length === 0) throw refusal(400, t('nothing_in_it'))
      while (wanted.length > 0) {
        const questions = wanted.slice(0, AT_ONCE).map(({ question }) => question)
        const { items } = await send<{ items: AuthorQuestion[] }>(
          'POST',
          `/api/episodes/tests/${test_id}/questions`,
          { questions },
        )
        made.push(...items)
        // Questions already sent are not sent again if a later request fails.
        wanted = wanted.slice(AT_ONCE)
      }
    },
    { isWide: true },
  )
  return made
}

function whatWouldCome(questions: Imported[], skipped: Skipped[]): HTMLElement {
  return html`<div class="fields">
    <h3>${questions.length === 0 ? t('nothing_to') : t('to_import', { count: questions.length })}</h3>
    <ul class="gift-lines">
      ${questions.map(
        ({ question, notes }) =>
          html`<li>
            ${icon('check')}<span
              ><span dir="auto">${question.prompt}</span>
              <span class="hint">${t(question.type)}${notes.map((note) => ` · ${note}`)}</span></span
            >
          </li>`,
      )}
    </ul>
    ${
      skipped.length > 0 &&
      html`<div class="fields is-tight">
        <h3>${t('skipped', { count: skipped.length })}</h3>
        <ul class="gift-lines">
          ${skipped.map(
            ({ line, prompt, reason }) =>
              html`<li>
                ${icon('warn')}<span
                  ><span dir="auto">${prompt || t('without_text')}</span>
                  <span class="hint">${t('line', { line, reason })}</span></span
                >
              </li>`,
          )}
        </ul>
      </div>`
    }
  </div>`
}
