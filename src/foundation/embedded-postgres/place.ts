import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '../start-error.ts'
import { type Account, closedFolder, serverAccount } from './account.ts'

/** Where one embedded server lives and who runs it. All paths are absolute and free of symbolic links. */
export type Place = {
  dataDir: string
  /** DATA_DIR/postgres: everything below is made in one piece, see cluster.ts. */
  folder: string
  data: string
  passwords: string
  log: string
  /** The folder of the socket. */
  socket: string
  /** Undefined: as ourselves. */
  account: Account | undefined
}

/** sockaddr_un holds 104 bytes on macOS and 108 on Linux, name and end included. */
const LONGEST_SOCKET_PATH = 100

/** Finds the place and makes it passable for the account. StartError: a closed parent, somebody else's data. */
export function preparePlace(dataDirGiven: string): Place {
  mkdirSync(dataDirGiven, { recursive: true })
  const dataDir = realpathSync(dataDirGiven)
  const folder = join(dataDir, 'postgres')
  const account = serverAccount(dataDir, folder)
  if (account) openTo(account, dataDir, folder)
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid
  const user = account?.uid ?? process.getuid?.()
  if (owner !== undefined && owner !== user) {
    throw new StartError(
      `The database in ${folder} belongs to the user with id ${owner}: start as that user or as root, choose another DATA_DIR, or set DATABASE_URL`,
    )
  }
  return {
    dataDir,
    folder,
    data: join(folder, 'data'),
    passwords: join(folder, 'passwords.json'),
    log: join(folder, 'server.log'),
    socket: socketFolder(folder),
    account,
  }
}

/** Makes the folder of the socket: 0700, the server's own. A folder in /tmp that somebody else prepared is refused. */
export function prepareSocketFolder({ socket, account }: Place): void {
  const uid = account?.uid ?? process.getuid?.()
  try {
    mkdirSync(socket, { mode: 0o700 })
    if (account) chownSync(socket, account.uid, account.gid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const found = lstatSync(socket)
    if (!found.isDirectory() || found.uid !== uid || found.mode & 0o077) {
      throw new StartError(
        `${socket} is not a private folder of the user with id ${uid}: remove it, shorten DATA_DIR, or set DATABASE_URL`,
      )
    }
  }
}

function socketFolder(folder: string): string {
  const beside = join(folder, 'socket')
  const longest = Buffer.byteLength(join(beside, '.s.PGSQL.5432'))
  // PostgreSQL and its clients take a comma for the end of one host and the beginning of the next.
  if (longest <= LONGEST_SOCKET_PATH && !beside.includes(',')) return beside
  return join(
    realpathSync(tmpdir()),
    `lyceum-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`,
  )
}

function openTo(account: Account, dataDir: string, folder: string): void {
  const stats = statSync(dataDir)
  const closed = closedFolder(dataDir, account)
  if (closed === dataDir && stats.uid === 0) chmodSync(dataDir, stats.mode | 0o001)
  else if (closed) {
    throw new StartError(
      `${closed} is closed to the user "${account.name}", who runs the database: set DATA_DIR to an open place such as /var/lib/lyceum, run "chmod o+x ${closed}", or set DATABASE_URL`,
    )
  }
  // A copy that root made by hand belongs to root, as whom PostgreSQL does not run.
  if (statSync(folder, { throwIfNoEntry: false })?.uid === 0) giveTo(account, folder)
}

function giveTo(account: Account, path: string): void {
  if (lstatSync(path).isDirectory()) {
    for (const name of readdirSync(path)) giveTo(account, join(path, name))
  }
  lchownSync(path, account.uid, account.gid)
}
