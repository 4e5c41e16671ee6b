import { texts } from '#foundation/web/client/language.ts'
import type { EnrollmentPage } from '../api-types.ts'
import { get, info, refusalOf, send } from './api.ts'
import { CERTIFICATE_TEXTS } from './certificate-texts.ts'
import { act } from './form.ts'
import { exactPercent } from './format.ts'
import { fillWith, html } from './html.ts'
import { badge } from './parts.ts'
import { phrase } from './phrase.ts'
import { reachable } from './session.ts'

const t = texts(CERTIFICATE_TEXTS)

/** Fills the place with the way to the certificate of a channel that is passed, or with what is still missing. */
export async function showCertificate(place: HTMLElement, channel_id: string): Promise<void> {
  const { items } = await get<EnrollmentPage>(`/api/enrollments?channel_id=${channel_id}`)
  const [enrollment] = items
  if (!enrollment) return
  if (enrollment.passed) return fillWith(place, passed(channel_id))
  if (enrollment.completed_at === null) return
  // The number that every page shows; what is not graded yet is told by the words.
  const { grade_percent, passing_percent } = enrollment
  const values = { percent: exactPercent(passing_percent), now: exactPercent(grade_percent) }
  fillWith(place, html`<p class="quiet-text">${t('not_yet', values)}</p>`)
}

function passed(channel_id: string): HTMLElement {
  const told = html`<div role="status"></div>`
  const button = html`<button type="button" class="wide">${t('get')}</button>`
  const issue = async () => {
    try {
      const { code } = await send<{ code: string }>('POST', `/api/channels/${channel_id}/certificate`)
      location.assign(`/certificate?${new URLSearchParams({ code }).toString()}`)
    } catch (error) {
      if (refusalOf(error).message !== 'Your profile has no name for the certificate') throw error
      const account = `${reachable((await info()).sso_url)}/account`
      const link = html`<a href=${account}>${t('account')}</a>`
      fillWith(told, html`<p class="note is-warn">${phrase(t, 'no_name', { account: link })}</p>`)
    }
  }
  button.addEventListener('click', () => void act(button, issue))
  return html`<section class="stack-small" aria-label=${t('certificate')}>
    <p>${badge(t('passed'), 'good', 'check')}</p>
    ${button} ${told}
  </section>`
}
