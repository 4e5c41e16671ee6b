import { createHash } from 'node:crypto'
import { totalmem } from 'node:os'
import type { Binaries } from './binaries.ts'
import type { Place } from './place.ts'

const MEBIBYTE = 1024 * 1024

/**
 * The command line of the server. `lyceum.stamp` names version and settings, so that a later start can ask a server
 * it finds whether it is the one it would have started. `fsync`, `full_page_writes`, `synchronous_commit`, checksums
 * and autovacuum stay at their defaults, which are on.
 */
export function serverArguments(place: Place, binaries: Binaries): { args: string[]; stamp: string } {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: place.socket,
    unix_socket_permissions: '0700',
    port: String(PORT),
    // A process of ours takes ten; tests run many side by side.
    max_connections: '300',
    shared_buffers: `${Math.max(32, Math.min(1024, Math.floor(availableMemory() / 4 / MEBIBYTE)))}MB`,
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
    // Neither statements nor keys nor parameters; what an error says to the application is for the application.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_parameter_max_length_on_error: '0',
  }
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const stamp = createHash('sha256')
    .update(JSON.stringify([binaries.version, given]))
    .digest('hex')
    .slice(0, 16)
  return { args: ['-D', place.data, ...given, '-c', `lyceum.stamp=${stamp}`], stamp }
}

/** Only part of the socket's name: the server listens on no TCP port. */
export const PORT = 5432

/** Bytes; a container's limit counts where it is lower than the machine. */
function availableMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity)
}
