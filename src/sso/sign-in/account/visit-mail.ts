import { missing, type Refusal, refusalOf } from '../hosted/faults.ts'
import type { TokenPage } from '../hosted/mail-pages.ts'
import { tokenIn } from '../hosted/visit-mail.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { confirmEmailChange, undoEmailChange } from '../../people/users/email-change.ts'
import { emailChangedPage, emailConfirmPage, emailUndonePage, emailUndoPage } from './mail-pages.ts'

type Kind = {
  form: (shown: TokenPage) => string
  act: (parts: SsoParts, token: string, from: Origin) => Promise<string>
  done: (email: string) => string
}

/** The two links of a changed address: they name no visitor, whoever has the mailbox may open them. */
export const MAIL_PAGES = {
  'email-confirm': { form: emailConfirmPage, act: confirmEmailChange, done: emailChangedPage },
  'email-undo': { form: emailUndoPage, act: undoEmailChange, done: emailUndonePage },
} satisfies Record<string, Kind>

export const getMailPage = (visit: Visit, kind: Kind): Answer => tokenForm(visit, kind, {})

export async function postMailPage(
  parts: SsoParts,
  visit: Visit,
  kind: Kind,
  given: string,
): Promise<Answer> {
  const token = tokenIn(given)
  if (token === '')
    return tokenForm(visit, kind, { refusal: missing('token', 'Paste the link from the e-mail') })
  try {
    return { page: kind.done(await kind.act(parts, token, visit.from)) }
  } catch (error) {
    return tokenForm(visit, kind, { token, refusal: refusalOf(error, 'token') })
  }
}

function tokenForm(
  visit: Visit,
  kind: Kind,
  { token, refusal }: { token?: string; refusal?: Refusal },
): Answer {
  const { form_token, cookie } = visit.nextForm()
  return { ...refusal, page: kind.form({ form_token, token, faults: refusal?.faults }), cookies: [cookie] }
}
