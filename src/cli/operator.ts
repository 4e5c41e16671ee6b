import { parseArgs } from 'node:util'
import { StartError } from '#foundation/start-error.ts'
import { accountOf, accountOptions, type Answer, type Client, detailOf, signIn } from './api-client.ts'

/** The options of every command that signs in as an operator. */
export const ACCOUNT = `[--sso http://127.0.0.1:8064]
  [--site-key KEY] [--email ADDRESS] [--password PASSWORD] [--code CODE]`

type Options = Record<string, { type: 'string' | 'boolean' }>
type Values = Record<string, string | boolean | undefined>

/** Reads the options and signs in. StartError with the usage for what is not understood. */
export async function begin(
  args: string[],
  env: NodeJS.ProcessEnv,
  usage: string,
  options: Options,
  isMeant: (values: Values) => boolean = () => true,
): Promise<{ client: Client; values: Values }> {
  const values = parse(args, usage, options)
  if (!isMeant(values)) throw new StartError(usage)
  const given = values as Parameters<typeof accountOf>[0]
  return { client: await signIn(given.sso, accountOf(given, env, 'console')), values }
}

function parse(args: string[], usage: string, options: Options): Values {
  try {
    return parseArgs({ args, options: { ...accountOptions, ...options } }).values
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n${usage}`)
  }
}

/** The body of the answer that was wanted; a StartError with what the service said instead. */
export function demand(answer: Answer, status: number): Answer['body'] {
  if (answer.status !== status) throw new StartError(detailOf(answer))
  return answer.body
}
