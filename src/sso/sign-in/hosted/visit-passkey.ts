import { purposeOf } from '../consent/purpose.ts'
import { optionsForAnybody } from '../factors/passkeys.ts'
import { signInWithPasskey } from '../login/passkey.ts'
import type { SsoParts } from '../../core/parts.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import type { Context } from './destination.ts'
import { missing, type Refusal, refusalOf } from './faults.ts'
import { listOrganisations } from './organisations.ts'
import { readCredential } from './second-factor-question.ts'
import { answerSignIn } from './sign-in.ts'
import { signInForm } from './visit-sign-in.ts'
import { t } from './words.ts'

/** A new challenge for a sign-in page that has been open for long, and the cookie it is tied to. */
export function nextChallenge(parts: SsoParts, visit: Visit) {
  const { challenge, cookie } = visit.nextForm()
  return { options: optionsForAnybody(parts, challenge()), cookie }
}

/** Signs in by the passkey that the browser asked the visitor for. */
export async function postPasskey(context: Context, { credential }: { credential: string }): Promise<Answer> {
  const { parts, visit, destination } = context
  const { site } = destination
  const again = async (refusal: Refusal) =>
    signInForm(context, { refusal, organisations: await listOrganisations(parts.database, site) })
  if (credential === '') return again(missing('passkey', t('no_key_answer')))
  const answered = {
    credential: readCredential(credential),
    endOfChallenge: (challenge: string) => visit.endOfChallenge(challenge),
  }
  try {
    const how = { from: visit.from, purpose: purposeOf(destination) }
    return await answerSignIn(context, await signInWithPasskey(parts, site, answered, how))
  } catch (error) {
    return again(refusalOf(error, 'passkey'))
  }
}
