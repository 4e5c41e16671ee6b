import { randomToken, sha256 } from '#foundation/security/secrets.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import type { Origin, SsoParts } from '../../core/parts.ts'
import { forgetProof } from '../../people/sessions/proof.ts'
import { refused, type TokensAnswer } from '../../people/sessions/answer.ts'
import type { SignIn } from '../completing/complete.ts'
import { refresh } from '../login/refresh.ts'
import { openAnswer, sealAnswer } from '../completing/stored-answer.ts'

const CODE_SECONDS = 60

/**
 * A code for the partner's server, valid once and for 60 seconds. It travels in a URL, so it is worthless without the
 * site key. The database alone does not reveal the token behind it.
 */
export async function issueCode(
  { database }: SsoParts,
  site: Site,
  sign_in: SignIn,
  code_challenge: string | undefined,
): Promise<string> {
  const code = randomToken('code_')
  const sealed = sealAnswer(code, site.site_id, sign_in.refresh_token)
  await database.transaction(async (tx) => {
    await forgetProof(tx, sign_in.session.session_id)
    await tx`delete from sso.sign_in_codes where expires_at <= statement_timestamp()`
    await tx`
      insert into sso.sign_in_codes (code_hash, session_id, token_enc, code_challenge, expires_at)
      values (${sha256(code)}, ${sign_in.session.session_id}, ${sealed}, ${code_challenge ?? null},
              clock_timestamp() + make_interval(secs => ${CODE_SECONDS}))`
  })
  return code
}

/**
 * Exchanges a code for tokens; exactly one presentation gets them. 401 code_invalid, the same for a code that is
 * unknown, spent, too old or another site's, and for a verifier that is wrong, missing, or sent without a challenge
 * (RFC 9700, 2.1.1). A wrong verifier spends the code.
 */
export async function exchangeCode(
  parts: SsoParts,
  site: Site,
  { code, code_verifier }: { code: string; code_verifier?: string | undefined },
  from: Origin,
): Promise<TokensAnswer> {
  const [spent] = await parts.database.pool<{ token_enc: Buffer; code_challenge: string | null }[]>`
    delete from sso.sign_in_codes c using sso.sessions s
     where c.code_hash = ${sha256(code)} and s.session_id = c.session_id and s.site_id = ${site.site_id}
       and c.expires_at > clock_timestamp()
    returning c.token_enc, c.code_challenge`
  const challenge = code_verifier === undefined ? null : sha256(code_verifier).toString('base64url')
  if (!spent || spent.code_challenge !== challenge) throw refused('code_invalid', 'The code is not valid')
  const refresh_token = openAnswer(code, site.site_id, spent.token_enc)
  // The token was never handed out, so it cannot have been presented before.
  const { answer } = await refresh(parts, site, { refresh_token, from })
  return answer
}
