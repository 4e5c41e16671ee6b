import { type Html, html } from '../../core/pages/html.ts'
import { field, form, layOut, links } from '../../core/pages/layout.ts'
import type { FormState } from './faults.ts'
import { newPassword, type Shown } from './sign-in-pages.ts'

export const forgotPage = ({
  destination,
  form_token,
  faults,
  email,
}: Shown & { email?: string | undefined }) =>
  layOut({
    title: 'Choose a new password',
    faults,
    main: html` <p class="lead">We send you a link by e-mail.</p>
      ${form(
        `/forgot-password${destination.query}`,
        form_token,
        html` ${field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', value: email, isFirst: true, faults })}
          <button type="submit">Send the link</button>`,
      )}
      ${links({ href: `/sign-in${destination.query}`, text: 'Back to sign-in' })}`,
  })

/** Identical for known and unknown addresses, so that it does not reveal accounts. */
export const sentPage = (query: string) =>
  layOut({
    title: 'Look into your mailbox',
    main: html` <p class="lead">
        If there is an account with this address, a link to choose a new password is on its way. It works for
        30 minutes.
      </p>
      ${links({ href: `/forgot-password${query}`, text: 'Nothing came? Ask for another link' }, { href: `/sign-in${query}`, text: 'Back to sign-in' })}`,
  })

/** Identical whether or not the address has an account. */
export const mailboxPage = (email: string, isMailSent: boolean, query: string) =>
  layOut({
    title: 'Look into your mailbox',
    main: html` <p class="lead">
        We wrote to ${email}. Open the link in the message to choose your password and go on. If this address
        has an account already, the message says so.
      </p>
      ${
        !isMailSent &&
        html`<p>
          No mail server is set up here yet: the message leaves as soon as there is one. Ask whoever runs this
          installation.
        </p>`
      }
      ${links({ href: `/sign-up${query}`, text: 'Nothing came? Ask again in a minute' }, { href: `/sign-in${query}`, text: 'Back to sign-in' })}`,
  })

export type TokenPage = FormState & { token?: string | undefined }

type LinkPage = { title: string; lead?: Html; action: string; fields?: Html; button: string }

/** The page a mailed link leads to. It needs a click on a button, because mail scanners open every link. */
export const linkPage = (
  { title, lead, action, fields, button }: LinkPage,
  { form_token, faults, token }: TokenPage,
) =>
  layOut({
    title,
    faults,
    script: 'fragment.js',
    main: html` ${lead && html`<p class="lead">${lead}</p>`}
    ${form(
      action,
      form_token,
      html` ${tokenField({ token, faults })} ${fields}
        <button type="submit">${button}</button>`,
      'data-takes-fragment',
    )}`,
  })

export const resetPage = (state: TokenPage) =>
  linkPage(
    {
      title: 'Choose your password',
      action: '/reset-password',
      fields: newPassword(state.faults, 'New password'),
      button: 'Save the password',
    },
    state,
  )

export const firstPasswordPage = (state: TokenPage & Shown) =>
  linkPage(
    {
      title: 'Choose your password',
      action: `/sign-up/password${state.destination.query}`,
      fields: newPassword(state.faults),
      button: 'Save the password and go on',
    },
    state,
  )

export const passwordSavedPage = () =>
  layOut({
    title: 'Your password is saved',
    main: html` <p class="lead">Use it from now on. Wherever you were signed in, you are signed out.</p>
      ${links({ href: '/sign-in', text: 'Sign in' })}`,
  })

export const verifyPage = (state: TokenPage) =>
  linkPage(
    {
      title: 'Confirm your e-mail address',
      lead: html`So we know that the address is yours, and can help you if you lose your password.`,
      action: '/verify-email',
      button: 'Confirm',
    },
    state,
  )

export const verifiedPage = (email: string) =>
  layOut({
    title: 'Your address is confirmed',
    main: html` <p class="lead">${email} is yours.</p>
      ${links({ href: '/sign-in', text: 'Go on to sign-in' })}`,
  })

/** The token of the link, in a hidden field once it is known. Without script the person pastes it here. */
function tokenField({ token, faults = [] }: Pick<TokenPage, 'token' | 'faults'>) {
  const isWrong = faults.some(({ field }) => field === 'token')
  if (token !== undefined && token !== '' && !isWrong)
    return html`<input type="hidden" name="token" value="${token}" />`
  return html` <div data-token-field>
    ${field({
      name: 'token',
      label: 'Link from the e-mail',
      autocomplete: 'off',
      hint: 'Paste the whole link, or the code behind “token=” in it.',
      isName: true,
      faults,
    })}
  </div>`
}
