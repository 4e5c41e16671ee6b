import type { Database } from '#foundation/database/database.ts'

/** `logo_url`: an https address of a picture. `color`: `#rrggbb`, with enough contrast. */
export type Branding = { name: string; logo_url: string | null; color: string | null }

export const LYCEUM: Branding = { name: 'Lyceum', logo_url: null, color: null }

declare module 'fastify' {
  interface FastifyInstance {
    /** What hosted pages show as theirs, at most FRESH_MS old. */
    branding: () => Branding
  }
}

const FRESH_MS = 5_000

/** Pages ask with every request, so the row is kept in memory and read again beside a request once it is old. */
export async function keepBranding({ fast }: Database) {
  let [current, readAt] = [LYCEUM, 0]
  const read = async () => {
    readAt = performance.now()
    const [row] = await fast<Branding[]>`select name, logo_url, color from sso.branding`
    current = row ?? LYCEUM
  }
  await read()
  return {
    read,
    current: (): Branding => {
      // A database that does not answer leaves the pages as they were.
      if (performance.now() - readAt > FRESH_MS) read().catch(() => {})
      return current
    },
  }
}
