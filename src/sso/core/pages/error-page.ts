import type { ApiError } from '#foundation/errors.ts'
import words from './error-words.json' with { type: 'json' }
import { type Html, html, textsOf } from './html.ts'
import { layOut, links } from './layout.ts'
import { refusalText } from './refusal-text.ts'

const t = textsOf(words)
const TITLES: Record<number, Html> = {
  400: t('title_400'),
  403: t('title_403'),
  404: t('title_404'),
  429: t('title_429'),
  503: t('title_503'),
}

/**
 * Renders an error as a page. `back`: the URL where the visitor can try again. `request_id` identifies the request in
 * the log.
 */
export const errorPage = (error: ApiError, back: string | undefined, request_id: string): Html =>
  layOut({
    title: TITLES[error.status] ?? t(error.status < 500 ? 'title_4xx' : 'title_5xx'),
    main: html` <p class="lead" role="alert">${refusalText(error)}${!/[.!?]$/.test(error.detail) && '.'}</p>
      ${links(...(back === undefined ? [] : [{ href: back, text: t('again') }]), { href: '/sign-in', text: t('sign_in') })}`,
    footer: error.status >= 500 ? html`<p>${t('number', { request_id })}</p>` : undefined,
  })
