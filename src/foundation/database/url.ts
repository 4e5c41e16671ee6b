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

/** Scheme and user, hosts, and the rest of a connection URL. `URL` itself takes one host only. */
const PARTS = /^([a-z+]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s

/** `postgres://a,b/lyceum` names two hosts: one URL for each. Also for the Sentinels of Redis. */
export function urlOfEachHost(text: string): string[] {
  const [, start = text, hosts = '', rest = ''] = PARTS.exec(text) ?? []
  return hosts.split(',').map((host) => `${start}${host}${rest}`)
}

/**
 * What postgres.js needs to connect: `const { url, ...where } = splitSocketHost(text)`, then `postgres(url, { ...options,
 * ...where })`. It sends unknown parameters to the server and ignores `host`, so the socket folder of a libpq URL
 * becomes an option. Of several hosts only the primary is of use, whatever `target_session_attrs` says: with
 * `read-write` the driver would refuse every server on our read-only connections.
 */
export function splitSocketHost(text: string): {
  url: string
  host?: string
  target_session_attrs?: 'primary'
} {
  const [, start = '', hosts = '', rest = ''] = PARTS.exec(text) ?? []
  const { pathname, searchParams } = new URL(`postgres://any${rest}`)
  const host = searchParams.get('host')
  const isOfMany = hosts.includes(',') || searchParams.has('target_session_attrs')
  searchParams.delete('host')
  searchParams.delete('target_session_attrs')
  const query = searchParams.size > 0 ? `?${searchParams.toString()}` : ''
  return {
    url: `${start}${hosts}${pathname}${query}`,
    ...(host && { host }),
    ...(isOfMany && { target_session_attrs: 'primary' }),
  }
}
