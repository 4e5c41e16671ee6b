import { chownSync, closeSync, constants, openSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, closedFolder, isAllowed, serverAccount } from './account.ts'
import type { Logger } from '../log.ts'

/** The checkout: threads and modules are loaded from it at run time. */
const CODE = join(import.meta.dirname, '../../..')

/**
 * Under root, switches permanently to the user of the embedded database (`serverAccount`). Call it after the ports are
 * open and the keys are read, so that nothing needs root. If that user cannot read the program, logs a warning and
 * stays root, because threads would fail later.
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

/** The only file of the data directory that is written at run time; the keys beside it stay owned by root. */
function handOver(path: string, { uid, gid }: Account) {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants
  closeSync(openSync(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600))
  chownSync(path, uid, gid)
}
