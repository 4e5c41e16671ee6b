/**
 * The only clock of the TypeScript code. Stored times, leases and retention use the database clock instead. `monotonic`
 * is for deadlines and the in-memory limiter; `now` is only for times that another party sees (tokens, cookies).
 */
export const clock = {
  /** Milliseconds since the epoch. */
  now: () => Date.now(),
  /** Milliseconds that never go back. */
  monotonic: () => performance.now(),
}
