export type Tokens = { access_token: string; refresh_token?: string }

/** Where tokens are kept; undefined: there is no session. */
export type TokenStore = {
  /** Of the session: stores of one name, also in other tabs, renew in turn. */
  name?: string
  get(): Tokens | undefined | Promise<Tokens | undefined>
  set(tokens: Tokens | undefined): void | Promise<void>
}

/** Tokens that end with the process or the page. */
export function memoryTokens(initial?: Tokens): TokenStore {
  let tokens = initial
  return { get: () => tokens, set: (fresh) => void (tokens = fresh) }
}

type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** Tokens in a Storage: `sessionStorage` is of one tab, `localStorage` of all. */
export const storedTokens = (storage: Shelf, name = 'lyceum'): TokenStore => ({
  name,
  get: () => (JSON.parse(storage.getItem(name) ?? 'null') as Tokens | null) ?? undefined,
  set: (tokens) =>
    tokens === undefined ? storage.removeItem(name) : storage.setItem(name, JSON.stringify(tokens)),
})

/** When a token ends (ms). Only read, never trusted: who verifies tokens does so with @lyceum/server. */
export function expiryOf(token: string): number {
  try {
    const [, claims = ''] = token.split('.')
    const { exp } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { exp?: unknown }
    return typeof exp === 'number' ? exp * 1_000 : Infinity
  } catch {
    return Infinity
  }
}
