import type { Lane } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import type { SsoParts } from '../../core/parts.ts'

/** What `amr` says of a second factor that was proven to us. */
export const PROVEN_FACTORS = ['otp', 'hwk', 'email', 'sms', 'recovery']

/**
 * Whether the site `i` requires a second factor of the role `r`, which a sign-in with these methods has not proven. What an
 * identity provider asked for is not known to us, so it does not count.
 */
export const lacksFactor = (sql: Lane, auth_methods: ReturnType<Lane>) => sql`
  ((i.require_mfa = 'all' or (i.require_mfa = 'admins' and r.is_admin)) and not ${auth_methods} && ${PROVEN_FACTORS})`

/**
 * 403 for a sign-in by password alone where the site requires more and the person has nothing more. They set it up on our
 * sign-in page, which knows them by the same password.
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
