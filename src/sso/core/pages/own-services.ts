import type { Config } from '#foundation/settings/config.ts'

/**
 * Whether the URL belongs to one of our services, by the settings. Without LEARNING_URL they are assumed to be on the
 * sso's host, on any port, because cookies ignore ports too.
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
