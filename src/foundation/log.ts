import { type DestinationStream, pino, type Logger } from 'pino'

export type { Logger }

/** Fields that never reach the log, wherever a careless line may put them. */
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
/** In these PostgreSQL quotes the row and the values it refused. */
const ROW = ['err.detail', 'err.where']

/** Lines are handed on together: when so many bytes are full, or whatever there is after so many ms. */
const BATCH = 65_536
const PATIENCE_MS = 500

/** One JSON line per event on stderr (`to`, in a test): stdout carries nothing but the line that says the program is ready. */
export function createLog(level: string, to?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      redact: {
        paths: [...SECRET.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), ...ROW],
        censor: '[redacted]',
      },
    },
    to ?? batched(pino.destination({ dest: 2, sync: false, contentMode: 'buffer' })),
  )
}

/**
 * Collects lines as bytes before the destination sees them: a string that grows by a line per request is walked again by
 * whoever measures, moves or writes it. `flush` is called at the end of the program and before a crash ends it.
 */
function batched(sonic: ReturnType<typeof pino.destination>) {
  // In contentMode `buffer` it takes bytes, which its type does not know.
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
      // A character takes at most three bytes.
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
