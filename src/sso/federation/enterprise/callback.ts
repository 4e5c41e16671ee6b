import { ApiError } from '#foundation/errors.ts'
import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import { purposeOf } from '../../sign-in/consent/purpose.ts'
import { findDestination } from '../../sign-in/hosted/destination.ts'
import { comingPage } from '../../sign-in/hosted/sign-in-pages.ts'
import { answerSignIn } from '../../sign-in/hosted/sign-in.ts'
import { type Answer, type Visit, withQuery } from '../../core/pages/visit.ts'
import { byNobody, recordAct } from '../../core/audit/audit.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { samlAddressesOf } from './addresses.ts'
import { admit } from './admit.ts'
import {
  ATTEMPT_SECONDS,
  isFirst,
  isUnderWay,
  rememberAttempt,
  type Spent,
  spendAttempt,
} from './attempts.ts'
import { keepClaims } from './claims.ts'
import { decryptionKeysOf } from './encryption-keys.ts'
import { ssoFailed, startingAt } from './faults.ts'
import { finishOidc } from './oidc.ts'
import type { Proof } from './proof.ts'
import { oidcOf, type Provider, requireProvider, samlOf } from './provider.ts'
import type { SamlProof } from './saml.ts'
import { finishSaml, requestOf } from './saml-in-worker.ts'
import { pickDestination, type ProviderVisit, type Remembered, startAddress } from './start.ts'

/**
 * Handles the return from an OpenID provider. `search` is the raw query of the request. 401 sso_failed, 502
 * idp_unreachable.
 */
export async function finishAtOidc(
  at: ProviderVisit,
  connection_id: string,
  search: string,
): Promise<Answer> {
  const { parts, calls, visit } = at
  const provider = await requireProvider(parts.database, connection_id, 'oidc')
  const state = new URLSearchParams(search).get('state') ?? ''
  const which = { connection_id, kind: 'oidc', state, browser_hash: browserOf(visit) } as const
  const spent = await spendAttempt<Remembered>(parts.database.pool, parts.keys, which)
  const { oidc } = spent?.secret ?? {}
  if (!spent || !oidc) throw startingAt(notUnderWay(), startAddress(connection_id, {}))
  return proceed(at, provider, spent.secret, () => {
    const line = calls.to(provider)
    return line.talk(() => finishOidc(line, oidcOf(parts.keys, provider), search, { state, ...oidc }))
  })
}

/**
 * Handles a response that a SAML provider made the browser post. That post carries no cookie of ours, so the visitor
 * goes on to `finishTicket` with a ticket that only the browser of the sign-in can use. The page between also keeps the
 * form-action of the provider's page from blocking what follows.
 */
export async function takeSamlResponse(
  { parts, calls, visit: { address, from } }: ProviderVisit,
  connection_id: string,
  SAMLResponse: string,
): Promise<Answer> {
  const { database, keys } = parts
  const provider = await requireProvider(database, connection_id, 'saml')
  const state = await requestOf(SAMLResponse).catch(asRefusal)
  const which = { connection_id, kind: 'saml', state } as const
  // Rejects messages that nobody waits for without further work; sign-ins begun by the provider (IdP-initiated) end
  // here too.
  if (!(await isUnderWay(database, which))) throw startingAt(notUnderWay(), startAddress(connection_id, {}))
  let spent: Spent<Remembered> | undefined
  try {
    const line = calls.to(provider)
    const proof = await line.talk(async () => {
      const metadata = await samlOf(line, provider)
      const spend = async (request_id: string) =>
        (spent = await spendAttempt<Remembered>(database.pool, keys, { ...which, state: request_id }))
      const life_ms = ATTEMPT_SECONDS * 1_000
      const { required_signature } = provider
      const decryptionKeys = () => decryptionKeysOf(database, keys, connection_id)
      const asked = { spend, life_ms, required_signature, decryptionKeys }
      return finishSaml(metadata, samlAddressesOf(address, connection_id), SAMLResponse, asked)
    })
    if (!spent) throw ssoFailed()
    requireRecent(proof, spent)
    const ticket = await keepTicket(parts, connection_id, spent, proof)
    return { page: comingPage(withQuery(`/sso/saml/${connection_id}/finish`, { ticket })) }
  } catch (error) {
    await noteFailure(parts, provider, error, from)
    throw startingAt(error, startAddress(connection_id, spent?.secret ?? {}))
  }
}

