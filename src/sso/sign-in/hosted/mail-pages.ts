import { type Html, html } from '../../core/pages/html.ts'
import { field, form, layOut, links } from '../../core/pages/layout.ts'
import type { FormState, Shown } from './faults.ts'
import { passkeyChoice } from './new-passkey-pages.ts'
import { newPassword } from './sign-in-pages.ts'
import { t } from './words.ts'

export const forgotPage = ({
  destination,
  form_token,
  faults,
  email,
}: Shown & { email?: string | undefined }) =>
  layOut({
    title: t('forgot_title'),
    faults,
    main: html` <p class="lead">${t('forgot_lead')}</p>
      ${form(
        `/forgot-password${destination.query}`,
        form_token,
        html` ${field({ name: 'email', label: t('label_email'), type: 'email', autocomplete: 'username', value: email, isFirst: true, faults })}
          <button type="submit">${t('send_link')}</button>`,
      )}
      ${links({ href: `/sign-in${destination.query}`, text: t('back_to_sign_in') })}`,
  })

/** Identical for known and unknown addresses, so that it does not reveal accounts. */
export const sentPage = (query: string) =>
  layOut({
    title: t('look_into_mailbox'),
    main: html` <p class="lead">${t('sent_lead')}</p>
      ${links({ href: `/forgot-password${query}`, text: t('nothing_came') }, { href: `/sign-in${query}`, text: t('back_to_sign_in') })}`,
  })

/** Identical whether or not the address has an account. */
export const mailboxPage = (email: string, isMailSent: boolean, query: string) =>
  layOut({
    title: t('look_into_mailbox'),
    main: html` <p class="lead">${t('mailbox_lead', { email })}</p>
      ${!isMailSent && html`<p>${t('no_mail_server')}</p>`}
      ${links({ href: `/sign-up${query}`, text: t('nothing_came_wait') }, { href: `/sign-in${query}`, text: t('back_to_sign_in') })}`,
  })

export type TokenPage = FormState & { token?: string | undefined }

type LinkPage = Record<'title' | 'button', Html> & {
  lead?: Html
  /** Another way on, above the form. */
  choice?: Html
  action: string
  fields?: Html
}

/** The page a mailed link leads to. It needs a click on a button, because mail scanners open every link. */
export const linkPage = (
  { title, lead, choice, action, fields, button }: LinkPage,
  { form_token, faults, token }: TokenPage,
) =>
  layOut({
    title,
    faults,
    script: 'fragment.js',
    main: html` ${lead && html`<p class="lead">${lead}</p>`} ${choice}
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
      title: t('choose_way'),
      choice: passkeyChoice('/reset-password/passkey', state),
      action: '/reset-password',
      fields: newPassword(state.faults, t('new_password')),
      button: t('save_password'),
    },
    state,
  )

export const firstPasswordPage = (state: TokenPage & Shown) =>
  linkPage(
    {
      title: t('choose_way'),
      choice: passkeyChoice(`/sign-up/passkey${state.destination.query}`, state),
      action: `/sign-up/password${state.destination.query}`,
      fields: newPassword(state.faults),
      button: t('save_password_go_on'),
    },
    state,
  )

export const passwordSavedPage = () =>
  layOut({
    title: t('password_saved'),
    main: html` <p class="lead">${t('password_saved_lead')}</p>
      ${links({ href: '/sign-in', text: t('sign_in') })}`,
  })

export const verifyPage = (state: TokenPage) =>
  linkPage(
    {
      title: t('verify_title'),
      lead: t('verify_lead'),
      action: '/verify-email',
      fields: currentPassword(state.faults, t('verify_password_hint')),
      button: t('confirm'),
    },
    state,
  )

/** The password of the account, which a visitor who is signed in need not give. */
export const currentPassword = (faults: TokenPage['faults'], hint?: Html) =>
  field({
    name: 'password',
    label: t('label_password'),
    type: 'password',
    autocomplete: 'current-password',
    hint: html`${t('signed_in_hint')} ${hint}`,
    isOptional: true,
    faults,
  })

export const verifiedPage = (email: string) =>
  layOut({
    title: t('verified_title'),
    main: html` <p class="lead">${t('verified_lead', { email })}</p>
      ${links({ href: '/sign-in', text: t('go_on_to_sign_in') })}`,
  })

/** The token of the link, in a hidden field once it is known. Without script the person pastes it here. */
function tokenField({ token, faults = [] }: Pick<TokenPage, 'token' | 'faults'>) {
  const isWrong = faults.some(({ field }) => field === 'token')
  if (token !== undefined && token !== '' && !isWrong)
    return html`<input type="hidden" name="token" value="${token}" />`
  return html` <div data-token-field>
    ${field({
      name: 'token',
      label: t('link_from_mail'),
      autocomplete: 'off',
      hint: t('link_hint'),
      isName: true,
      faults,
    })}
  </div>`
}
