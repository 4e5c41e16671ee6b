import { texts } from '#foundation/web/client/language.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { SHELL_TEXTS } from './shell-texts.ts'

const t = texts(SHELL_TEXTS)

/** The bell of the header. What it holds loads after the page, so that it delays nothing. */
export function bellButton(): HTMLElement {
  const button = html`<button
    type="button"
    class="icon-button bell"
    popovertarget="notifications"
    aria-label=${t('notifications')}
  >
    ${icon('bell')}<span class="bell-count" aria-hidden="true" hidden></span>
  </button>`
  const list = html`<div id="notifications" popover class="popover notifications"></div>`
  const load = () =>
    void import('./bell.ts').then(({ fillBell }) => fillBell(button, list)).catch(() => undefined)
  if (document.readyState === 'complete') load()
  else addEventListener('load', load, { once: true })
  return html`<div class="menu">${button}${list}</div>`
}
