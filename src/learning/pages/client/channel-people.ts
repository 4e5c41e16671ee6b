import { texts } from '#foundation/web/client/language.ts'
import type { Learner, LearnerPage } from '../api-types.ts'
import { get, send } from './api.ts'
import { wordsOf } from './evidence-words.ts'
import { confirmed } from './dialog.ts'
import { act, field, required } from './form.ts'
import { formDialog } from './form-dialog.ts'
import { exactPercent, percent, when } from './format.ts'
import { fillWith, html } from './html.ts'
import { learnersOf, moreLearners } from './learners.ts'
import { badge } from './parts.ts'
import { addressOf, nameOf } from './person.ts'
import { area, textIn } from './read.ts'
import { empty } from './states.ts'
import { TEACHING_TEXTS } from './teaching-texts.ts'
import { toast } from './toast.ts'
import { isAtRisk, riskBadge } from './today.ts'

const t = texts(TEACHING_TEXTS)
/** As many as one e-mail goes to. */
const MOST = 200

/** The roster of a channel: who learns, how far they are, and whom a teacher may write to or remove. */
export async function peopleOf(channel_id: string): Promise<HTMLElement> {
  const first = await get<LearnerPage>(learnersOf(channel_id, 'risk'))
  if (first.total === 0) return empty(t('nobody'))
  let people = first.items
  const picked = new Set<string>()
  const body = html`<tbody role="rowgroup"></tbody>`
  const writer = html`<button type="button" class="second small" disabled>
    ${t('write')}
  </button>` as HTMLButtonElement
  const everybody = html`<button type="button" class="quiet" onclick=${() => pickAll()}></button>`
  const isAll = () => people.every(({ user_id }) => picked.has(user_id))
  const count = () => {
    writer.disabled = picked.size === 0
    writer.textContent = picked.size === 0 ? t('write') : t('write_to', { count: picked.size })
    everybody.hidden = people.length > MOST
    everybody.textContent = isAll() ? t('select_none') : t('select_all', { count: people.length })
  }
  const show = () => {
    count()
    fillWith(body, people.map(row))
  }

  // The roles stay when a phone shows the rows as cards.
  const row = (one: Learner) => {
    const name = nameOf(one)
    return html`<tr role="row">
      <td role="cell">
        <input
          type="checkbox"
          aria-label=${t('select', { name })}
          checked=${picked.has(one.user_id)}
          onchange=${({ target }: Event) => pick(one.user_id, (target as HTMLInputElement).checked)}
        />
      </td>
      <th scope="row" role="rowheader">
        <a dir="auto" href="/channel?id=${channel_id}&view=grades&learner=${one.user_id}">${name}</a>
        ${addressOf(one)}
      </th>
      <td role="cell" class="number" data-label=${t('progress')}>${percent(one.progress_percent)}</td>
      <td role="cell" data-label=${t('last_seen')}>${when(one.last_activity_at)}</td>
      <td role="cell" class="number" data-label=${t('grade_column')}>${exactPercent(one.grade_percent)}</td>
      <td role="cell">
        ${one.status === 'completed' ? badge(t('finished'), 'good', 'check') : riskBadge(one.risk)}
        ${one.status !== 'completed' && isAtRisk(one.risk) && one.reasons && html`<span class="quiet-text under">${one.reasons.map(wordsOf).join(', ')}</span>`}
      </td>
      <td role="cell">
        <button
          type="button"
          class="quiet small"
          onclick=${({ currentTarget }: Event) => remove(one, currentTarget as HTMLElement)}
        >
          ${t('remove')}<span class="unseen"> ${name}</span>
        </button>
      </td>
    </tr>`
  }

  function pick(user_id: string, isPicked: boolean): void {
    if (isPicked) picked.add(user_id)
    else picked.delete(user_id)
    count()
  }

  /** Everybody who is shown, or nobody where that is so. */
  function pickAll(): void {
    const isOn = !isAll()
    for (const { user_id } of people) pick(user_id, isOn)
    show()
  }

  async function remove(one: Learner, button: HTMLElement): Promise<void> {
    const name = nameOf(one)
    if (!(await confirmed(t('remove_one', { name }), t('remove_text'), t('remove')))) return
    await act(button, async () => {
      await send('DELETE', `/api/channels/${channel_id}/learners/${one.user_id}`)
      people = people.filter(({ user_id }) => user_id !== one.user_id)
      picked.delete(one.user_id)
      show()
      toast(t('removed', { name }))
    })
  }

  async function write(): Promise<void> {
    const user_ids = [...picked]
    const content = html`<div class="fields">
      ${field({ name: 'subject', label: t('subject'), control: html`<input required maxlength="150" dir="auto" />` })}
      ${field({ name: 'text', label: t('message'), control: required(area('', 5_000, 8)) })}
    </div>`
    await formDialog(t('write_to', { count: user_ids.length }), content, t('send'), async (form) => {
      const letter = { user_ids, subject: textIn(form, 'subject'), text: textIn(form, 'text') }
      const { sent, unreachable } = await send<{ sent: number; unreachable: string[] }>(
        'POST',
        `/api/channels/${channel_id}/letters`,
        letter,
      )
      const left = unreachable.length
      toast(`${t('sent', { count: sent })} ${left > 0 ? t('unreachable', { count: left }) : ''}`.trim())
    })
  }
  writer.addEventListener('click', () => void write())
  show()
  const more = moreLearners(first, learnersOf(channel_id, 'risk'), (all) => {
    people = all
    show()
  })
  return html`<section class="stack" aria-label=${t('people')}>
    <p class="actions">${writer} ${everybody}</p>
    <div class="scroll-x" tabindex="0" role="group" aria-label=${t('people')}>
      <table class="roster" role="table">
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader"><span class="unseen">${t('write')}</span></th>
            <th scope="col" role="columnheader">${t('name')}</th>
            <th scope="col" role="columnheader" class="number">${t('progress')}</th>
            <th scope="col" role="columnheader">${t('last_seen')}</th>
            <th scope="col" role="columnheader" class="number">${t('grade_column')}</th>
            <th scope="col" role="columnheader">${t('state')}</th>
            <th scope="col" role="columnheader"><span class="unseen">${t('remove')}</span></th>
          </tr>
        </thead>
        ${body}
      </table>
    </div>
    ${more.place}
  </section>`
}
