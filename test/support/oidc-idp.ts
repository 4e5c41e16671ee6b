import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { atEnd } from './endings.ts'

export type Claims = Record<string, unknown> & { sub: string }

const listen = async (handler: RequestListener) => {
  const server = createServer(handler)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((closed) => {
      server.closeAllConnections()
      server.close(() => closed())
    })
  return { port, close }
}

type Store = ReturnType<typeof aStore>
/** Storage for one kind of model. The provider's own in-memory storage prints a warning at every start. */
function aStore() {
  const kept = new Map<string, { uid?: string; grantId?: string; consumed?: number }>()
  return {
    upsert: async (id: string, payload: object) => void kept.set(id, payload),
    find: async (id: string) => kept.get(id),
    findByUserCode: async () => undefined,
    findByUid: async (uid: string) => [...kept.values()].find((one) => one.uid === uid),
    consume: async (id: string) =>
      void kept.set(id, { ...kept.get(id), consumed: Math.floor(Date.now() / 1_000) }),
    destroy: async (id: string) => void kept.delete(id),
    revokeByGrantId: async (grantId: string) => {
      for (const [id, one] of kept) if (one.grantId === grantId) kept.delete(id)
    },
  }
}

/**
 * An identity provider: panva's oidc-provider on loopback. It signs every visitor in as `person`, without a form.
 * `host` is its name for browsers: `localhost` is another site than 127.0.0.1. `fault` sees each request first; the
 * provider does not see the requests that `fault` answers.
 */
export async function startOidcIdp({ host = '127.0.0.1' } = {}) {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end()
  const state = {
    person: { sub: 'nobody' } as Claims,
    fault: undefined as ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined,
    paths: [] as string[],
  }
  const { port, close } = await listen((request, response) => {
    state.paths.push(request.url ?? '')
    if (!state.fault?.(request, response)) handle(request, response)
  })
  atEnd(close)
  const issuer = `http://${host}:${port}`
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: 'k1', use: 'sig', alg: 'RS256' }

  return {
    issuer,
    state,
    close,
    /** A token with exactly these claims, signed with the published key. */
    sign: (claims: Record<string, unknown>, typ = 'JWT') =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1', typ }).sign(privateKey),
    /** Registers its only client. */
    serve(client: {
      client_id: string
      client_secret: string
      redirect_uri: string
      backchannel_logout_uri: string
    }) {
      const { redirect_uri, ...metadata } = client
      const people = new Map<string, Claims>()
      const stores = new Map<string, Store>()
      const provider = new Provider(issuer, {
        clients: [
          {
            ...metadata,
            backchannel_logout_session_required: true,
            redirect_uris: [redirect_uri],
            response_types: ['code'],
            grant_types: ['authorization_code'],
          },
        ],
        adapter: (name: string) => {
          const store = stores.get(name) ?? aStore()
          stores.set(name, store)
          return store
        },
        jwks: { keys: [key] },
        cookies: { keys: ['a secret of the test'] },
        claims: {
          openid: ['sub', 'sid', 'groups'],
          email: ['email', 'email_verified'],
          profile: ['name', 'given_name', 'family_name', 'locale'],
        },
        pkce: { required: () => true },
        features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
        interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
        findAccount: async (_: unknown, id: string) => ({
          accountId: id,
          claims: async () => people.get(id) ?? { sub: id },
        }),
        loadExistingGrant: async ({
          oidc,
        }: {
          oidc: { client: { clientId: string }; session: { accountId: string } }
        }) => {
          const grant = new provider.Grant({
            clientId: oidc.client.clientId,
            accountId: oidc.session.accountId,
          })
          grant.addOIDCScope('openid email profile')
          await grant.save()
          return grant
        },
        ttl: { Session: 600, Grant: 600, Interaction: 600, IdToken: 600, AccessToken: 600 },
      })
      const serve = provider.callback()
      handle = (request, response) => {
        if (!request.url?.startsWith('/interaction/')) return serve(request, response)
        const { person } = state
        people.set(person.sub, person)
        provider
          .interactionFinished(request, response, { login: { accountId: person.sub } })
          .catch((error: unknown) => response.writeHead(500).end(String(error)))
      }
    },
  }
}
