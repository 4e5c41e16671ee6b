import { texts } from '#foundation/web/client/language.ts'
import type { AuthorQuestion, BankPage } from '../api-types.ts'
import { get, refusal, send } from './api.ts'
import { act, field } from './form.ts'
import { formDialog } from './form-dialog.ts'
import { fillWith, html } from './html.ts'
import { meta } from './parts.ts'
import { phrase } from './phrase.ts'
import { BANK_TEXTS } from './question-bank-texts.ts'
import { QUESTION_TEXTS } from './question-texts.ts'

const t = texts(BANK_TEXTS)
const words = texts(QUESTION_TEXTS)
const PER_PAGE = 20
/** The most questions that one request copies. */
const MOST = 100
/** Milliseconds without a key before the service is asked. */
const PAUSE = 250

type Asked = BankPage['items'][number]

/** Lets the author choose among the questions of the channel's other tests. Returns the copies that were made. */
export async function bankDialog(test_id: string): Promise<AuthorQuestion[]> {
  const path = `/api/episodes/tests/${test_id}/bank`
  const chosen = new Set<string>()
  let made: AuthorQuestion[] = []
  const list = html`<ol class="rows"></ol>`
  const told = html`<p class="quiet-text" role="status"></p>`
  const more = html`<button type="button" class="second small" onclick=${() => void show(page + 1)}>
    ${t('more')}
  </button>`
  let page = 1

  const line = ({ id, type, prompt, points, test_title, episode_title }: Asked) => {
    const from = { test: html`<bdi>${test_title}</bdi>`, episode: html`<bdi>${episode_title}</bdi>` }
    return html`<li>
      <div class="tick">
        <input
          type="checkbox"
          id="bank-${id}"
          checked=${chosen.has(id)}
          onchange=${({ target }: Event) => pick(id, (target as HTMLInputElement).checked)}
        />
        <label for="bank-${id}" dir="auto">${prompt}</label>
      </div>
      ${meta(words(type), words('points', { count: points }), phrase(t, 'from', from))}
    </li>`
  }

  function pick(id: string, isOn: boolean) {
    if (isOn && chosen.size < MOST) chosen.add(id)
    else chosen.delete(id)
    told.textContent = chosen.size > 0 ? t('chosen', { count: chosen.size }) : ''
  }

  async function show(next: number) {
    const q = input.value.trim()
    const query = new URLSearchParams({ q, per_page: String(PER_PAGE), page: String(next) })
    await act(more, async () => {
      const { items, pages } = await get<BankPage>(`${path}?${query.toString()}`)
      if (q !== input.value.trim()) return
      page = next
      if (next === 1) fillWith(list)
      list.append(...items.map(line))
      more.hidden = next >= pages
      if (next === 1 && items.length === 0) fillWith(list, html`<li>${t('none')}</li>`)
    })
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  const input = html`<input
    type="search"
    maxlength="200"
    autocomplete="off"
    dir="auto"
  />` as HTMLInputElement
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void show(1), PAUSE)
  })
  // Enter would send what is chosen.
  input.addEventListener('keydown', (event) => event.key === 'Enter' && event.preventDefault())
  await show(1)
  await formDialog(
    t('title'),
    html`<div class="fields">
      ${field({ name: 'q', label: t('find'), hint: t('hint'), control: input })} ${list} ${more} ${told}
    </div>`,
    t('add'),
    async () => {
      if (chosen.size === 0) throw refusal(400, t('choose'))
      made = (await send<{ items: AuthorQuestion[] }>('POST', path, { question_ids: [...chosen] })).items
    },
    { isWide: true },
  )
  return made
}
