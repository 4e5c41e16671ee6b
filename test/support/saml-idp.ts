import express from 'express'
import type { AddressInfo } from 'node:net'
import samlp from 'samlp'
import { makeCertificate } from './certificate.ts'
import { atEnd } from './endings.ts'

export type SamlPerson = { id: string; email: string; groups?: string[] }
export type SamlIdp = Awaited<ReturnType<typeof startSamlIdp>>
type Answer = { request_id: string; acs_url: string; audience: string }

const profileOf = ({ id, email, groups = [] }: SamlPerson) => ({
  id,
  emails: [{ value: email }],
  displayName: 'Sam L.',
  name: { givenName: 'Sam', familyName: 'Lang' },
  groups,
})

/** An identity provider: Auth0's samlp on loopback. It signs every visitor in as `state.person`, without a form. */
export async function startSamlIdp({ host = '127.0.0.1' } = {}) {
  const { key, cert } = makeCertificate(['idp.example.org'], 'rsa')
  const entity_id = 'urn:example:idp'
  const state = { person: { id: 'nobody', email: 'nobody@example.org' } as SamlPerson, acs_url: '' }
  const common = {
    issuer: entity_id,
    key,
    cert,
    signResponse: true,
    signatureAlgorithm: 'rsa-sha256',
    digestAlgorithm: 'sha256',
    nameIdentifierFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    authnContextClassRef: 'urn:oasis:names:tc:SAML:2.0:ac:classes:Password',
    lifetimeInSeconds: 300,
    sessionIndex: '_session-1',
  }
  const app = express()
  app.get('/saml', (request, response, next) =>
    samlp.auth({
      ...common,
      destination: state.acs_url,
      recipient: state.acs_url,
      getUserFromRequest: () => profileOf(state.person),
      getPostURL: (_: unknown, __: unknown, ___: unknown, done: (error: null, url: string) => void) =>
        done(null, state.acs_url),
    })(request, response, next),
  )
  app.get(
    '/FederationMetadata/2007-06/FederationMetadata.xml',
    samlp.metadata({
      issuer: entity_id,
      cert,
      redirectEndpointPath: '/saml',
      postEndpointPath: '/saml',
      logoutEndpointPaths: { redirect: '/slo' },
    }),
  )
  const server = app.listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((closed) => {
      server.closeAllConnections()
      server.close(() => closed())
    })
  atEnd(close)

  return {
    entity_id,
    key,
    cert,
    state,
    close,
    origin: `http://${host}:${port}`,
    metadata_url: `http://${host}:${port}/FederationMetadata/2007-06/FederationMetadata.xml`,
    /** The SAML response to a request, as XML. */
    answer: (
      { request_id, acs_url, audience }: Answer,
      person: SamlPerson,
      more: Record<string, unknown> = {},
    ) =>
      new Promise<string>((done, fail) => {
        const options = {
          ...common,
          destination: acs_url,
          recipient: acs_url,
          audience,
          inResponseTo: request_id,
          ...more,
        }
        samlp.getSamlResponse(options, profileOf(person), (error, xml) =>
          xml === undefined ? fail(error) : done(xml),
        )
      }),
  }
}
