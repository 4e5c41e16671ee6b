import { ApiError, unauthorized } from '#foundation/errors.ts'

/** 502: the provider, or the network in between, gave no answer. A retry may succeed. */
export const unreachable = (cause?: unknown) =>
  new ApiError(502, 'idp_unreachable', 'The identity provider cannot be reached', { cause })

/** 401: the provider gave a wrong answer. The cause goes only to the log, so that a forger learns nothing. */
export const ssoFailed = (
  cause?: unknown,
  detail = 'The identity provider gave an answer that cannot be accepted',
) => unauthorized('sso_failed', detail, { cause })

const starts = new WeakMap<Error, string>()

/** Attaches the address where the failed sign-in can start again, for the error page. */
export function startingAt<T>(error: T, address: string): T {
  if (error instanceof Error) starts.set(error, address)
  return error
}
export const restartOf = (error: Error) => starts.get(error)
