/**
 * The only clock of the TypeScript side. Stored times, leases and retention use the database clock instead;
 * `monotonic` serves deadlines and the limiter in memory, `now` only what another party dates (tokens, cookies).
 */
export const clock = {
  /** Milliseconds since the epoch. */
  now: () => Date.now(),
  /** Milliseconds that never go back. */
  monotonic: () => performance.now(),
}
