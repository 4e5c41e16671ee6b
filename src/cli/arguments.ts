import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { StartError } from '#foundation/start-error.ts'

/** The options of the account, for the usage text of a command. */
export const ACCOUNT = `[--sso URL]
  [--site-key KEY] [--email ADDRESS] [--password PASSWORD] [--code CODE]`

const accountOptions = {
  sso: { type: 'string' },
  'site-key': { type: 'string' },
  email: { type: 'string' },
  password: { type: 'string' },
  code: { type: 'string' },
} as const

/** Parses the arguments of a command that signs in. StartError with the usage when they are invalid. */
export function readArguments<T extends ParseArgsOptionsConfig>(
  args: string[],
  { usage, options, files = 0 }: { usage: string; options: T; files?: number },
) {
  try {
    const read = parseArgs({ args, allowPositionals: true, options: { ...accountOptions, ...options } })
    if (read.positionals.length === files) return read
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n${usage}`)
  }
  throw new StartError(usage)
}
