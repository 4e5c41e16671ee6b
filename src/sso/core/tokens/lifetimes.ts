/** A refresh token lives 30 days, an access token ACCESS_TOKEN_LIFE (API document, part 8). */
export const REFRESH_SECONDS = 2_592_000

/** Time to set up a required second factor. */
export const ENROL_SECONDS = 900

/** Time to decide on the consent page of a partner's site. */
export const PROVEN_SECONDS = 600
