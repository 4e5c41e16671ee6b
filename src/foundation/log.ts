import { type DestinationStream, pino, type Logger } from 'pino'

export type { Logger }

/** Fields that never reach the log, wherever a careless line may put them. */
const SECRET = [
  'password', 'current_password', 'new_password', 'access_token', 'refresh_token', 'mfa_token', 'token', 'site_key',
  'webhook_secret', 'jwt_secret', 'authorization', 'cookie', 'email',
] // prettier-ignore
/** In these PostgreSQL quotes the row and the values it refused. */
const ROW = ['err.detail', 'err.where']

/** Lines are handed on together: so many characters, or whatever there is after so many ms. */
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
    to ?? batched(pino.destination({ dest: 2, sync: false })),
  )
}

/**
 * Collects lines before the destination sees them, because it measures all that it holds at every line. `flush` is called
 * at the end of the program and before a crash ends it.
 */
function batched(destination: ReturnType<typeof pino.destination>) {
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  function handOn() {
    clearTimeout(timer)
    timer = undefined
    if (lines !== '') destination.write(lines)
    lines = ''
  }
  return {
    write(line: string) {
      lines += line
      if (lines.length >= BATCH) handOn()
      else timer ??= setTimeout(handOn, PATIENCE_MS).unref()
    },
    flush(done?: (error?: Error) => void) {
      handOn()
      destination.flush(done)
    },
  }
}
