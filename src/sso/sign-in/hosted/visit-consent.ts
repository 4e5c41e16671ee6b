import { completeAllowed } from '../login/allow.ts'
import { consentPage } from '../consent/pages.ts'
import { findParties } from '../consent/parties.ts'
import { findProven } from '../consent/proven.ts'
import { purposeOf } from '../consent/purpose.ts'
import { type Answer, withCookie } from '../../core/pages/visit.ts'
import type { Context, Destination } from './destination.ts'
import { answerSignIn, refusedAt } from './sign-in.ts'
import { findKept, type Kept, renewElsewhere, type SilentWatch } from './silent.ts'

/** The consent page, for a person who has just proven who they are or is signed in in this browser. */
export async function getConsent(context: Context): Promise<Answer> {
  const { site, query } = context.destination
  const proof = await findProof(context)
  return proof && !site.is_first_party ? askConsent(context, proof.user_id) : { location: `/sign-in${query}` }
}

/** Shows the consent page. Its form is valid only for this person, this site and these scopes. */
export async function askConsent({ parts, visit, destination }: Context, user_id: string): Promise<Answer> {
  const { site, query, return_to = '' } = destination
  const parties = await findParties(parts.database.fast, site, user_id)
  if (!parties) return { location: `/sign-in${query}&other=1` }
  visit.locale = parties.locale ?? visit.locale
  const scopes = purposeOf(destination).needs ?? []
  const { form_token, cookie } = visit.nextForm(subjectOf(destination, user_id))
  const page = consentPage({ parties, scopes, query, form_token, returns_to: new URL(return_to).host })
  return { page, returns_to: return_to, cookies: [cookie] }
}

const subjectOf = (destination: Destination, user_id: string) =>
  ['consent', user_id, destination.site.site_id, ...(purposeOf(destination).needs ?? [])].join(' ')

type Decision = { form_token: string; decision: 'allow' | 'cancel' }

/** `allow` creates membership, session and code. `cancel` returns to the site, which learns only that. */
export async function postConsent(
  context: Context,
  { form_token, decision }: Decision,
  watch: SilentWatch,
): Promise<Answer> {
  const { parts, visit, destination } = context
  const again = `/sign-in${destination.query}`
  const proof = await findProof(context)
  if (!proof || destination.site.is_first_party) return { location: again }
  visit.requireOwnForm(form_token, subjectOf(destination, proof.user_id))
  const cookie = visit.clear('consent')
  if (decision === 'cancel')
    return { location: refusedAt(parts, destination, 'access_denied'), cookies: [cookie] }
  await watch.limit(proof.user_id, visit.from)
  const result =
    'kept' in proof ? await renewElsewhere(context, proof.kept, true) : await allow(context, proof)
  if (result === 'overtaken') return { location: `${again}&again=1`, cookies: [cookie] }
  if (!result || 'asks_of' in result) return { location: again, cookies: [cookie] }
  return withCookie(result, cookie)
}

async function allow(context: Context, { token }: { token: string }) {
  const { parts, visit, destination } = context
  const how = { purpose: purposeOf(destination), from: visit.from }
  const proven = await completeAllowed(parts, destination.site, token, how)
  return proven && answerSignIn(context, proven)
}

type Proof = { user_id: string } & ({ token: string } | { kept: Kept })

/** A fresh sign-in takes precedence over the one the browser keeps, which may be another person's. */
async function findProof({ parts, visit, destination }: Context): Promise<Proof | undefined> {
  const token = visit.kept('consent')
  const proven = token === undefined ? undefined : await findProven(parts.database, destination.site, token)
  if (proven && token !== undefined) return { user_id: proven.user_id, token }
  const refresh_token = visit.kept('refresh')
  const kept = refresh_token === undefined ? undefined : await findKept(parts, destination, refresh_token)
  return kept && { user_id: kept.user_id, kept }
}
