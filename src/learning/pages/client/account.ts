import { texts } from '#foundation/web/client/language.ts'
import type { Info } from '../api-types.ts'
import { bellButton } from './bell-button.ts'
import { fillWith, html } from './html.ts'
import { icon } from './icons.ts'
import { keep } from './kept.ts'
import { staySamePerson } from './same-person.ts'
import { SHELL_TEXTS } from './shell-texts.ts'
import { signInAddress } from './states.ts'

const t = texts(SHELL_TEXTS)

/** Shows the theme button and the signed-in user in the header. */
export function showAccount(user: Info['user'], sso_url: string): void {
  const place = document.querySelector('#account')
  if (!place || place.childElementCount > 0) return
  staySamePerson(user?.id)
  fillWith(
    place,
    user && bellButton(),
    themeButton(),
    user
      ? menuOf(user, sso_url)
      : html`<a class="button small" href=${signInAddress(sso_url)}>${t('sign_in')}</a>`,
  )
}

function menuOf({ email, role, is_admin }: NonNullable<Info['user']>, sso_url: string) {
  const action = `${sso_url}/sign-out?${new URLSearchParams({ return_to: `${location.origin}/` }).toString()}`
  return html`<div class="menu">
    <button
      type="button"
      class="avatar"
      popovertarget="account-menu"
      aria-label=${t('account_of', { email })}
    >
      <span aria-hidden="true">${email.slice(0, 1).toUpperCase()}</span>
    </button>
    <div id="account-menu" popover class="popover">
      <p class="who"><strong>${email}</strong><span>${roleName(role, is_admin)}</span></p>
      <ul>
        <li><a href="/channels?mine=1">${t('i_teach')}</a></li>
        <li><a href="/innovation">${t('suggestions')}</a></li>
      </ul>
      <form method="post" action=${action}>
        <button type="submit" class="quiet">${t('sign_out')}</button>
      </form>
    </div>
  </div>`
}

/** Sites may have roles of their own, which only they can name. */
function roleName(role: string, is_admin: boolean): string {
  if (is_admin) return t('administrator')
  return role === 'USER' ? t('user') : role.toLowerCase()
}

function themeButton() {
  const root = document.documentElement
  const isDark = () =>
    root.dataset['theme']
      ? root.dataset['theme'] === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches
  const button = html`<button type="button" class="icon-button"></button>`
  const show = () => {
    button.setAttribute('aria-label', isDark() ? t('light') : t('dark'))
    fillWith(button, icon(isDark() ? 'sun' : 'moon'))
  }
  button.addEventListener('click', () => {
    root.dataset['theme'] = isDark() ? 'light' : 'dark'
    keep('theme', root.dataset['theme'])
    show()
  })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show)
  show()
  return button
}
