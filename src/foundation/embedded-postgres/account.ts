import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  type Stats,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { StartError } from '../start-error.ts'

/** A user of this machine. Spread it into child process options to run the child as that user. */
export type Account = { uid: number; gid: number; name: string }

/** What the data directories of root begin with, where other users cannot enter the checkout. */
const ROOTS_DATA_DIR = '/var/lib/lyceum'

/**
 * The user that runs the database under root, because PostgreSQL refuses to run as root. It is the owner of the
 * database folder, else of the data directory, else `lyceum`, else `nobody`. Undefined if the process is not root.
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
  // initdb requires an entry in /etc/passwd.
  const account = users.find(({ name }) => name === 'lyceum') ?? users.find(({ name }) => name === 'nobody')
  if (account) return account
  throw new StartError(
    `PostgreSQL does not run as root and there is no user "nobody": give ${dataDir} to another user, or set DATABASE_URL`,
  )
}

/**
 * The default of DATA_DIR: `./data`, or what that leads to. Where there is none yet and the database user cannot enter the
 * checkout, a folder of this checkout beside other programs' data, to which `linkDataDir` makes `./data` lead.
 */
export function defaultDataDir(directory = process.cwd()): string {
  const local = join(directory, 'data')
  const there = lstatSync(local, { throwIfNoEntry: false })
  if (there?.isSymbolicLink()) return resolve(directory, readlinkSync(local))
  if (there) return local
  const account = serverAccount(local, join(local, 'postgres'))
  return account && closedFolder(directory, account) ? outerDataDir(directory) : local
}

/** StartError: the folder that all checkouts had in common may hold the data of this one. */
export function linkDataDir(dataDir: string, directory = process.cwd()): void {
  if (dataDir !== outerDataDir(directory)) return
  const local = join(directory, 'data')
  if (lstatSync(local, { throwIfNoEntry: false })) return
  if (!existsSync(dataDir) && existsSync(join(ROOTS_DATA_DIR, 'postgres')))
    throw new StartError(
      `${ROOTS_DATA_DIR} holds data that an earlier release may have made here: go on with them by "ln -s ${ROOTS_DATA_DIR} ${local}", or begin anew by "mkdir ${dataDir}"`,
    )
  mkdirSync(dataDir, { recursive: true })
  symlinkSync(dataDir, local)
}

function outerDataDir(directory: string): string {
  const path = realpathSync(directory)
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 8)
  return `${ROOTS_DATA_DIR}-${basename(path).replaceAll(/[^\w.-]/g, '_')}-${digest}`
}

/** The topmost folder on the path (`path` included) that the account may not traverse; undefined if there is none. */
export function closedFolder(path: string, account: Account): string | undefined {
  const parent = dirname(resolve(path))
  const above = parent === path ? undefined : closedFolder(parent, account)
  if (above) return above
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && !isAllowed(stats, account, 0o1) ? path : undefined
}

/** Whether the mode grants the account these bits (4 read, 2 write, 1 execute or traverse), by the POSIX rules. */
export function isAllowed(stats: Stats, account: Account, bits: number): boolean {
  const shift = stats.uid === account.uid ? 6 : stats.gid === account.gid ? 3 : 0
  return ((stats.mode >> shift) & bits) === bits
}

/** All users except root. */
function readUsers(): Account[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid }) => uid > 0)
}
