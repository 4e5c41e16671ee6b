import { chownSync, closeSync, constants, openSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, closedFolder, isAllowed, serverAccount } from './account.ts'
import type { Logger } from '../log.ts'

/** The checkout: threads and modules are read from it while the program runs. */
const CODE = join(import.meta.dirname, '../../..')

/**
 * Under root: goes on for good as the user who runs the embedded database, which is the owner of the data directory, the
 * user `lyceum` or `nobody`. Called when the ports are open and the keys are read, so that nothing needs root any more.
 * Where that user cannot read the program it stays root and says so, because threads would fail later.
 */
export function giveUpRoot(dataDir: string, log: Logger): void {
  const account = serverAccount(dataDir, join(dataDir, 'postgres'))
  if (!account) return
  const closed = closedTo(account, dataDir)
  if (closed !== undefined) {
    log.warn(
      { closed, user: account.name },
      'the program stays root: its own user may not read or write there',
    )
    return
  }
  handOver(join(dataDir, 'erasures.jsonl'), account)
  process.setgroups?.([account.gid])
  process.setgid?.(account.gid)
  process.setuid?.(account.uid)
  log.info({ user: account.name }, 'the program has given up root')
}

function closedTo(account: Account, dataDir: string): string | undefined {
  const mayNot = (path: string, bits: number) =>
    closedFolder(path, account) ?? (isAllowed(statSync(path), account, bits) ? undefined : path)
  return (
    mayNot(join(CODE, 'src'), 0o5) ??
    mayNot(join(CODE, 'node_modules'), 0o5) ??
    mayNot(tmpdir(), 0o3) ??
    closedFolder(dataDir, account)
  )
}

/** The one file of the data directory that is written while the program runs; the keys beside it stay root's. */
function handOver(path: string, { uid, gid }: Account) {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants
  closeSync(openSync(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600))
  chownSync(path, uid, gid)
}
