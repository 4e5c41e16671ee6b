import { texts } from '#foundation/web/client/language.ts'
import { type Refusal } from './api.ts'
import { type Child, html } from './html.ts'
import { phrase } from './phrase.ts'
import { inLanguage } from './refusals.ts'
import { SHELL_TEXTS } from './shell-texts.ts'

const t = texts(SHELL_TEXTS)

type Action = { text: string; href: string } | { text: string; run: () => void }

/** The empty state: one sentence and at most one action. */
export const empty = (text: string, action?: Action): HTMLElement =>
  html`<div class="empty">
    <p>${text}</p>
    ${action && actionOf(action)}
  </div>`

/** A placeholder in the shape of the coming content. Screen readers learn of it by aria-busy. */
export const skeleton = (rows = 4): HTMLElement =>
  html`<div class="skeleton" aria-hidden="true">
    ${Array.from({ length: rows }, () => html`<div class="skeleton-row"><i></i><b></b><b></b></div>`)}
  </div>`

/** The sign-in URL that returns to this page. */
export const signInAddress = (sso_url: string): string =>
  `${sso_url}/sign-in?${new URLSearchParams({ site_code: 'learning', return_to: location.href }).toString()}`

export const signedOut = (sso_url: string, why = t('sign_in_why')): HTMLElement =>
  panel(t('sign_in_first'), why, {
    text: t('sign_in'),
    href: signInAddress(sso_url),
  })

/** The panel for a failed read. `retry` loads again; a 429 retries by itself after its wait. */
export function refusalPanel({ status, message, retry_after }: Refusal, retry: () => void): HTMLElement {
  if (status === 429) return countdown(retry_after || 5, retry)
  if (status === 0) {
    addEventListener('online', retry, { once: true })
    return panel(navigator.onLine ? t('silent') : t('offline'), t('offline_text'), {
      text: t('try_again'),
      run: retry,
    })
  }
  if (status === 503) return panel(t('soon'), sentence(message), { text: t('try_again'), run: retry })
  return panel(t('failed'), sentence(message), { text: t('try_again'), run: retry })
}

function countdown(seconds: number, retry: () => void): HTMLElement {
  const left = html`<strong>${seconds}</strong>`
  const shown = panel(t('wait'), phrase(t, 'wait_text', { seconds: left }))
  let rest = seconds
  const timer = setInterval(() => {
    rest -= 1
    left.textContent = String(Math.max(rest, 0))
    if (rest > 0 && shown.isConnected) return
    clearInterval(timer)
    if (shown.isConnected) retry()
  }, 1_000)
  return shown
}

const panel = (title: string, text: Child, action?: Action): HTMLElement =>
  html`<section class="panel" role="alert">
    <h2>${title}</h2>
    <p>${text}</p>
    ${action && actionOf(action)}
  </section>`

const actionOf = (action: Action) =>
  'href' in action
    ? html`<p><a class="button" href=${action.href}>${action.text}</a></p>`
    : html`<p><button type="button" onclick=${action.run}>${action.text}</button></p>`

/** What the service said, as a sentence in the language of the page. */
export function sentence(said: string): string {
  const text = inLanguage(said)
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
