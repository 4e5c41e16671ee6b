import type { SamlAddresses } from './saml.ts'

/**
 * The addresses that a provider is configured with. Each connection has its own redirect URI, so that one provider's
 * response cannot pass as another's (RFC 9700, 4.4.2.2). `address` is the public address of the sso.
 */
export const addressesOf = (address: string, connection_id: string) => ({
  start_url: `${address}/sso/${connection_id}/start`,
  redirect_uri: `${address}/sso/oidc/callback/${connection_id}`,
  backchannel_logout_uri: `${address}/sso/oidc/logout/${connection_id}`,
  ...samlAddressesOf(address, connection_id),
})

export const samlAddressesOf = (address: string, connection_id: string): SamlAddresses => ({
  sp_entity_id: `${address}/sso/saml/${connection_id}/metadata`,
  acs_url: `${address}/sso/saml/${connection_id}/acs`,
  slo_url: `${address}/sso/saml/${connection_id}/slo`,
})
