/** Refresh tokens live 30 days each, access tokens ACCESS_TOKEN_LIFE (API document, part 8). */
export const REFRESH_SECONDS = 2_592_000

/** How long somebody without a second factor may take to set one up. */
export const ENROL_SECONDS = 900

/** How long somebody may think about whether a partner's site may know them. */
export const PROVEN_SECONDS = 600
