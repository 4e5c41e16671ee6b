/** What postgres.js and the PostgreSQL tools need to connect to one database over a unix socket. */
export type PostgresConnection = {
  /** The folder of the socket. */
  host: string
  port: number
  username: string
  password: string
  database: string
}

/** A libpq connection URL (`psql "$url"`): the `host` parameter overrides the host of the authority. */
export function urlOf({ host, port, username, password, database }: PostgresConnection): string {
  const user = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`
  return `postgres://${user}@localhost:${port}/${encodeURIComponent(database)}?host=${encodeURIComponent(host)}`
}

/**
 * postgres.js sends unknown URL parameters to the server and ignores a `host` parameter. So the socket folder of a
 * libpq URL is passed as an option: `postgres(url, { ...options, host })`.
 */
export function splitSocketHost(text: string): { url: string; host?: string } {
  const url = new URL(text)
  const host = url.searchParams.get('host')
  if (!host) return { url: text }
  url.searchParams.delete('host')
  return { url: url.href, host }
}
