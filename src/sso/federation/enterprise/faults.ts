import { ApiError, unauthorized } from '#foundation/errors.ts'

/** The provider, or what stands between, gave no answer: the same thing may work in a moment. */
export const unreachable = (cause?: unknown) =>
  new ApiError(502, 'idp_unreachable', 'The identity provider cannot be reached', { cause })

/** An answer that is wrong rather than absent. Why is for the log: whoever forged it learns nothing. */
export const ssoFailed = (
  cause?: unknown,
  detail = 'The identity provider gave an answer that cannot be accepted',
) => unauthorized('sso_failed', detail, { cause })

const starts = new WeakMap<Error, string>()

/** Remembers where the sign-in that failed can be begun anew, for the page that tells of it. */
export function startingAt<T>(error: T, address: string): T {
  if (error instanceof Error) starts.set(error, address)
  return error
}
export const restartOf = (error: Error) => starts.get(error)
