import { confirmEmailChange, undoEmailChange } from '../../people/users/email-change.ts'
import type { LinkPage } from '../hosted/visit-mail.ts'
import { emailChangedPage, emailConfirmPage, emailUndonePage, emailUndoPage } from './mail-pages.ts'

/** The pages of the two links that are mailed when an address changes. */
export const LINK_PAGES: Record<string, LinkPage> = {
  '/account/email-confirm': {
    pageOf: emailConfirmPage,
    act: async (parts, { token }, from) => emailChangedPage(await confirmEmailChange(parts, token, from)),
  },
  '/account/email-undo': {
    pageOf: emailUndoPage,
    act: async (parts, { token }, from) => emailUndonePage(await undoEmailChange(parts, token, from)),
  },
}
