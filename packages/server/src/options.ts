import type { WebhookEvent } from '../webhooks/verify-webhook.mjs'

export type Revocation = { sub: string; session_version: number; at: string }

export type LyceumOptions = {
  /** Address of the sso. */
  sso: string
  siteKey: string
  siteCode: string
  /** For HS256 tokens; two while it is changed. Without it only RS256 tokens are good. */
  jwtSecret?: string | readonly string[] | undefined
  /** Where the sso is known under another address: `iss` of the tokens, and where browsers are sent. */
  issuer?: string | undefined
  /** For webhooks; two while it is changed. */
  webhookSecret?: string | string[] | undefined
  /** At least 32 characters; of a list the first one encrypts and all are read. Without it there are no sessions. */
  cookieSecret?: string | readonly string[] | undefined
  /**
   * A callback address of the site such as `https://school.example/auth/callback`. Beside it are `sign-in`, `sign-out` and
   * `webhook`.
   */
  callbackUrl?: string | undefined
  /** Told of each webhook once; when it throws, the webhook comes again. */
  onWebhook?: ((event: WebhookEvent) => unknown) | undefined
  /** Told of each person whose tokens died, to end what your own site keeps of them. */
  onRevoked?: ((revocation: Revocation) => unknown) | undefined
}

export type Parts = LyceumOptions & {
  environment: 'sandbox' | 'production'
  issuer: string
  /** Where browsers find the sso. */
  pages: string
}

/** Those of Lyceum have twice as many characters. */
const SHORTEST_SECRET = 16

/** Checks what is given, so that a server with a wrong setting does not start. */
export function readOptions(options: LyceumOptions): Parts {
  for (const name of ['sso', 'siteKey', 'siteCode'] as const)
    if (typeof options[name] !== 'string' || options[name] === '') throw new TypeError(`${name} is missing`)
  if (!URL.canParse(options.sso)) throw new TypeError('sso is no address')
  if (options.callbackUrl !== undefined && !URL.canParse(options.callbackUrl))
    throw new TypeError('callbackUrl is no address')
  const { jwtSecret = [], webhookSecret = [] } = options
  // With nothing everybody could sign.
  for (const [name, secrets] of Object.entries({ jwtSecret, webhookSecret }))
    if ([secrets].flat().some((one) => typeof one !== 'string' || one.length < SHORTEST_SECRET))
      throw new TypeError(`${name} is no secret`)
  const sso = options.sso.replace(/\/+$/, '')
  const environment = options.siteKey.startsWith('sso_test_') ? 'sandbox' : 'production'
  const issuer = options.issuer ?? (environment === 'sandbox' ? `${sso}/sandbox` : sso)
  return { ...options, sso, environment, issuer, pages: issuer.replace(/\/sandbox$/, '') }
}
