import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '../start-error.ts'
import { type Account, closedFolder, linkDataDir, serverAccount } from './account.ts'

/** Paths and user of one embedded server. All paths are absolute and free of symbolic links. */
export type Place = {
  dataDir: string
  /** DATA_DIR/postgres: everything below it is created atomically, see cluster.ts. */
  folder: string
  data: string
  passwords: string
  log: string
  /** The folder of the socket. */
  socket: string
  /** Undefined: the server runs as the current user. */
  account: Account | undefined
}

/** sockaddr_un holds 104 bytes on macOS and 108 on Linux, including the file name and the terminating NUL. */
const LONGEST_SOCKET_PATH = 100

export function makeDataDir(dataDir: string): void {
  try {
    linkDataDir(dataDir)
    mkdirSync(dataDir, { recursive: true })
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(
      `The folder ${dataDir} cannot be made (${(error as Error).message}): set DATA_DIR to a folder that this user may write`,
    )
  }
}

/**
 * Creates the data directory and lets the account enter it. StartError: a closed parent folder, or data of another
 * user.
 */
export function preparePlace(dataDirGiven: string): Place {
  makeDataDir(dataDirGiven)
  const dataDir = realpathSync(dataDirGiven)
  const folder = join(dataDir, 'postgres')
  const account = serverAccount(dataDir, folder)
  if (account) openTo(account, dataDir, folder)
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid
  if (owner !== undefined && owner !== (account?.uid ?? process.getuid?.())) {
    throw new StartError(
      `The database in ${folder} belongs to the user with id ${owner}: start as that user or as root, choose another DATA_DIR, or set DATABASE_URL`,
    )
  }
  const [data, passwords, log] = ['data', 'passwords.json', 'server.log'].map((name) => join(folder, name))
  return { dataDir, folder, data, passwords, log, socket: socketFolder(folder), account } as Place
}

function socketFolder(folder: string): string {
  const beside = join(folder, 'socket')
  const longest = Buffer.byteLength(join(beside, '.s.PGSQL.5432'))
  // PostgreSQL and its clients treat a comma as a separator between hosts.
  if (longest <= LONGEST_SOCKET_PATH && !beside.includes(',')) return beside
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  return join(realpathSync(tmpdir()), `lyceum-${name}`)
}

/** After a stop: a socket folder in the temporary folder is nobody's any more. */
export function removeSocketFolder({ socket, folder }: Place): void {
  if (!socket.startsWith(folder)) rmSync(socket, { recursive: true, force: true })
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
  // A copy that root made by hand belongs to root, and PostgreSQL does not run as root.
  if (statSync(folder, { throwIfNoEntry: false })?.uid === 0)
    execFileSync('chown', ['-R', '-h', `${account.uid}:${account.gid}`, folder])
}
