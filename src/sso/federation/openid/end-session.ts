import { type Static, Type } from 'typebox'
import type { Answer, Visit } from '../../core/pages/visit.ts'
import { signedOutPage } from '../../sign-in/hosted/sign-in-pages.ts'
import { findByAccessToken } from '../../sign-in/hosted/sign-out.ts'
import type { SsoParts } from '../../core/parts.ts'
import { revokeSessions } from '../../people/sessions/sessions.ts'
import { askAddress } from '../../sign-in/openid-requests/asked-to-leave.ts'
import { addTo } from '../../sign-in/openid-requests/authorization.ts'
import { readIdTokenHint } from './id-token.ts'

const Word = Type.Optional(Type.String({ maxLength: 8_192 }))

export type EndSessionQuery = Static<typeof EndSessionQuery>
export const EndSessionQuery = Type.Object({
  id_token_hint: Word,
  post_logout_redirect_uri: Word,
  state: Word,
  client_id: Word,
})

/**
 * OpenID Connect RP-Initiated Logout 1.0. With an ID token of ours, however old (section 2), the whole sign-in ends at
 * every site, and the visitor returns to a registered address. Without one the visitor is asked first, as after any
 * link, and then returns.
 */
export async function endSession(parts: SsoParts, visit: Visit, query: EndSessionQuery): Promise<Answer> {
  const { id_token_hint, post_logout_redirect_uri, state, client_id } = query
  const hint = id_token_hint === undefined ? undefined : await readIdTokenHint(parts, id_token_hint)
  if (hint && client_id !== undefined && client_id !== hint.site_code) return { location: askAddress({}) }
  const asking = { client_id: hint?.site_code ?? client_id, post_logout_redirect_uri, state }
  if (!hint) return { location: askAddress(asking) }
  const [session] = await parts.database.fast<
    { user_id: string; login_id: string; site_id: string; may_return: boolean }[]
  >`
    select s.user_id, s.login_id, s.site_id,
           i.deleted_at is null
             and coalesce(${post_logout_redirect_uri ?? ''} = any(c.post_logout_redirect_uris), false) as may_return
      from sso.sessions s join sso.sites i using (site_id) left join sso.openid_clients c using (site_id)
     where s.session_id = ${hint.session_id} and s.user_id = ${hint.user_id} and i.site_code = ${hint.site_code}`
  if (!session) return { location: askAddress(asking) }
  const { user_id, login_id, site_id, may_return } = session
  // A visitor who follows a link with another person's ID token stays signed in.
  const own = await findByAccessToken(parts, visit.kept('access'))
  const cookies =
    own?.login_id === login_id ? [visit.clear('access'), visit.clear('refresh'), visit.clear('known')] : []
  const caller = { user_id, site_id }
  await revokeSessions(parts, { user_id, scope: { login_id }, reason: 'logout', caller, from: visit.from })
  return may_return && post_logout_redirect_uri !== undefined
    ? { location: addTo(post_logout_redirect_uri, { state }), cookies }
    : { page: signedOutPage(), cookies }
}
