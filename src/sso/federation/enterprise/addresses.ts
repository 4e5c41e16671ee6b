import type { SamlAddresses } from './saml.ts'

/**
 * The addresses a provider is given. Each connection has a redirect URI of its own, so that the answer of one provider cannot
 * be passed off as that of another (RFC 9700, 4.4.2.2). `address`: of the sso, as it is called.
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
