import { pino, type Logger } from 'pino'

export type { Logger }

/** Fields that never reach the log, wherever a careless line may put them. */
const SECRET = [
  'password', 'current_password', 'new_password', 'access_token', 'refresh_token', 'mfa_token', 'token', 'site_key',
  'webhook_secret', 'jwt_secret', 'authorization', 'cookie', 'email',
] // prettier-ignore

/** One JSON line per event on stderr: stdout carries nothing but the line that says the program is ready. */
export function createLog(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: SECRET.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    },
    // Lines are collected and written together; flushed every half second, at exit and before a crash.
    pino.destination({ dest: 2, sync: false, minLength: 8_192, periodicFlush: 500 }),
  )
}
