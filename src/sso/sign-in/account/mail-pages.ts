import { type Html, html } from '../../core/pages/html.ts'
import { layOut, links } from '../../core/pages/layout.ts'
import { confirmEmailChange, undoEmailChange } from '../../people/users/email-change.ts'
import { currentPassword, linkPage, type TokenPage } from '../hosted/mail-pages.ts'
import type { LinkPage } from '../hosted/visit-mail.ts'
import { t } from './words.ts'

const emailConfirmPage = (state: TokenPage) =>
  linkPage(
    {
      title: t('confirm_email_title'),
      lead: t('confirm_email_lead'),
      action: '/account/email-confirm',
      fields: currentPassword(state.faults),
      button: t('confirm'),
    },
    state,
  )

const emailUndoPage = (state: TokenPage) =>
  linkPage(
    {
      title: t('undo_title'),
      lead: t('undo_lead'),
      action: '/account/email-undo',
      button: t('undo'),
    },
    state,
  )

const emailChangedPage = (email: string): Html =>
  layOut({
    title: t('email_changed_title'),
    main: html` <p class="lead">${t('email_changed_lead', { email })}</p>
      ${links({ href: '/account', text: t('go_to_account') })}`,
  })

const emailUndonePage = (email: string): Html =>
  layOut({
    title: t('undone_title'),
    main: html` <p class="lead">${t('undone_lead', { email })}</p>`,
  })

/** The pages of the two links that are mailed when an address changes. */
export const LINK_PAGES: Record<string, LinkPage> = {
  '/account/email-confirm': {
    pageOf: emailConfirmPage,
    act: async (parts, given, from) => emailChangedPage(await confirmEmailChange(parts, given, from)),
  },
  '/account/email-undo': {
    pageOf: emailUndoPage,
    act: async (parts, { token }, from) => emailUndonePage(await undoEmailChange(parts, token, from)),
  },
}
