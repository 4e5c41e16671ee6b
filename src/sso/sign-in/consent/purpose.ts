import type { Site } from '#foundation/security/session-gate.ts'

/** All scopes a person can consent to (OpenID Connect Core, 5.4 and 11). */
export const SCOPES = ['openid', 'profile', 'email', 'phone', 'offline_access'] as const

/** What a sign-in on our pages asks consent for. */
export type Purpose = {
  /** The scopes that need consent; undefined at first-party sites. */
  needs: readonly string[] | undefined
  /** Show the consent page even if consent was given (`prompt=consent`). */
  asks_anew: boolean
  /** The scope that an OpenID client asked for. */
  openid_scope: string | undefined
}

type Asked = { site: Site; openid?: { scope: string; asks_anew: boolean } }

/**
 * A site that is not an OpenID client exchanges its code for the whole account and a refresh token, so it needs all
 * scopes.
 */
export const purposeOf = ({ site, openid }: Asked): Purpose => ({
  needs: site.is_first_party ? undefined : (openid?.scope.split(' ') ?? SCOPES),
  asks_anew: openid?.asks_anew ?? false,
  openid_scope: openid?.scope,
})
