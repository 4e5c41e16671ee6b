import { readFileSync, statSync, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { StartError } from '../start-error.ts'

/** A user of this machine. Spread into the options of a child process, it says whose process that is. */
export type Account = { uid: number; gid: number; name: string }

/** Where the data goes under root when the checkout is closed to every other user. */
const ROOTS_DATA_DIR = '/var/lib/lyceum'

/**
 * Who runs the database under root, which PostgreSQL refuses to run as: the owner of the database folder, of the
 * data directory, else the user `lyceum`, else `nobody`. Undefined when we are not root and the server runs as ourselves.
 */
export function serverAccount(dataDir: string, folder: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readUsers()
  const ownerOf = (path: string) => statSync(path, { throwIfNoEntry: false })
  const made = ownerOf(folder)
  const owner = made?.uid || ownerOf(dataDir)?.uid
  const known = users.find(({ uid }) => uid === owner)
  if (known) return known
  if (made?.uid) return { uid: made.uid, gid: made.gid, name: `${made.uid}` }
  // initdb insists on an entry in the list of users.
  const account = users.find(({ name }) => name === 'lyceum') ?? users.find(({ name }) => name === 'nobody')
  if (account) return account
  throw new StartError(
    `PostgreSQL does not run as root and there is no user "nobody": give ${dataDir} to another user, or set DATABASE_URL`,
  )
}

/** The default of DATA_DIR: `./data`, or a system folder where the checkout is closed to the user of the database. */
export function defaultDataDir(directory = process.cwd()): string {
  const local = join(directory, 'data')
  const account = serverAccount(local, join(local, 'postgres'))
  return account && closedFolder(directory, account) ? ROOTS_DATA_DIR : local
}

/** The topmost folder on the way to and including `path` that the account may not pass through. */
export function closedFolder(path: string, account: Account): string | undefined {
  const parent = dirname(resolve(path))
  const above = parent === path ? undefined : closedFolder(parent, account)
  if (above) return above
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && !isAllowed(stats, account, 0o1) ? path : undefined
}

/** Whether the mode grants the account these bits (4 read, 2 write, 1 execute or pass), by the rules of POSIX. */
export function isAllowed(stats: Stats, account: Account, bits: number): boolean {
  const shift = stats.uid === account.uid ? 6 : stats.gid === account.gid ? 3 : 0
  return ((stats.mode >> shift) & bits) === bits
}

/** Everybody but root. */
function readUsers(): Account[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid }) => uid > 0)
}
