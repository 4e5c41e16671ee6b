import { Type } from 'typebox'
import { ApiError } from '#foundation/errors.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import type { Html } from '../../core/pages/html.ts'
import { visitorOf } from '../../core/pages/visitor.ts'
import { Line, NoQuery, type pagesOf } from '../../core/pages/requests.ts'
import { forgotPassword } from '../passwords/forgot.ts'
import { resetPassword } from '../passwords/reset.ts'
import { verifyEmail } from '../passwords/verify-email.ts'
import type { Context } from './destination.ts'
import { formAnswer, missing, passwordRefusal, type Refusal, refusalOf } from './faults.ts'
import {
  forgotPage,
  passwordSavedPage,
  resetPage,
  sentPage,
  type TokenPage,
  verifiedPage,
  verifyPage,
} from './mail-pages.ts'
import { t } from './words.ts'

export const getForgot = (context: Context) => forgotForm(context)

export async function postForgot(context: Context, { email: typed }: { email: string }): Promise<Answer> {
  const { parts, visit, destination } = context
  const email = typed.trim()
  if (email === '') return forgotForm(context, missing('email', t('enter_email')))
  await forgotPassword(parts, destination.site, email, visit.from)
  return { page: sentPage(destination.query) }
}

const forgotForm = ({ visit, destination }: Context, refusal?: Refusal) =>
  formAnswer(visit, (state) => forgotPage({ destination, ...state }), { refusal })

/** `session_id`: of whoever is signed in where the link is opened. */
type Opened = { token: string; password: string; session_id: string | undefined }

/** The page a mailed link leads to. It is tied to no visitor: whoever reads the mailbox may open it. */
export type LinkPage = {
  pageOf: (state: TokenPage) => Html
  takesPassword?: boolean
  /** Performs the action of the link and returns the page that confirms it. */
  act: (parts: SsoParts, given: Opened, from: Origin) => Promise<Html>
}

export const LINK_PAGES: Record<string, LinkPage> = {
  '/reset-password': {
    pageOf: resetPage,
    takesPassword: true,
    async act(parts, { token, password }, from) {
      await resetPassword(parts, { token, password, site: undefined }, from)
      return passwordSavedPage()
    },
  },
  '/verify-email': {
    pageOf: verifyPage,
    act: async (parts, given, from) => verifiedPage((await verifyEmail(parts, given, from)).email),
  },
}

const Fields = { token: Line, password: Type.Optional(Line) }

export function linkRoutes(
  { get, post }: ReturnType<typeof pagesOf>,
  parts: SsoParts,
  linkPages: Record<string, LinkPage>,
) {
  for (const [url, { pageOf, takesPassword, act }] of Object.entries(linkPages)) {
    const show = (visit: Visit, token?: string, refusal?: Refusal) =>
      formAnswer(visit, (state) => pageOf({ token, ...state }), { refusal })
    get(url, NoQuery, (visit) => show(visit))
    post(url, { querystring: NoQuery, fields: Fields }, async (visit, _, given) => {
      const { password = '' } = given
      const token = tokenIn(given.token)
      if (token === '') return show(visit, undefined, missing('token', t('paste_link')))
      const odd = takesPassword && passwordRefusal(password)
      if (odd) return show(visit, token, odd)
      try {
        const session_id = (await visitorOf(parts, visit))?.session_id
        return { page: await act(parts, { token, password, session_id }, visit.from) }
      } catch (error) {
        const isPassword = error instanceof ApiError && error.code === 'invalid_credentials'
        return show(visit, token, refusalOf(error, isPassword ? 'password' : 'token'))
      }
    })
  }
}

/** Takes the bare token or extracts it from the whole link. */
export const tokenIn = (text: string) => /(?:^|token=)([\w-]+)\s*$/.exec(text.trim())?.[1] ?? text.trim()
