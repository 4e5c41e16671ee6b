/**
 * How often a race without a fixed winner is run. The order of a race is proven by tests that hold both sides; more
 * rounds look for what nobody thought of, hence many of them in the night.
 */
export const ROUNDS = Number(process.env['LYCEUM_ROUNDS'] ?? 4)
