import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { forgetProof } from '../../people/sessions/proof.ts'
import { revokeSessions } from '../../people/sessions/sessions.ts'
import type { SignIn } from '../completing/complete.ts'
import { openAnswer, sealAnswer } from '../completing/stored-answer.ts'
import type { Authorization } from './authorization.ts'
import { oauthError } from './errors.ts'

const CODE_SECONDS = 60
/** Time that a spent code is kept, so that a second presentation is detected (s). */
const MEMORY_SECONDS = 3_600

/**
 * Issues a code for the client, valid once and for 60 seconds. The database alone does not reveal the token behind it.
 */
export async function issueOpenIdCode(
  { database }: SsoParts,
  site: Site,
  { redirect_uri, code_challenge, nonce, scope }: Authorization,
  sign_in: SignIn,
): Promise<string> {
  const code = randomToken('oc_')
  await database.transaction(async (tx) => {
    await forgetProof(tx, sign_in.session.session_id)
    await tx`
      delete from sso.openid_codes
       where created_at < statement_timestamp() - make_interval(secs => ${MEMORY_SECONDS})`
    await tx`
      insert into sso.openid_codes (code_hash, session_id, site_id, token_enc, redirect_uri, code_challenge, nonce, scope)
      values (${sha256(code)}, ${sign_in.session.session_id}, ${site.site_id},
              ${sealAnswer(code, site.site_id, sign_in.refresh_token)}, ${redirect_uri}, ${code_challenge ?? null},
              ${nonce ?? null}, ${scope})`
  })
  return code
}

export type Redeemed = { refresh_token: string; nonce: string | undefined; scope: string }
type Held = {
  session_id: string
  user_id: string
  token_enc: Buffer
  redirect_uri: string
  code_challenge: string | null
  nonce: string | null
  scope: string
  is_spent: boolean
  is_late: boolean
}

/**
 * Redeems a code of this client; exactly one presentation gets the token. A second one, a late one, or a wrong verifier
 * or address ends the session: the code leaked (RFC 9700, 2.1.1; RFC 6749, 4.1.2). 400 invalid_grant; invalid_request
 * without a verifier. A verifier for a code without a challenge is refused: somebody removed the challenge.
 */
export async function redeemCode(
  parts: SsoParts,
  site: Site,
  {
    code,
    redirect_uri,
    code_verifier,
  }: { code: string; redirect_uri: string | undefined; code_verifier: string | undefined },
  from: Origin,
): Promise<Redeemed> {
  const held = await parts.database.transaction(async (tx) => {
    const [row] = await tx<Held[]>`
      select c.session_id, s.user_id, c.token_enc, c.redirect_uri, c.code_challenge, c.nonce, c.scope,
             c.spent_at is not null as is_spent,
             c.created_at < clock_timestamp() - make_interval(secs => ${CODE_SECONDS}) as is_late
        from sso.openid_codes c join sso.sessions s using (session_id)
       where c.code_hash = ${sha256(code)} and c.site_id = ${site.site_id} and s.site_id = ${site.site_id}
         for update of c`
    if (row && row.code_challenge !== null && code_verifier === undefined)
      throw oauthError('invalid_request', 'code_verifier is missing')
    if (row && !row.is_spent)
      await tx`
        update sso.openid_codes set spent_at = clock_timestamp()
         where code_hash = ${sha256(code)} and site_id = ${site.site_id}`
    return row
  })
  if (!held) throw oauthError('invalid_grant', 'The code is not valid')
  const challenge = code_verifier === undefined ? null : sha256(code_verifier).toString('base64url')
  const isRight = held.redirect_uri === redirect_uri && challenge === held.code_challenge
  if (held.is_spent || held.is_late || !isRight) {
    const { user_id, session_id } = held
    const caller = { user_id: null, site_id: site.site_id }
    await revokeSessions(parts, { user_id, scope: { session_id }, reason: 'code_misused', caller, from })
    throw oauthError('invalid_grant', 'The code is not valid')
  }
  return {
    refresh_token: openAnswer(code, site.site_id, held.token_enc),
    nonce: held.nonce ?? undefined,
    scope: held.scope,
  }
}
