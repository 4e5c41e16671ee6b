/** What postgres.js and the tools of PostgreSQL need to reach one database through a unix socket. */
export type PostgresConnection = {
  /** The folder of the socket. */
  host: string
  port: number
  username: string
  password: string
  database: string
}

/** The form libpq reads (`psql "$url"`): the `host` parameter overrides the host of the authority. */
export function urlOf({ host, port, username, password, database }: PostgresConnection): string {
  const user = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`
  return `postgres://${user}@localhost:${port}/${encodeURIComponent(database)}?host=${encodeURIComponent(host)}`
}

/**
 * postgres.js sends an unknown URL parameter to the server and never takes `host` for an address, so the socket
 * folder of a URL in libpq's form is handed to it as an option: `postgres(url, { ...options, host })`.
 */
export function splitSocketHost(text: string): { url: string; host?: string } {
  const url = new URL(text)
  const host = url.searchParams.get('host')
  if (!host) return { url: text }
  url.searchParams.delete('host')
  return { url: url.href, host }
}