/** A SAML provider may ignore the request for a fresh sign-in. openid-client checks this for OpenID Connect. */
function requireRecent({ authenticated_at }: SamlProof, { secret, created_at }: Spent<Remembered>): void {
  const { max_age } = secret
  if (max_age === undefined) return
  const earliest = Date.parse(created_at) - max_age * 1_000 - SKEW_MS
  if (!(authenticated_at >= earliest)) throw ssoFailed(new Error('the sign-in at the provider is too old'))
}
const SKEW_MS = 60_000

type Ticket = { remembered: Remembered; proof: Proof }

/** Spends the assertion in the transaction that issues the ticket. 401 for an assertion that was used before. */
async function keepTicket(
  { database, keys }: SsoParts,
  connection_id: string,
  { browser_hash, secret: remembered }: Spent<Remembered>,
  { assertion_id, ...proof }: SamlProof,
): Promise<string> {
  const state = randomToken('')
  const message_id = `assertion ${proof.issuer} ${assertion_id}`
  await database.transaction(async (tx) => {
    if (!(await isFirst(tx, { connection_id, message_id, seconds: ASSERTION_SECONDS })))
      throw ssoFailed(new Error('the assertion was used before'))
    const secret: Ticket = { remembered, proof }
    await rememberAttempt(tx, keys, { connection_id, kind: 'ticket', state, browser_hash, secret })
  })
  return state
}
/** Longer than a response to one of our requests is accepted. */
const ASSERTION_SECONDS = 86_400

/** Completes a SAML sign-in in the browser it began in. 401 sso_failed in any other. */
export async function finishTicket(
  at: ProviderVisit,
  connection_id: string,
  ticket: string,
): Promise<Answer> {
  const { parts, visit } = at
  const provider = await requireProvider(parts.database, connection_id, 'saml')
  const which = { connection_id, kind: 'ticket', state: ticket, browser_hash: browserOf(visit) } as const
  const spent = await spendAttempt<Ticket>(parts.database.pool, parts.keys, which)
  if (!spent) throw startingAt(notUnderWay(), startAddress(connection_id, {}))
  const { remembered, proof } = spent.secret
  return proceed(at, provider, remembered, async () => proof)
}

/** The common end of both protocols: admits the person and sends them to their destination. */
async function proceed(
  { parts, visit }: ProviderVisit,
  provider: Provider,
  { address, ...asked }: Remembered,
  prove: () => Promise<Proof>,
): Promise<Answer> {
  const { connection_id, site_code } = provider
  try {
    const destination = await findDestination(parts, { site_code, ...pickDestination(asked) }, address)
    const proof = await prove()
    await keepClaims(parts, connection_id, proof)
    const visiting = { from: visit.from, purpose: purposeOf(destination) }
    const proven = await admit(parts, destination.site, { provider, proof }, visiting)
    return fromOurOwnPage(await answerSignIn({ parts, visit, destination }, proven))
  } catch (error) {
    await noteFailure(parts, provider, error, visit.from)
    throw startingAt(error, startAddress(connection_id, pickDestination(asked)))
  }
}

/**
 * Browsers send the cookie of a second factor or of a pending consent only on navigation from one of our own pages.
 * This visit came from the provider, so a page of ours navigates on.
 */
function fromOurOwnPage(answer: Answer): Answer {
  if (!('location' in answer) || !answer.location.startsWith('/')) return answer
  return { page: comingPage(answer.location), ...(answer.cookies && { cookies: answer.cookies }) }
}

/** A browser without the cookie gets a random value that matches nothing. */
const browserOf = (visit: Visit) => sha256(visit.kept('idp') ?? randomToken(''))

/** Writes a refused sign-in to our log and the site's audit log. Its ADMIN learns the cause, the visitor does not. */
async function noteFailure(
  { database, log }: SsoParts,
  provider: Provider,
  error: unknown,
  from: Origin,
): Promise<void> {
  if (!(error instanceof ApiError) || error.status >= 500) return
  const { connection_id } = provider
  const { code, detail } = error
  const cause = (error.cause instanceof Error ? error.cause.message : detail).slice(0, 300)
  log.info({ connection_id, code, reason: cause }, 'an enterprise sign-in was refused')
  const details = { connection_id, reason: code, cause }
  await recordAct(database.pool, { action: 'login.failed', ...byNobody(provider, null), details }, from)
}

function asRefusal(error: unknown): never {
  throw error instanceof ApiError ? error : ssoFailed(error)
}

const notUnderWay = () =>
  ssoFailed(undefined, 'This sign-in took too long, was used already, or began in another browser')
