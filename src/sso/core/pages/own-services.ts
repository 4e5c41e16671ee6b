import type { Config } from '#foundation/settings/config.ts'

/**
 * Our own services by their settings. Without LEARNING_URL they are found under the host the sso is called by, on
 * whatever port: cookies know no ports either.
 */
export function isFirstPartyOrigin(
  { LEARNING_URL, COLLECTIONS_URL }: Config,
  url: URL,
  address: string,
): boolean {
  const own = new URL(address)
  const configured = [LEARNING_URL, COLLECTIONS_URL, address]
  return (
    configured.some((one) => one !== undefined && new URL(one).origin === url.origin) ||
    (LEARNING_URL === undefined && url.hostname === own.hostname)
  )
}
