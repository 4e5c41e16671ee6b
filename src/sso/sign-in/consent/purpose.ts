import type { Site } from '#foundation/security/session-gate.ts'

/** Everything there is to agree to, in the words of OpenID Connect (Core, 5.4 and 11). */
export const SCOPES = ['openid', 'profile', 'email', 'phone', 'offline_access'] as const

/** What a sign-in on our pages is for. */
export type Purpose = {
  /** What the person must have agreed to; undefined at the sites of the network itself. */
  needs: readonly string[] | undefined
  /** Agreed to or not, the client wants the page to be shown (`prompt=consent`). */
  asks_anew: boolean
  /** What an OpenID client asked for. */
  openid_scope: string | undefined
}

type Asked = { site: Site; openid?: { scope: string; asks_anew: boolean } }

/** A site that is not a client exchanges its code for the whole account and a refresh token, so all is asked for. */
export const purposeOf = ({ site, openid }: Asked): Purpose => ({
  needs: site.is_first_party ? undefined : (openid?.scope.split(' ') ?? SCOPES),
  asks_anew: openid?.asks_anew ?? false,
  openid_scope: openid?.scope,
})
