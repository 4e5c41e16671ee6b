import type { Lane } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import type { SsoParts } from '../../core/parts.ts'

/** The `amr` values of second factors that we verified ourselves. */
export const PROVEN_FACTORS = ['otp', 'hwk', 'email', 'sms', 'recovery']

/**
 * Whether site `i` requires a second factor of role `r` and these methods contain none. A factor checked by an identity
 * provider is unknown to us, so it does not count.
 */
export const lacksFactor = (sql: Lane, auth_methods: ReturnType<Lane>) => sql`
  ((i.require_mfa = 'all' or (i.require_mfa = 'admins' and r.is_admin)) and not ${auth_methods} && ${PROVEN_FACTORS})`

/**
 * 403 for a password-only sign-in where the site requires a second factor and the person has none. They can set one up
 * on our sign-in page with the same password.
 */
export const enrolmentRequired = ({ ssoUrl }: Pick<SsoParts, 'ssoUrl'>, { site_code }: Site) =>
  new ApiError(
    403,
    'mfa_enrolment_required',
    'This site requires a second factor. Sign in on our page to set one up',
    {
      headers: {
        Link: `<${ssoUrl()}/sign-in?${new URLSearchParams({ site_code }).toString()}>; rel="help"`,
      },
    },
  )
