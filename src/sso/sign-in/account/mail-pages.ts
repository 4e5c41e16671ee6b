import { html } from '../../core/pages/html.ts'
import { layOut, links } from '../../core/pages/layout.ts'
import { linkPage, type TokenPage } from '../hosted/mail-pages.ts'

/** The pages that the links in the mails about a changed address lead to. */
export const emailConfirmPage = (state: TokenPage) =>
  linkPage(
    {
      title: 'Confirm your new e-mail address',
      lead: html`It becomes the address of your account, and your other sessions end.`,
      action: '/account/email-confirm',
      button: 'Confirm',
    },
    state,
  )

export const emailUndoPage = (state: TokenPage) =>
  linkPage(
    {
      title: 'Take your account back',
      lead: html`The address of your account becomes again what it was. All sessions end, what was set up
      since is removed, and we send you a link to choose a new password.`,
      action: '/account/email-undo',
      button: 'Take it back',
    },
    state,
  )

export const emailChangedPage = (email: string) =>
  layOut({
    title: 'Your e-mail address is changed',
    main: html` <p class="lead">${email} is the address of your account now.</p>
      ${links({ href: '/account', text: 'Go to your account' })}`,
  })

export const emailUndonePage = (email: string) =>
  layOut({
    title: 'Your account is yours again',
    main: html` <p class="lead">
      A link to choose a new password is on its way to ${email}. The old password opens nothing any more.
    </p>`,
  })
