import { type DestinationStream, pino, type Logger } from 'pino'

export type { Logger }

/** Fields that are always redacted, wherever a log call puts them. */
const SECRET = [
  'password',
  'current_password',
  'new_password',
  'access_token',
  'refresh_token',
  'mfa_token',
  'token',
  'site_key',
  'webhook_secret',
  'jwt_secret',
  'authorization',
  'cookie',
  'email',
]
/** PostgreSQL quotes the refused row and its values in these fields. */
const ROW = ['err.detail', 'err.where']

/** Lines are written in batches: after this many bytes or PATIENCE_MS. */
const BATCH = 65_536
const PATIENCE_MS = 500

/**
 * One JSON line per event on stderr (`to` in a test): stdout carries only the line that says the program is ready.
 * `node_id` stands in every line.
 */
export function createLog(level: string, to?: DestinationStream, node_id?: string): Logger {
  return pino(
    {
      level,
      base: node_id === undefined ? null : { node_id },
      redact: {
        paths: [...SECRET.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), ...ROW],
        censor: '[redacted]',
      },
    },
    to ?? batched(pino.destination({ dest: 2, sync: false, contentMode: 'buffer' })),
  )
}

/**
 * Buffers lines as bytes, because a string that grows by a line per request is traversed again by each measure, copy or
 * write. `flush` is called at exit and before a crash ends the process.
 */
function batched(sonic: ReturnType<typeof pino.destination>) {
  // With contentMode `buffer` the destination takes bytes, which its type does not say.
  const destination = sonic as unknown as Pick<typeof sonic, 'flush'> & { write(bytes: Buffer): boolean }
  let bytes = Buffer.allocUnsafeSlow(BATCH)
  let used = 0
  let timer: NodeJS.Timeout | undefined
  function handOn() {
    clearTimeout(timer)
    timer = undefined
    if (used === 0) return
    destination.write(bytes.subarray(0, used))
    bytes = Buffer.allocUnsafeSlow(BATCH)
    used = 0
  }
  return {
    write(line: string) {
      // A UTF-16 unit takes at most three bytes in UTF-8.
      if (used + line.length * 3 > BATCH) handOn()
      if (line.length * 3 > BATCH) destination.write(Buffer.from(line))
      else used += bytes.write(line, used)
      timer ??= setTimeout(handOn, PATIENCE_MS).unref()
    },
    flush(done?: (error?: Error) => void) {
      handOn()
      destination.flush(done)
    },
  }
}
