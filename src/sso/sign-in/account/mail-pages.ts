import { html } from '../../core/pages/html.ts'
import { form, layOut, links } from '../../core/pages/layout.ts'
import { type TokenPage, tokenField } from '../hosted/mail-pages.ts'

/** The pages that the links of a changed address lead to. A button, because programs that look through mail open every link. */
export const emailConfirmPage = ({ form_token, faults, token }: TokenPage) =>
  layOut({
    title: 'Confirm your new e-mail address',
    faults,
    script: 'fragment.js',
    main: html` <p class="lead">It becomes the address of your account, and your other sessions end.</p>
      ${form(
        '/account/email-confirm',
        form_token,
        html` ${tokenField({ token, faults })}
          <button type="submit">Confirm</button>`,
        'data-takes-fragment',
      )}`,
  })

export const emailChangedPage = (email: string) =>
  layOut({
    title: 'Your e-mail address is changed',
    main: html` <p class="lead">${email} is the address of your account now.</p>
      ${links({ href: '/account', text: 'Go to your account' })}`,
  })

export const emailUndoPage = ({ form_token, faults, token }: TokenPage) =>
  layOut({
    title: 'Take your account back',
    faults,
    script: 'fragment.js',
    main: html` <p class="lead">
        The address of your account becomes again what it was. All sessions end, what was set up since is
        removed, and we send you a link to choose a new password.
      </p>
      ${form(
        '/account/email-undo',
        form_token,
        html` ${tokenField({ token, faults })}
          <button type="submit">Take it back</button>`,
        'data-takes-fragment',
      )}`,
  })

export const emailUndonePage = (email: string) =>
  layOut({
    title: 'Your account is yours again',
    main: html` <p class="lead">
      A link to choose a new password is on its way to ${email}. The old password opens nothing any more.
    </p>`,
  })
