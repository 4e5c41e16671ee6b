import { completeAllowed } from '../login/allow.ts'
import { consentPage } from '../consent/pages.ts'
import { findParties } from '../consent/parties.ts'
import { findProven } from '../consent/proven.ts'
import { purposeOf } from '../consent/purpose.ts'
import type { SsoParts } from '../../core/parts.ts'
import { type Asked, type Destination, findDestination } from './destination.ts'
import { answerSignIn } from './entered.ts'
import { finishSignIn, refusedAt } from './sign-in.ts'
import { findKept, type Kept, renewAllowed, type SilentWatch } from './silent.ts'
import type { Answer, Visit } from '../../core/pages/visit.ts'

/** The page of consent, for whoever has just proven who they are, or is signed in in this browser. */
export async function getConsent(parts: SsoParts, visit: Visit, query: Asked): Promise<Answer> {
  const destination = await findDestination(parts, query, visit.address)
  const proof = await findProof(parts, visit, destination)
  return proof && !destination.site.is_first_party
    ? askConsent(parts, visit, destination, proof.user_id)
    : { location: `/sign-in${destination.query}` }
}

/** Shows the page. Its form counts for this person, this site and these scopes, and for nothing else. */
export async function askConsent(
  parts: SsoParts,
  visit: Visit,
  destination: Destination,
  user_id: string,
): Promise<Answer> {
  const { site, query, return_to = '' } = destination
  const parties = await findParties(parts.database.fast, site, user_id)
  if (!parties) return { location: `/sign-in${query}&other=1` }
  const scopes = purposeOf(destination).needs ?? []
  const { form_token, cookie } = visit.nextForm(subjectOf(destination, user_id))
  return {
    page: consentPage({ parties, scopes, query, form_token, returns_to: new URL(return_to).host }),
    returns_to: return_to,
    cookies: [cookie],
  }
}

const subjectOf = (destination: Destination, user_id: string) =>
  ['consent', user_id, destination.site.site_id, ...(purposeOf(destination).needs ?? [])].join(' ')

type Decision = { form_token: string; decision: 'allow' | 'cancel' }

/** Allow: membership, session and code are made now. Cancel: back to the site, which learns only that. */
export async function postConsent(
  parts: SsoParts,
  visit: Visit,
  query: Asked,
  { form_token, decision }: Decision,
  watch: SilentWatch,
): Promise<Answer> {
  const destination = await findDestination(parts, query, visit.address)
  const proof = await findProof(parts, visit, destination)
  const again: Answer = { location: `/sign-in${destination.query}` }
  if (!proof || destination.site.is_first_party) return again
  visit.requireOwnForm(form_token, subjectOf(destination, proof.user_id))
  const cookies = [visit.clear('consent')]
  if (decision === 'cancel') return { location: refusedAt(parts, destination, 'access_denied'), cookies }
  await watch.limit(proof.user_id, visit.from)
  const result = await allow(parts, visit, destination, proof)
  if (result === 'overtaken') return { location: `/sign-in${destination.query}&again=1`, cookies }
  if (!result) return { ...again, cookies }
  const answer = answerSignIn(visit, destination, result)
  return { ...answer, cookies: [...(answer.cookies ?? []), ...cookies] }
}

async function allow(parts: SsoParts, visit: Visit, destination: Destination, proof: Proof) {
  if ('kept' in proof) return renewAllowed(parts, destination, proof.kept, visit.from)
  const { site } = destination
  const purpose = purposeOf(destination)
  const sign_in = await completeAllowed(parts, site, proof.token, purpose, visit.from)
  return sign_in && ('mfa_token' in sign_in ? sign_in : finishSignIn(parts, destination, sign_in))
}

type Proof = { user_id: string } & ({ token: string } | { kept: Kept })

/** A sign-in that was just proven goes before the one the browser keeps: it may be of somebody else. */
async function findProof(
  parts: SsoParts,
  visit: Visit,
  destination: Destination,
): Promise<Proof | undefined> {
  const token = visit.kept('consent')
  const proven = token === undefined ? undefined : await findProven(parts.database, destination.site, token)
  if (proven && token !== undefined) return { user_id: proven.user_id, token }
  const refresh_token = visit.kept('refresh')
  const kept = refresh_token === undefined ? undefined : await findKept(parts, destination, refresh_token)
  return kept && { user_id: kept.user_id, kept }
}
