import { texts } from '#foundation/web/client/language.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { SHELL_TEXTS } from './shell-texts.ts'

const t = texts(SHELL_TEXTS)
const LATE_MS = 2_000

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
  let isAsked = false
  const once = () => {
    if (!isAsked) load()
    isAsked = true
  }
  for (const event of ['pointerenter', 'focus', 'click']) button.addEventListener(event, once)
  // The number may come late; what the page is about may not wait for it.
  setTimeout(once, LATE_MS)
  return html`<div class="menu">${button}${list}</div>`
}
