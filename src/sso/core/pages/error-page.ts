import type { ApiError } from '#foundation/errors.ts'
import { html } from './html.ts'
import { layOut, links } from './layout.ts'

const TITLES: Record<number, string> = {
  400: 'This link does not work',
  403: 'Please try once more',
  404: 'This page does not exist',
  429: 'Too many attempts',
  503: 'Please try again shortly',
}

/**
 * Renders an error as a page. `back`: the URL where the visitor can try again. `request_id` identifies the request in
 * the log.
 */
export const errorPage = ({ status, detail }: ApiError, back: string | undefined, request_id: string) =>
  layOut({
    title: TITLES[status] ?? (status < 500 ? 'This did not work' : 'Something went wrong'),
    main: html` <p class="lead" role="alert">${/[.!?]$/.test(detail) ? detail : `${detail}.`}</p>
      ${links(...(back === undefined ? [] : [{ href: back, text: 'Try again' }]), { href: '/sign-in', text: 'Go to sign-in' })}`,
    footer: status >= 500 ? html`<p>If it goes on, tell us this number: ${request_id}</p>` : undefined,
  })
