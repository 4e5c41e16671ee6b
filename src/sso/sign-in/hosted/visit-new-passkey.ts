import { purposeOf } from '../consent/purpose.ts'
import {
  findPasskeyLink,
  makePasskey,
  type MadePasskey,
  newPasskeyOptions,
  type PasskeyLink,
  requireRecoveryCode,
} from '../login/new-passkey.ts'
import { openByPasskey } from '../login/passkey.ts'
import type { Html } from '../../core/pages/html.ts'
import type { Answer } from '../../core/pages/visit.ts'
import { lockActiveUser } from '../../people/person/users.ts'
import type { Context } from './destination.ts'
import { formOnTheWay, missing, type Refusal, refusalOf, type Shown } from './faults.ts'
import { firstPasswordPage, resetPage, type TokenPage } from './mail-pages.ts'
import { codeFirstPage, newPasskeyPage, passkeySavedPage, recoveryCodesPage } from './new-passkey-pages.ts'
import { readCredential } from './second-factor-question.ts'
import { answerSignIn } from './sign-in.ts'
import { tokenIn } from './visit-mail.ts'
import { t } from './words.ts'

/** Where a mailed link led: the page it opened, and what follows once the passkey is made. */
export type Start = {
  page: '/sign-up/password' | '/reset-password'
  path: '/sign-up/passkey' | '/reset-password/passkey'
  pageOf: (state: TokenPage & Shown) => Html
  make: (context: Context, made: Made) => Promise<Answer>
}
type Made = Parameters<typeof makePasskey>[1]
type Given = { token: string; recovery_code?: string | undefined }

export const STARTS: readonly Start[] = [
  { page: '/sign-up/password', path: '/sign-up/passkey', pageOf: firstPasswordPage, make: makeAndGoOn },
  { page: '/reset-password', path: '/reset-password/passkey', pageOf: resetPage, make: makeAgain },
]

/** Asks the browser for a passkey, and before that for a recovery code if the mailbox alone must not be enough. */
export async function postNewPasskey(
  context: Context,
  start: Start,
  { token: given, recovery_code }: Given,
): Promise<Answer> {
  const { parts, visit } = context
  const token = tokenIn(given)
  let link: PasskeyLink
  try {
    link = await findPasskeyLink(parts, token)
  } catch (error) {
    return startAgain(context, start, token, refusalOf(error, 'token'))
  }
  const askForCode = (refusal?: Refusal) => {
    const { has_codes } = link
    return formOnTheWay(
      context,
      (shown) => codeFirstPage({ ...shown, ...linksOf(shown, start), token, has_codes }),
      refusal,
    )
  }
  if (link.needs_code) {
    if (recovery_code === undefined || !link.has_codes) return askForCode()
    if (recovery_code.trim() === '') return askForCode(missing('recovery_code', t('enter_recovery_code')))
    try {
      await requireRecoveryCode(parts, link, recovery_code, visit.from)
    } catch (error) {
      return askForCode(refusalOf(error, 'recovery_code'))
    }
  }
  // The form was posted from this browser, so it keeps the cookie that the challenge is tied to.
  const public_key = await newPasskeyOptions(parts, link, visit.nextForm().challenge())
  const shown = {
    token,
    recovery_code: link.needs_code ? recovery_code : undefined,
    email: link.email,
    public_key,
  }
  return formOnTheWay(context, (state) => newPasskeyPage({ ...state, ...linksOf(state, start), ...shown }))
}

/** A reset begins at no site, so its links carry no query. */
const linksOf = ({ destination: { query } }: Shown, { page, path }: Start) => {
  const carried = page === '/reset-password' ? '' : query
  return { page: `${page}${carried}`, action: `${path}${carried}`, create: `${path}/create${carried}` }
}

const startAgain = (context: Context, { pageOf }: Start, token: string, refusal: Refusal) =>
  formOnTheWay(context, (shown) => pageOf({ token, ...shown }), refusal)

/** Takes the passkey that the browser made. */
export async function postMadePasskey(
  context: Context,
  start: Start,
  { credential, recovery_code, ...given }: Given & { credential: string },
): Promise<Answer> {
  const { visit } = context
  const token = tokenIn(given.token)
  if (credential === '') return startAgain(context, start, token, missing('passkey', t('no_passkey_made')))
  try {
    return await start.make(context, {
      token,
      recovery_code,
      credential: readCredential(credential),
      challenge: (challenge) => visit.endOfChallenge(challenge) !== undefined,
    })
  } catch (error) {
    const refusal = refusalOf(error, 'token')
    const faults = refusal.faults.map((fault) =>
      fault.field === 'passkey' ? { ...fault, message: t('passkey_refused') } : fault,
    )
    return startAgain(context, start, token, { ...refusal, faults })
  }
}

/** After a sign-up: signs in and returns to where the visit began. */
async function makeAndGoOn(context: Context, made: Made): Promise<Answer> {
  const { parts, visit, destination } = context
  const { site } = destination
  const { from } = visit
  // Consent waits until the recovery codes are kept; the code for a partner's site would not.
  const purpose = { ...purposeOf(destination), asks_anew: true }
  const { codes, result } = await makePasskey(parts, made, from, async (tx, link) => {
    if (link.environment !== site.environment) return undefined
    const user = await lockActiveUser(tx, site, link.user_id)
    return user && openByPasskey(tx, parts, site, user, { from, purpose })
  })
  if (!result) return saved({ codes, result })
  const answer = await answerSignIn(context, result)
  if (!codes || !('location' in answer)) return answer
  const { location, cookies = [] } = answer
  return { page: recoveryCodesPage(codes, location), cookies }
}

/** After a recovery: the person signs in with the new passkey, wherever they want to. */
async function makeAgain({ parts, visit }: Context, made: Made): Promise<Answer> {
  return saved(await makePasskey(parts, made, visit.from, async () => undefined))
}

const saved = ({ codes }: MadePasskey<undefined>): Answer => ({
  page: codes ? recoveryCodesPage(codes, '/sign-in') : passkeySavedPage(),
})
