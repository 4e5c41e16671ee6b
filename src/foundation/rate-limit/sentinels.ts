const SENTINEL_URL = /^redis\+sentinel:\/\/(?:([^@/]*)@)?([^/]+)\/([^/]+)(?:\/(\d{1,2}))?$/

/**
 * What ioredis needs to find the primary of `redis+sentinel://user:password@a:26379,b:26379/NAME/0` through Sentinels.
 * User and password are those of Redis itself. Undefined if `url` is of another form.
 */
export function sentinelsOf(url: string) {
  const [, user = '', hosts = '', name = '', db = '0'] = SENTINEL_URL.exec(url) ?? []
  const sentinels = hosts.split(',').map((one) => {
    const [host = '', port = '26379'] = one.split(':')
    return { host, port: Number(port) }
  })
  if (sentinels.some(({ host, port }) => host === '' || !Number.isInteger(port))) return undefined
  const [username = '', password = ''] = user.includes(':') ? user.split(':') : ['', user]
  return {
    sentinels,
    name: decodeURIComponent(name),
    db: Number(db),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  }
}
