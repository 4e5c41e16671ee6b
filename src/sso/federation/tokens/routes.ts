import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { Environment } from '#foundation/security/access-tokens.ts'
import { badRequest } from '#foundation/errors.ts'
import { readForms } from '#foundation/http/forms.ts'
import { type App, siteOf } from '#foundation/http/http.ts'
import { CLIENT_SCOPES } from '#foundation/security/powers.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import { LANGUAGES } from '#foundation/web/client/texts.ts'
import { originOf } from '../../core/access/identify.ts'
import { SCOPES } from '../../sign-in/consent/purpose.ts'
import type { SsoParts } from '../../core/parts.ts'
import { CLAIMS } from '../openid/id-token.ts'
import { Introspection, introspectSession, introspectToken } from './introspect.ts'
import { PROMPTS } from '../../sign-in/openid-requests/authorization.ts'
import { revokeToken } from './revoke.ts'

const Jwks = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.Literal('RSA'),
      n: Type.String(),
      e: Type.String(),
      kid: Type.String(),
      use: Type.Literal('sig'),
      alg: Type.Literal('RS256'),
    }),
  ),
})

/** The metadata that is the same for all our issuers (OpenID Connect Discovery 1.0, section 3; RFC 8414). */
const CAPABILITIES = {
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  subject_types_supported: ['public'],
  // Verifiers use the ID token algorithms for access tokens too.
  id_token_signing_alg_values_supported: ['RS256'],
  response_modes_supported: ['query'],
  scopes_supported: [...SCOPES, ...CLIENT_SCOPES],
  claims_supported: ['sub', 'iss', 'aud', 'auth_time', 'amr', 'sid', ...CLAIMS],
  prompt_values_supported: [...PROMPTS],
  ui_locales_supported: [...LANGUAGES],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  authorization_response_iss_parameter_supported: true,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
}

const issuerMetadata = (issuer: string, url: string, path: string) => ({
  issuer,
  jwks_uri: `${url}${path}/.well-known/jwks.json`,
  authorization_endpoint: `${url}/openid/authorize`,
  token_endpoint: `${url}/openid/token`,
  userinfo_endpoint: `${url}/openid/userinfo`,
  end_session_endpoint: `${url}/openid/end-session`,
  introspection_endpoint: `${url}/api/v1/auth/introspect`,
  revocation_endpoint: `${url}/api/v1/auth/revoke`,
  ...CAPABILITIES,
})

const typeOf = (value: unknown): TSchema =>
  Array.isArray(value)
    ? Type.Array(Type.String())
    : typeof value === 'boolean'
      ? Type.Boolean()
      : Type.String()
const IssuerMetadata = Type.Object(
  Object.fromEntries(
    Object.entries(issuerMetadata('', '', '')).map(([name, value]) => [name, typeOf(value)]),
  ),
)

/** Keys, introspection and revocation, for partners and sibling services that verify tokens themselves. */
export function tokenRoutes(app: App, parts: SsoParts) {
  readForms(app)
  publicRoutes(app, parts, 'production', '')
  publicRoutes(app, parts, 'sandbox', '/sandbox')

  app.post(
    '/api/v1/auth/introspect',
    {
      config: { auth: 'site', limit: 'introspect', operational: true, form: true, compress: false },
      schema: {
        body: Type.Object({ token: Type.Optional(Type.String()), session_id: Type.Optional(Uuid) }),
        response: { 200: Introspection },
      },
    },
    async (request, reply) => {
      const { token, session_id } = request.body
      reply.header('Cache-Control', 'no-store')
      if (token !== undefined) return introspectToken(parts, siteOf(request), token)
      if (session_id !== undefined) return introspectSession(parts, siteOf(request), session_id)
      throw badRequest('missing_field', 'token: is required')
    },
  )

  app.post(
    '/api/v1/auth/revoke',
    {
      config: { auth: 'site', limit: 'revoke', operational: true, form: true },
      schema: { body: Type.Object({ token: Type.String() }), response: { 200: Type.Object({}) } },
    },
    async (request, reply) => {
      await revokeToken(parts, siteOf(request), request.body.token, originOf(request))
      reply.header('Cache-Control', 'no-store')
      return {}
    },
  )
}

function publicRoutes(app: App, { ring, tokens, ssoUrl }: SsoParts, environment: Environment, path: string) {
  // Not compressed, so that there is one body and one ETag.
  const config = { auth: 'public', limit: 'none', operational: true, compress: false } as const

  app.get(
    `${path}/.well-known/jwks.json`,
    { config, schema: { response: { 200: Jwks, 304: Type.Null() } } },
    async (request, reply) => {
      const document = { keys: ring.publicKeys(environment) }
      return isKept(request, reply, document) ? reply.code(304).send(null) : document
    },
  )

  app.get(
    `${path}/.well-known/openid-configuration`,
    { config, schema: { response: { 200: IssuerMetadata, 304: Type.Null() } } },
    async (request, reply) => {
      const document = issuerMetadata(tokens.issuer(environment), ssoUrl(), path)
      return isKept(request, reply, document) ? reply.code(304).send(null) : document
    },
  )
}

/** Sets the cache headers. True if the caller has the current document (If-None-Match, RFC 9110, section 13.1.2). */
function isKept({ headers }: FastifyRequest, reply: FastifyReply, document: object): boolean {
  const etag = `"${sha256(JSON.stringify(document)).toString('base64url')}"`
  reply.header('Cache-Control', 'public, max-age=300').header('ETag', etag)
  const known = headers['if-none-match']
  return (
    known !== undefined &&
    (known === '*' || known.split(',').some((one) => one.trim().replace(/^W\//, '') === etag))
  )
}
